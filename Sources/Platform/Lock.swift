import Glibc

/// A mutual-exclusion lock over a heap-stable `pthread_mutex_t`.
///
/// The standard library's `Mutex` collapses under contention on Linux and confuses ThreadSanitizer;
/// a pthread mutex does neither. Not recursive.
package final class Lock: Sendable {
    fileprivate nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let code = pthread_mutex_init(mutex, nil)
        precondition(code == 0, "pthread_mutex_init failed with \(code)")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Waits for the lock. Locking twice on one thread never returns.
    package func lock() {
        let code = pthread_mutex_lock(mutex)
        precondition(code == 0)
    }

    /// Only on the thread that locked.
    package func unlock() {
        let code = pthread_mutex_unlock(mutex)
        precondition(code == 0)
    }

    /// Runs `body` with the lock held.
    @inlinable package func withLock<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}

/// A condition variable on the monotonic clock, used with one `Lock`.
package final class Condition: Sendable {
    private nonisolated(unsafe) let condition: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        let code = pthread_cond_init(condition, &attributes)
        precondition(code == 0, "pthread_cond_init failed with \(code)")
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deinitialize(count: 1)
        condition.deallocate()
    }

    /// Releases `lock`, waits for a signal, takes `lock` again. May wake without a signal.
    package func wait(_ lock: Lock) {
        pthread_cond_wait(condition, lock.mutex)
    }

    /// As `wait`, but returns at `deadline` at the latest.
    package func wait(_ lock: Lock, until deadline: MonotonicTime) {
        var time = timespec(
            tv_sec: Int(deadline.nanoseconds / 1_000_000_000),
            tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
        pthread_cond_timedwait(condition, lock.mutex, &time)
    }

    /// Wakes one waiter, if there is one.
    package func signal() { pthread_cond_signal(condition) }
    /// Wakes all waiters.
    package func broadcast() { pthread_cond_broadcast(condition) }
}

/// A value that is only reachable with its lock held.
package final class Guarded<Value>: @unchecked Sendable {
    // Sendable: `value` is touched only inside `withLock`.
    private let lock = Lock()
    private var value: Value

    package init(_ value: sending Value) { self.value = value }

    /// Works on the value with the lock held. Keep it short, and never call out from it.
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
