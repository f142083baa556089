import Glibc

/// A point on the system's monotonic clock, in nanoseconds. For deadlines, never for records.
package struct MonotonicTime: Comparable, Hashable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Later than every deadline.
    package static let distantFuture = MonotonicTime(nanoseconds: .max)

    package static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }

    /// This time moved by whole milliseconds; stays at `distantFuture` on overflow.
    package func advanced(milliseconds: Int64) -> MonotonicTime {
        let (delta, overflow1) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, overflow2) = nanoseconds.addingReportingOverflow(delta)
        return overflow1 || overflow2 ? .distantFuture : MonotonicTime(nanoseconds: sum)
    }

    /// Whole milliseconds until `later`, rounded up; 0 when it has passed.
    package func milliseconds(until later: MonotonicTime) -> Int64 {
        guard later > self else { return 0 }
        let (delta, overflow) = later.nanoseconds.subtractingReportingOverflow(nanoseconds)
        return overflow ? .max : (delta - 1) / 1_000_000 + 1
    }
}

/// Where deadlines come from.
package protocol MonotonicClock: Sendable {
    func now() -> MonotonicTime
}

/// CLOCK_MONOTONIC: never goes back and does not count time asleep.
package struct SystemMonotonicClock: MonotonicClock {
    package init() {}

    package func now() -> MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}

/// Where records' times come from: UTC, passed into decisions, never read inside one.
package protocol WallClock: Sendable {
    func now() -> Instant
}

/// The system's UTC clock, made never to go back within this process: when it is stepped back,
/// it stands still until real time has caught up.
package final class SystemWallClock: WallClock {
    private let latest = Guarded<Int64>(0)

    package init() {}

    package func now() -> Instant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let read = Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
        return latest.withLock { latest in
            latest = max(latest, read)
            return Instant(microseconds: latest)
        }
    }
}
