import Platform

/// A timing wheel: remembers for each connection one tick at which to look at its deadline.
///
/// Deadlines move with every request and nearly always away, so an entry stays where it is and is
/// put back when it turns out to be early: 10 000 busy connections cost a few inserts a second each
/// at most, and none per request.
struct Deadlines {
    struct Entry: Equatable {
        var slot: UInt32
        var generation: UInt32
    }

    static let tickMilliseconds: Int64 = 100
    private static let tickNanoseconds = tickMilliseconds * 1_000_000
    private static let size: Int64 = 1024

    private let origin: MonotonicTime
    private var buckets = [[Entry]](repeating: [], count: Int(size))
    /// The latest tick that has been taken out.
    private var current: Int64 = 0

    init(now: MonotonicTime) { origin = now }

    /// The first tick at or after `time`.
    func tick(of time: MonotonicTime) -> Int64 {
        let (elapsed, overflow) = time.nanoseconds.subtractingReportingOverflow(origin.nanoseconds)
        if overflow { return .max }
        return elapsed <= 0 ? 0 : (elapsed - 1) / Self.tickNanoseconds + 1
    }

    /// Files `entry` under `tick`, or under the nearest tick that the wheel can hold; returns that.
    mutating func insert(_ entry: Entry, at tick: Int64) -> Int64 {
        let held = min(max(tick, current + 1), current + Self.size - 1)
        buckets[Int(held % Self.size)].append(entry)
        return held
    }

    /// Takes out the entries of the next tick that is not after `now`; nil when there is none.
    mutating func takeDue(_ now: MonotonicTime, into due: inout [Entry]) -> Int64? {
        let (elapsed, _) = now.nanoseconds.subtractingReportingOverflow(origin.nanoseconds)
        guard current < elapsed / Self.tickNanoseconds else { return nil }
        current += 1
        due.removeAll(keepingCapacity: true)
        swap(&due, &buckets[Int(current % Self.size)])
        return current
    }
}
