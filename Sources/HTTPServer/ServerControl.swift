import Platform
import Synchronization

/// What the loops of one server share: how far its end has come, and how many connections there
/// are. Read by the loops when they are woken and at every tick.
final class ServerControl: Sendable {
    enum Stage: Int {
        case serving
        /// Still accepting; every answer is its connection's last.
        case announced
        /// Not accepting; what was accepted is finished.
        case draining
    }

    private let stageNumber = Atomic<Int>(0)
    private let grace = Atomic<Int64>(Int64.max)
    private let connections = Atomic<Int>(0)
    private let connectionLimit: Int

    init(connectionLimit: Int) { self.connectionLimit = connectionLimit }

    var stage: Stage {
        switch stageNumber.load(ordering: .acquiring) {
        case 0: .serving
        case 1: .announced
        default: .draining
        }
    }

    /// When what is left is cut off.
    var graceDeadline: MonotonicTime {
        MonotonicTime(nanoseconds: grace.load(ordering: .acquiring))
    }

    /// Goes on to `stage`; never back.
    func advance(to stage: Stage) {
        stageNumber.max(stage.rawValue, ordering: .acquiringAndReleasing)
    }

    /// Brings the grace deadline forward to `deadline`.
    func limitGrace(_ deadline: MonotonicTime) {
        grace.min(deadline.nanoseconds, ordering: .acquiringAndReleasing)
    }

    var hasRoom: Bool { connections.load(ordering: .relaxed) < connectionLimit }

    /// Counts one more connection; false if that would exceed the limit. A drain takes in what the
    /// kernel has completed, whatever the limit.
    func take(evenIfFull: Bool) -> Bool {
        if connections.add(1, ordering: .relaxed).newValue <= connectionLimit || evenIfFull {
            return true
        }
        connections.subtract(1, ordering: .relaxed)
        return false
    }

    func giveBack() { connections.subtract(1, ordering: .relaxed) }
}
