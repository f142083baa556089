package import Ledger
package import Platform
import Store

/// A wall clock that stands still until a test moves it.
package final class ManualClock: WallClock {
    private let time: Guarded<Instant>

    package init(_ now: Instant = ManualClock.noon) { time = Guarded(now) }

    /// 2026-11-30T12:00:00Z.
    package static let noon = Instant(seconds: 1_796_040_000)

    package func now() -> Instant { time.withLock { $0 } }

    package func set(_ now: Instant) { time.withLock { $0 = now } }

    /// Back with a negative number.
    package func advance(seconds: Int64) {
        time.withLock { $0 = $0.advanced(seconds: seconds) }
    }
}

/// A monotonic clock that stands still until a test moves it.
package final class ManualMonotonicClock: MonotonicClock {
    private let time = Guarded(MonotonicTime(nanoseconds: 1_000_000_000))

    package init() {}

    package func now() -> MonotonicTime { time.withLock { $0 } }

    package func advance(milliseconds: Int64) {
        time.withLock { $0 = $0.advanced(milliseconds: milliseconds) }
    }
}

/// Business days that are UTC's.
package struct UTCDays: BusinessCalendar {
    package init() {}

    package static let secondsPerDay: Int64 = 86_400

    package func day(of instant: Instant) -> BusinessDay {
        let number = instant.seconds / Self.secondsPerDay
        return BusinessDay(
            number: number, start: Instant(seconds: number * Self.secondsPerDay),
            end: Instant(seconds: (number + 1) * Self.secondsPerDay))
    }
}
