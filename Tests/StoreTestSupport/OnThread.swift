import Platform

/// A value that a thread of its own computes. Stores block, and an expectation on a foreign thread
/// would be lost: the value is handed to the test's thread.
package final class OnThread<Value: Sendable>: Sendable {
    private let thread: Thread
    private let result: Box

    private final class Box: Sendable {
        let value = Guarded<Value?>(nil)
    }

    package init(_ name: String = "test", _ body: @escaping @Sendable () -> Value) {
        let box = Box()
        result = box
        thread = Thread(name: name) {
            let value = body()
            box.value.withLock { $0 = value }
        }
    }

    /// Waits for the thread's end.
    package func value() -> Value {
        thread.join()
        guard let value = result.value.withLock({ $0 }) else {
            preconditionFailure("the thread ended without a value")
        }
        return value
    }
}

/// Opens once; those who wait go on.
package final class Gate: Sendable {
    private let lock = Lock()
    private let opened = Condition()
    private nonisolated(unsafe) var isOpen = false

    package init() {}

    package func open() {
        lock.withLock { isOpen = true }
        opened.broadcast()
    }

    package func wait() {
        lock.withLock { while !isOpen { opened.wait(lock) } }
    }
}
