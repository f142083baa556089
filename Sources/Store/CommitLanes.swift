package import Ledger
package import Platform

/// Commit queues beside each other, each with a thread and a connection: one where the store takes
/// one writer, several where many may write at once.
///
/// A customer's commands always take the same lane, so that those of a hot account meet in one batch
/// instead of fighting over its lock.
package final class CommitLanes: Sendable {
    private let lanes: [CommitQueue]

    /// `limits` are those of all lanes together, but for the size of one batch. `onCommitted` and
    /// `onMediumFailure` are called on any lane's thread.
    package init(
        _ count: Int, store: any TransferStore, inFlight: InFlightTable,
        changes: ChangeHub = ChangeHub(), limits: CommitQueue.Limits = CommitQueue.Limits(),
        clock: any MonotonicClock, log: Log, metrics: MetricsRegistry,
        onCommitted: @escaping @Sendable () -> Void = {},
        onMediumFailure: @escaping @Sendable () -> Void
    ) {
        precondition(count > 0, "commands have somewhere to go")
        var limits = limits
        limits.waitingCommands = max(1, limits.waitingCommands / count)
        lanes = (0..<count).map { _ in
            CommitQueue(
                store: store, inFlight: inFlight, changes: changes, limits: limits, clock: clock,
                log: log, metrics: metrics, onCommitted: onCommitted,
                onMediumFailure: onMediumFailure)
        }
    }

    /// Commands that wait.
    package var depth: Int { lanes.reduce(0) { $0 + $1.depth } }

    /// Whether the newest batch of every lane could be carried out.
    package var isHealthy: Bool { lanes.allSatisfy(\.isHealthy) }

    /// Opens the writers and starts the threads. Once only.
    package func start() { for lane in lanes { lane.start() } }

    /// Hands a command over to its lane.
    package func submit(_ pending: PendingCommand) -> CommitQueue.Submission {
        lane(of: pending.command).submit(pending)
    }

    /// Asks, of each lane that is not healthy, whether the store has come back: a lane learns that
    /// only from a batch.
    package func probe(_ pending: PendingCommand) {
        for lane in lanes where !lane.isHealthy { _ = lane.submit(pending) }
    }

    /// Refuses new commands, finishes those that wait, ends the threads.
    package func close() { for lane in lanes { lane.close() } }

    private func lane(of command: Command) -> CommitQueue {
        guard lanes.count > 1, let customer = command.routingCustomer else { return lanes[0] }
        return lanes[Int(customer.stableHash % UInt64(lanes.count))]
    }
}

extension Command {
    /// Whose lane it takes. A command that names its customer by an account takes any: the customer's
    /// lock, not the lane, is what keeps commands apart.
    fileprivate var routingCustomer: CustomerID? {
        switch self {
        case .transfer(let command): command.id.customer
        case .revoke(let command): command.id.customer
        case .credit(let command): command.payee
        case .conclude(let command): command.payer
        case .openAccount(let command): command.customer
        case .restrictCustomer(let command): command.customer
        case .setAccountStatus, .setAccountLimits, .retire, .probe: nil
        }
    }
}

extension CustomerID {
    /// FNV-1a: the same number in every process and version.
    package var stableHash: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }
}
