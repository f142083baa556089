package import Platform

/// A wall clock that a test moves; it never moves by itself.
package final class TestClock: WallClock {
    private let instant: Guarded<Instant>

    /// `start`: RFC 3339.
    package init(_ start: String = "2026-11-30T14:02:12.345Z") {
        guard let start = Instant(rfc3339: start.utf8) else {
            preconditionFailure("\(start) is not RFC 3339")
        }
        instant = Guarded(start)
    }

    package func now() -> Instant { instant.withLock { $0 } }

    package func set(_ now: Instant) { instant.withLock { $0 = now } }

    package func move(seconds: Int64) {
        instant.withLock { $0 = $0.advanced(seconds: seconds) }
    }
}
