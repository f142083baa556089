/// Where the answer to one parked request goes: an event loop, a slot of it, and the slot's
/// generation, so that an answer for a connection that has gone is dropped instead of reaching
/// whoever took its place. 16 bytes; safe to hand to any thread.
package struct Ticket: Hashable, Sendable {
    package let loop: UInt32
    package let slot: UInt32
    package let generation: UInt64

    package init(loop: UInt32, slot: UInt32, generation: UInt64) {
        self.loop = loop
        self.slot = slot
        self.generation = generation
    }
}
