import Platform
import TestSupport

/// The system's monotonic clock, which a test can make jump ahead.
final class SteppingClock: MonotonicClock {
    private let offset = Guarded<Int64>(0)

    func now() -> MonotonicTime {
        SystemMonotonicClock().now().advanced(milliseconds: offset.withLock { $0 })
    }

    func step(milliseconds: Int64) { offset.withLock { $0 += milliseconds } }
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
