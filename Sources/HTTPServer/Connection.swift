import CLinux
import Platform

/// A slot of an event loop: at most one connection at a time, told from its predecessors by
/// `generation`. Confined to the loop's thread.
final class Connection {
    let slot: UInt32
    private(set) var generation: UInt32 = 0
    private(set) var isOpen = false
    var state: ConnectionState
    private(set) var transport: Transport?

    /// The serial number in the ticket of the parked request; 0 without one.
    var parkedSerial: UInt64 = 0
    /// When the request at hand was handed to the handler.
    var requestBegan = MonotonicTime(nanoseconds: 0)
    var requestMethod = Method.other
    /// A read waits until the transport can write.
    var readWantsWrite = false
    /// A blocked write waits until the transport can read.
    var writeWantsRead = false
    /// The events registered with epoll.
    var registeredEvents: UInt32 = 0
    /// The tick under which the wheel holds this connection; `max` if it does not.
    var scheduledTick = Int64.max

    init(slot: UInt32, limits: HTTPLimits) {
        self.slot = slot
        state = ConnectionState(limits: limits, now: MonotonicTime(nanoseconds: 0))
    }

    func open(_ transport: Transport, limits: HTTPLimits, now: MonotonicTime) {
        generation &+= 1
        isOpen = true
        self.transport = transport
        state = ConnectionState(limits: limits, now: now)
        parkedSerial = 0
        readWantsWrite = false
        writeWantsRead = false
        registeredEvents = 0
        scheduledTick = .max
    }

    func close(reset: Bool) {
        transport?.close(reset: reset)
        transport = nil
        isOpen = false
        parkedSerial = 0
    }

    /// What to have epoll watch for.
    var wantedEvents: UInt32 {
        var events: UInt32 = 0
        let blocked = state.writeIsBlocked
        if state.readRoom > 0 && !readWantsWrite || blocked && writeWantsRead {
            events |= cl_epollin()
        }
        if blocked && !writeWantsRead || readWantsWrite { events |= cl_epollout() }
        return events
    }
}

/// Confined to its loop's thread.
@available(*, unavailable)
extension Connection: Sendable {}
