import Ledger
import Platform
import Store

/// Answers reads from committed state on a connection of its own; a writer never makes it wait.
final class SQLiteReader: StoreReader {
    private let connection: Connection
    private let clock: any WallClock
    private let begin: Statement
    private let end: Statement
    private let outcome: Statement
    private let receivedAt: Statement
    private let revoked: Statement
    private let transferOfKey: Statement
    private let transfer: Statement
    private let event: Statement
    private let list: Statement
    private let accounts: Statement
    private let account: Statement
    private let bookings: Statement
    private let revocationList: Statement
    private let retirable: Statement

    init(connection: Connection, clock: any WallClock) throws(SQLiteError) {
        self.connection = connection
        self.clock = clock
        // Prepared, because every read begins and ends with them.
        begin = try connection.prepare("BEGIN")
        end = try connection.prepare("COMMIT")
        outcome = try connection.prepare(SQL.selectOutcome)
        transferOfKey = try connection.prepare(

            """
            SELECT transfer_id, received_at FROM outcomes
            WHERE customer_id = ? AND idempotency_key = ?
            """)
        receivedAt = try connection.prepare(
            "SELECT received_at FROM outcomes WHERE customer_id = ? AND idempotency_key = ?")
        revoked = try connection.prepare(
            """
            SELECT received_at, committed_at FROM outcomes
            WHERE customer_id = ? AND idempotency_key = ? AND kind = 4
            """)
        transfer = try connection.prepare(
            SQL.selectTransfer + " WHERE transfer_id = ? AND customer_id = ?")
        event = try connection.prepare(
            """
            SELECT state, at, previous_sequence FROM events
            WHERE customer_id = ? AND sequence = ?
            """)
        list = try connection.prepare(
            SQL.selectTransferColumns
                + """
                , e.sequence FROM events AS e JOIN transfers AS t USING (transfer_id)
                WHERE e.customer_id = ? AND e.sequence < ? AND e.previous_sequence IS NULL
                ORDER BY e.sequence DESC LIMIT ?
                """)
        accounts = try connection.prepare(
            SQL.selectAccount + " WHERE customer_id = ? ORDER BY rowid")
        account = try connection.prepare(
            SQL.selectAccount + " WHERE customer_id = ? AND account_id = ?")
        revocationList = try connection.prepare(
            "SELECT kind, value, revoked_at FROM revocations")
        retirable = try connection.prepare(Retirement.hasCandidates)
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
            let found = try transferOfKey.first { row throws(SQLiteError) in
                try row.optionalUUID(0).map { (TransferID($0), row.instant(1)) }
            }
            guard let (id, received) = found else { return nil }
            return try view(id, of: intent.customer, firstReceivedAt: received)
        }
    }

    func outcome(
        of intent: IntentID
    ) throws(StoreError) -> (outcome: StoredOutcome, transfer: TransferRow?)? {
        try snapshot { () throws(SQLiteError) in
            outcome.bind(1, intent.customer)
            outcome.bind(2, intent.key.uuid)
            let found = try outcome.first { row throws(SQLiteError) in try row.outcome() }
            guard let found else { return nil }
            guard let id = found.transfer else { return (found, nil) }
            transfer.bind(1, id.uuid)
            transfer.bind(2, intent.customer)
            return (found, try transfer.first { row throws(SQLiteError) in try row.transfer() })
        }
    }

    func revocation(of intent: IntentID) throws(StoreError) -> RevocationView? {
        try snapshot { () throws(SQLiteError) in
            revoked.bind(1, intent.customer)
            revoked.bind(2, intent.key.uuid)
            return try revoked.first {
                RevocationView(firstReceivedAt: $0.instant(0), revokedAt: $0.instant(1))
            }
        }
    }

    func transfer(
        _ id: TransferID, of customer: CustomerID
    ) throws(StoreError) -> TransferView? {
        try snapshot { () throws(SQLiteError) in try view(id, of: customer) }
    }

    /// With a filter, a call looks at no more than so many transfers.
    private static let filteredRows = 1000

    func transfers(
        of customer: CustomerID, before: Int64, states: UInt16, limit: Int
    ) throws(StoreError) -> TransferPage {
        try snapshot { () throws(SQLiteError) in
            let rows = states == 0 ? limit + 1 : Self.filteredRows
            list.bind(1, customer)
            list.bind(2, before)
            list.bind(3, Int64(rows))
            var found: [TransferRow] = []
            var seen = 0
            var newest = before
            var next: Int64?
            try list.eachRow { row throws(SQLiteError) in
                guard next == nil else { return }
                let transfer = try row.transfer()
                seen += 1
                if states == 0 || states & transfer.state.bit != 0 {
                    // One more than asked for: there is a next page, after the last one kept.
                    if found.count == limit {
                        next = newest
                        return
                    }
                    found.append(transfer)
                }
                newest = row.integer(21)
            }
            if next == nil, states != 0, seen == rows { next = newest }
            return TransferPage(transfers: found, next: next)
        }
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

    func revocations() throws(StoreError) -> [(kind: Int64, value: String, at: Instant)] {
        try snapshot { () throws(SQLiteError) in
            var found: [(kind: Int64, value: String, at: Instant)] = []
            try revocationList.eachRow { row in
                found.append((row.integer(0), row.text(1), row.instant(2)))
            }
            return found
        }
    }

    func hasRetirable(before instant: Instant) throws(StoreError) -> Bool {
        try snapshot { () throws(SQLiteError) in
            retirable.bind(1, instant)
            return try retirable.first { _ in true } ?? false
        }
    }

    /// All statements of `body` see one committed state.
    private func snapshot<Value>(
        _ body: () throws(SQLiteError) -> Value
    ) throws(StoreError) -> Value {
        do throws(SQLiteError) {
            try connection.requireFileInPlace()
            try begin.run()
            let value = try body()
            try end.run()
            return value
        } catch {
            // The pool drops a reader that failed, and with it the transaction.
            throw error.storeError()
        }
    }

    private func view(
        _ id: TransferID, of customer: CustomerID, firstReceivedAt: Instant? = nil
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
        let received: Instant
        if let firstReceivedAt {
            received = firstReceivedAt
        } else {
            received = try self.received(row)
        }
        return TransferView(
            transfer: row, history: history.reversed(), firstReceivedAt: received, asOf: asOf)
    }

    private func received(_ row: TransferRow) throws(SQLiteError) -> Instant {
        receivedAt.bind(1, row.intent.customer)
        receivedAt.bind(2, row.intent.key.uuid)
        return try receivedAt.first { $0.instant(0) } ?? row.createdAt
    }
}
