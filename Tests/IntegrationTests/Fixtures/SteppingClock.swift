import Foundation
import Platform
import TestSupport

/// The system's monotonic clock, which a test can make jump ahead, and by which it can hold commits.
final class SteppingClock: MonotonicClock, @unchecked Sendable {
    // Sendable: the fields below `lock` are touched only with it held.
    private let lock = Lock()
    private let released = Condition()
    private var offset: Int64 = 0
    private var holds = false

    func now() -> MonotonicTime {
        let offset = lock.withLock {
            while holds, Self.isCommitThread { released.wait(lock) }
            return self.offset
        }
        return SystemMonotonicClock().now().advanced(milliseconds: offset)
    }

    func step(milliseconds: Int64) { lock.withLock { offset += milliseconds } }

    /// The next batch does not begin, and holds no lock of the database, until `release`.
    func holdCommits() { lock.withLock { holds = true } }

    func release() {
        lock.withLock { holds = false }
        released.broadcast()
    }

    /// It asks for the time when it has taken a batch and before it begins.
    private static var isCommitThread: Bool {
        (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) == "commit\n"
    }
}

extension TestBank {
    /// Returns when the server has read what was sent to it before: its loop takes connections in
    /// their order, so it has come to an earlier one's request before it answers the last of these.
    func catchUp() async throws {
        for _ in 0..<4 {
            _ = try await endpoint.send(HTTPRequest("HEAD", "/openapi.json"))
        }
    }
}
