import Platform
import TestSupport

/// A server process that dies and comes back, as its clients see it.
final class ServerInGenerations: @unchecked Sendable {
    // Sendable: the fields below `lock` are touched only with it held.
    private let lock = Lock()
    private let changed = Condition()
    private var server: ServerProcess?
    private var ended = false
    private var answers = 0

    /// The next life begins.
    func began(_ server: ServerProcess) {
        lock.withLock {
            self.server = server
            answers = 0
        }
        changed.broadcast()
    }

    /// This life is over; clients wait for the next.
    func died() { lock.withLock { server = nil } }

    /// Clients finish what they have begun and begin nothing more.
    func finish() {
        lock.withLock { ended = true }
        changed.broadcast()
    }

    var isFinishing: Bool { lock.withLock { ended } }

    /// The server that lives now or next; nil when none has come within a minute.
    func current() -> ServerProcess? {
        let clock = SystemMonotonicClock()
        let end = clock.now().advanced(milliseconds: 60_000)
        return lock.withLock {
            while server == nil, clock.now() < end { changed.wait(lock, until: end) }
            return server
        }
    }

    func answered() {
        lock.withLock { answers += 1 }
        changed.broadcast()
    }

    /// Waits until this life has given so many answers; a life that gives none is killed anyway.
    func waitForAnswers(_ count: Int) {
        let clock = SystemMonotonicClock()
        let end = clock.now().advanced(milliseconds: 5000)
        lock.withLock {
            while answers < count, clock.now() < end { changed.wait(lock, until: end) }
        }
    }
}
