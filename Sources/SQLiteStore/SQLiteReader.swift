import Ledger
import Platform
import Store

/// Answers reads from committed state on a connection of its own; a writer never makes it wait.
final class SQLiteReader: StoreReader {
    private let connection: Connection
    private let clock: any WallClock
    private let receivedAt: Statement
    private let transferOfKey: Statement
    private let transfer: Statement
    private let event: Statement
    private let accounts: Statement
    private let account: Statement
    private let bookings: Statement

    init(connection: Connection, clock: any WallClock) throws(SQLiteError) {
        self.connection = connection
        self.clock = clock
        transferOfKey = try connection.prepare(
            "SELECT transfer_id FROM outcomes WHERE customer_id = ? AND idempotency_key = ?")
        receivedAt = try connection.prepare(
            "SELECT received_at FROM outcomes WHERE customer_id = ? AND idempotency_key = ?")
        transfer = try connection.prepare(
            SQL.selectTransfer + " WHERE transfer_id = ? AND customer_id = ?")
        event = try connection.prepare(
            """
            SELECT state, at, previous_sequence FROM events
            WHERE customer_id = ? AND sequence = ?
            """)
        accounts = try connection.prepare(
            SQL.selectAccount + " WHERE customer_id = ? ORDER BY rowid")
        account = try connection.prepare(
            SQL.selectAccount + " WHERE customer_id = ? AND account_id = ?")
        bookings = try connection.prepare(
            """
            SELECT o.outbox_id, o.customer_id, o.transfer_id, t.currency, t.amount,
                   i.customer_id, i.account_id
            FROM outbox AS o
            JOIN transfers AS t ON t.transfer_id = o.transfer_id
            LEFT JOIN account_ibans AS i ON i.iban = t.creditor_iban
            WHERE o.connector = 1 AND o.outbox_id > ? ORDER BY o.outbox_id LIMIT ?
            """)
    }

    func transfer(of intent: IntentID) throws(StoreError) -> TransferView? {
        try snapshot { () throws(SQLiteError) in
            transferOfKey.bind(1, intent.customer)
            transferOfKey.bind(2, intent.key.uuid)
            let id = try transferOfKey.first { row throws(SQLiteError) in
                try row.optionalUUID(0)
            }
            guard let id else { return nil }
            return try view(TransferID(id), of: intent.customer)
        }
    }

    func transfer(
        _ id: TransferID, of customer: CustomerID
    ) throws(StoreError) -> TransferView? {
        try snapshot { () throws(SQLiteError) in try view(id, of: customer) }
    }

    func accounts(of customer: CustomerID) throws(StoreError) -> [AccountRow] {
        try snapshot { () throws(SQLiteError) in
            var found: [AccountRow] = []
            accounts.bind(1, customer)
            try accounts.eachRow { row throws(SQLiteError) in found.append(try row.account()) }
            return found
        }
    }

    func account(
        _ id: AccountID, of customer: CustomerID
    ) throws(StoreError) -> AccountRow? {
        try snapshot { () throws(SQLiteError) in
            account.bind(1, customer)
            account.bind(2, id.uuid)
            return try account.first { row throws(SQLiteError) in try row.account() }
        }
    }

    func pendingBookings(
        after: Int64, limit: Int
    ) throws(StoreError) -> [PendingBooking] {
        try snapshot { () throws(SQLiteError) in
            var found: [PendingBooking] = []
            bookings.bind(1, after)
            bookings.bind(2, Int64(limit))
            try bookings.eachRow { row throws(SQLiteError) in
                let creditor: DirectoryEntry? =
                    row.isNull(5)
                    ? nil
                    : DirectoryEntry(
                        customer: try row.customer(5), account: AccountID(try row.uuid(6)))
                found.append(
                    PendingBooking(
                        outboxID: row.integer(0), payer: try row.customer(1),
                        transfer: TransferID(try row.uuid(2)),
                        money: Money(minorUnits: row.integer(4), currency: try row.currency(3)),
                        creditor: creditor))
            }
            return found
        }
    }

    /// All statements of `body` see one committed state.
    private func snapshot<Value>(
        _ body: () throws(SQLiteError) -> Value
    ) throws(StoreError) -> Value {
        do throws(SQLiteError) {
            try connection.execute("BEGIN")
            let value = try body()
            try connection.execute("COMMIT")
            return value
        } catch {
            // The pool drops a reader that failed, and with it the transaction.
            throw error.storeError()
        }
    }

    private func view(
        _ id: TransferID, of customer: CustomerID
    ) throws(SQLiteError) -> TransferView? {
        let asOf = clock.now()
        transfer.bind(1, id.uuid)
        transfer.bind(2, customer)
        let row = try transfer.first { row throws(SQLiteError) in try row.transfer() }
        guard let row else { return nil }
        var history: [TransferView.HistoryEntry] = []
        var next: Int64? = row.lastSequence
        while let sequence = next {
            event.bind(1, customer)
            event.bind(2, sequence)
            let step = try event.first { row throws(SQLiteError) in
                (
                    TransferView.HistoryEntry(
                        state: try row.value(0, as: TransferState.self), at: row.instant(1)),
                    row.optionalInteger(2)
                )
            }
            guard let step else { break }
            history.append(step.0)
            next = step.1
        }
        receivedAt.bind(1, row.intent.customer)
        receivedAt.bind(2, row.intent.key.uuid)
        let received = try receivedAt.first { $0.instant(0) } ?? row.createdAt
        return TransferView(
            transfer: row, history: history.reversed(), firstReceivedAt: received, asOf: asOf)
    }
}
