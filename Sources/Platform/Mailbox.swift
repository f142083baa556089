/// Messages from any thread to one event loop.
///
/// The eventfd is signalled only when the queue goes from empty to non-empty, and the loop takes
/// everything at once, so a burst costs one wake-up.
package final class Mailbox<Message: Sendable>: @unchecked Sendable {
    // Sendable: `messages` is touched only with `lock` held.
    @usableFromInline let lock = Lock()
    @usableFromInline var messages: [Message] = []
    /// Readable in epoll when messages wait.
    package let event: EventDescriptor

    package init() throws(SystemError) { event = try EventDescriptor() }

    /// Adds a message; wakes the loop if it was the first.
    @inlinable package func send(_ message: Message) {
        lock.lock()
        let first = messages.isEmpty
        messages.append(message)
        lock.unlock()
        if first { event.signal() }
    }

    /// Adds messages with one lock and at most one wake-up.
    @inlinable package func send(contentsOf batch: [Message]) {
        guard !batch.isEmpty else { return }
        lock.lock()
        let first = messages.isEmpty
        messages.append(contentsOf: batch)
        lock.unlock()
        if first { event.signal() }
    }

    /// Swaps everything that waits into `batch`, which must be empty; its storage is used again.
    @inlinable package func takeAll(into batch: inout [Message]) {
        precondition(batch.isEmpty)
        event.drain()
        lock.lock()
        swap(&messages, &batch)
        lock.unlock()
    }
}
