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

/// An intent that can never execute.
package struct RevocationView: Sendable {
    package let firstReceivedAt: Instant
    package let revokedAt: Instant

    package init(firstReceivedAt: Instant, revokedAt: Instant) {
        self.firstReceivedAt = firstReceivedAt
        self.revokedAt = revokedAt
    }
}

/// Part of a customer's transfers, newest first.
package struct TransferPage: Sendable {
    package let transfers: [TransferRow]
    /// The event number to go on before; nil at the end of the list.
    package let next: Int64?

    package init(transfers: [TransferRow], next: Int64?) {
        self.transfers = transfers
        self.next = next
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
    /// The stored outcome of an intent and the transfer it is about; nil when no attempt with this key
    /// has committed. The body is empty when it is no longer kept.
    func outcome(
        of intent: IntentID
    ) throws(StoreError) -> (outcome: StoredOutcome, transfer: TransferRow?)?
    /// Nil unless the intent was revoked.
    func revocation(of intent: IntentID) throws(StoreError) -> RevocationView?
    /// Nil unless it exists and is this customer's.
    func transfer(_ id: TransferID, of customer: CustomerID) throws(StoreError) -> TransferView?
    /// The transfers that a customer's events before the number `before` began, newest first.
    ///
    /// `states` is a set of `TransferState.bit`s; 0 means all. A page may hold fewer than `limit`
    /// although there are more: each call looks at a bounded number of transfers.
    func transfers(
        of customer: CustomerID, before: Int64, states: UInt16, limit: Int
    ) throws(StoreError) -> TransferPage
    /// In the order of opening.
    func accounts(of customer: CustomerID) throws(StoreError) -> [AccountRow]
    func account(_ id: AccountID, of customer: CustomerID) throws(StoreError) -> AccountRow?
    /// Everyone whose access has been taken away, and when.
    func revocations() throws(StoreError) -> [(kind: Int64, value: String, at: Instant)]
    /// Whether bodies are kept of outcomes that were committed before `instant`.
    func hasRetirable(before instant: Instant) throws(StoreError) -> Bool
    /// Bookings with an outbox id above `after`, oldest first.
    func pendingBookings(
        after: Int64, limit: Int
    ) throws(StoreError) -> [PendingBooking]
}
