package import Ledger
package import Platform

/// Names the business day of an instant. Implemented with time-zone data, outside the ledger.
package protocol BusinessCalendar: Sendable {
    func day(of instant: Instant) -> BusinessDay
}

/// A place that keeps the ledger. Writers and readers own one connection each and are confined to
/// the thread that uses them; the store itself owns no thread.
package protocol TransferStore: Sendable {
    func makeWriter() throws(StoreError) -> any StoreWriter
    func makeReader() throws(StoreError) -> any StoreReader
}

/// Commits batches. Confined to one thread.
package protocol StoreWriter: AnyObject {
    /// Loads what the commands touch, asks the planner, renders and writes, all in one transaction.
    ///
    /// Returns one result for each command, in order, after the commit is durable. When it throws,
    /// nothing of the batch was written, but for `unknownOutcome` and `mediumFailed`.
    func commit(_ commands: [Command]) throws(StoreError) -> [CommandResult]

    /// Whether the newest commit left something for settlement to do at once.
    var leftWork: Bool { get }
}

extension StoreWriter {
    package var leftWork: Bool { true }
}

/// Where one intent stands.
package struct TransferView: Sendable {
    /// A state, and since when.
    package struct HistoryEntry: Sendable, Hashable {
        package let state: TransferState
        package let at: Instant

        package init(state: TransferState, at: Instant) {
            self.state = state
            self.at = at
        }
    }

    package let transfer: TransferRow
    /// Oldest first.
    package let history: [HistoryEntry]
    package let firstReceivedAt: Instant
    package let asOf: Instant

    package init(
        transfer: TransferRow, history: [HistoryEntry], firstReceivedAt: Instant, asOf: Instant
    ) {
        self.transfer = transfer
        self.history = history
        self.firstReceivedAt = firstReceivedAt
        self.asOf = asOf
    }
}

/// A booking that settlement has still to carry out.
package struct PendingBooking: Sendable {
    package let outboxID: Int64
    package let payer: CustomerID
    package let transfer: TransferID
    package let money: Money
    package let creditor: DirectoryEntry?

    package init(
        outboxID: Int64, payer: CustomerID, transfer: TransferID, money: Money,
        creditor: DirectoryEntry?
    ) {
        self.outboxID = outboxID
        self.payer = payer
        self.transfer = transfer
        self.money = money
        self.creditor = creditor
    }
}

/// Reads committed state. Never waits for a writer. Confined to one thread.
package protocol StoreReader: AnyObject {
    /// Nil when no attempt with this key has committed.
    func transfer(of intent: IntentID) throws(StoreError) -> TransferView?
    /// Nil unless it exists and is this customer's.
    func transfer(_ id: TransferID, of customer: CustomerID) throws(StoreError) -> TransferView?
    /// In the order of opening.
    func accounts(of customer: CustomerID) throws(StoreError) -> [AccountRow]
    func account(_ id: AccountID, of customer: CustomerID) throws(StoreError) -> AccountRow?
    /// Bookings with an outbox id above `after`, oldest first.
    func pendingBookings(
        after: Int64, limit: Int
    ) throws(StoreError) -> [PendingBooking]
}
