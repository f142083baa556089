import Glibc
import Synchronization

/// A number that only grows. Owned by one thread, which adds; any thread may read.
package final class Counter: Sendable {
    private let storage = Atomic<Int>(0)

    package init() {}

    /// One writer, so a plain load and store suffice: no locked instruction.
    package func add(_ amount: Int = 1) {
        storage.store(storage.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }

    package var value: Int { storage.load(ordering: .relaxed) }
}

/// A number that goes up and down, set by one thread.
package final class Gauge: Sendable {
    private let storage = Atomic<Int>(0)

    package init() {}

    /// This and the next: only on the thread that owns the gauge.
    package func set(_ value: Int) { storage.store(value, ordering: .relaxed) }
    package func add(_ amount: Int) {
        storage.store(storage.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }
    package var value: Int { storage.load(ordering: .relaxed) }
}

/// Counts of observed nanoseconds or sizes in fixed buckets. Owned by one thread.
package final class Histogram: Sendable {
    /// Inclusive upper bounds, ascending; the last bucket is `+Inf`.
    package let bounds: [Int]
    private let buckets: [Counter]
    private let sum = Counter()

    package init(bounds: [Int]) {
        self.bounds = bounds
        buckets = (0...bounds.count).map { _ in Counter() }
    }

    /// Only on the thread that owns the histogram.
    package func observe(_ value: Int) {
        var index = 0
        while index < bounds.count, value > bounds[index] { index += 1 }
        buckets[index].add()
        sum.add(value)
    }

    fileprivate var snapshot: (counts: [Int], sum: Int) { (buckets.map(\.value), sum.value) }
}

/// The process's metrics, in the Prometheus text exposition format 0.0.4.
///
/// Each thread registers instruments of its own under the shared names; the scrape sums those with
/// the same name and labels.
package final class MetricsRegistry: Sendable {
    private enum Instrument: Sendable {
        case counter(Counter)
        case gauge(Gauge)
        case sampled(@Sendable () -> Int)
        case histogram(Histogram, divisor: Double)
    }

    private struct Family: Sendable {
        var help: String
        var type: String
        var series: [(labels: String, instrument: Instrument)] = []
    }

    private let families = Guarded<[(name: String, family: Family)]>([])

    package init() {}

    /// Nanosecond buckets from 50 µs to 10 s, rendered as seconds.
    package static let latencyBounds = [
        50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000,
        50_000_000, 100_000_000, 250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000,
        5_000_000_000, 10_000_000_000,
    ]

    /// A new instrument for the calling thread; `help` of the first registration is shown.
    package func counter(_ name: String, help: String, labels: [(String, String)] = []) -> Counter {
        let counter = Counter()
        register(name, help, "counter", labels, .counter(counter))
        return counter
    }

    /// A new instrument for the calling thread; the scrape shows the sum.
    package func gauge(_ name: String, help: String, labels: [(String, String)] = []) -> Gauge {
        let gauge = Gauge()
        register(name, help, "gauge", labels, .gauge(gauge))
        return gauge
    }

    /// A gauge whose value is asked for at scrape time; `sample` must be quick and thread-safe.
    package func sampled(
        _ name: String, help: String, labels: [(String, String)] = [],
        _ sample: @escaping @Sendable () -> Int
    ) {
        register(name, help, "gauge", labels, .sampled(sample))
    }

    /// A histogram of nanoseconds; its name ends in `_seconds` and it is rendered in seconds.
    package func latency(_ name: String, help: String, labels: [(String, String)] = []) -> Histogram
    {
        let histogram = Histogram(bounds: Self.latencyBounds)
        register(name, help, "histogram", labels, .histogram(histogram, divisor: 1e9))
        return histogram
    }

    /// A histogram of counts, such as a batch's size.
    package func sizes(
        _ name: String, help: String, bounds: [Int], labels: [(String, String)] = []
    ) -> Histogram {
        let histogram = Histogram(bounds: bounds)
        register(name, help, "histogram", labels, .histogram(histogram, divisor: 1))
        return histogram
    }

    private func register(
        _ name: String, _ help: String, _ type: String, _ labels: [(String, String)],
        _ instrument: Instrument
    ) {
        let text = labels.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
        families.withLock { families in
            if let index = families.firstIndex(where: { $0.name == name }) {
                precondition(families[index].family.type == type, "metric \(name) has two types")
                families[index].family.series.append((text, instrument))
            } else {
                families.append(
                    (name, Family(help: help, type: type, series: [(text, instrument)])))
            }
        }
    }

    /// The whole exposition.
    package func render() -> String {
        let families = self.families.withLock { $0 }
        var text = ""
        for (name, family) in families {
            text += "# HELP \(name) \(family.help)\n# TYPE \(name) \(family.type)\n"
            var order: [String] = []
            var groups: [String: [Instrument]] = [:]
            for (labels, instrument) in family.series {
                if groups[labels] == nil { order.append(labels) }
                groups[labels, default: []].append(instrument)
            }
            for labels in order { Self.render(name, labels, groups[labels]!, to: &text) }
        }
        return text
    }

    private static func render(
        _ name: String, _ labels: String, _ instruments: [Instrument], to text: inout String
    ) {
        var total = 0
        var counts: [Int] = []
        var sum = 0
        var shape: (bounds: [Int], divisor: Double)?
        for instrument in instruments {
            switch instrument {
            case .counter(let counter): total += counter.value
            case .gauge(let gauge): total += gauge.value
            case .sampled(let sample): total += sample()
            case .histogram(let histogram, let divisor):
                let snapshot = histogram.snapshot
                shape = (histogram.bounds, divisor)
                sum += snapshot.sum
                counts =
                    counts.isEmpty ? snapshot.counts : zip(counts, snapshot.counts).map { $0 + $1 }
            }
        }
        guard let shape else {
            text += name + (labels.isEmpty ? "" : "{\(labels)}") + " \(total)\n"
            return
        }
        let prefix = labels.isEmpty ? "" : labels + ","
        let suffix = labels.isEmpty ? "" : "{\(labels)}"
        var cumulative = 0
        for (index, count) in counts.enumerated() {
            cumulative += count
            let bound =
                index == shape.bounds.count
                ? "+Inf"
                : shape.divisor == 1
                    ? "\(shape.bounds[index])" : "\(Double(shape.bounds[index]) / shape.divisor)"
            text += "\(name)_bucket{\(prefix)le=\"\(bound)\"} \(cumulative)\n"
        }
        let rendered = shape.divisor == 1 ? "\(sum)" : "\(Double(sum) / shape.divisor)"
        text += "\(name)_sum\(suffix) \(rendered)\n\(name)_count\(suffix) \(cumulative)\n"
    }
}
