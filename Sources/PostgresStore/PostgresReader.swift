import Ledger
import Platform
import Store

/// Answers reads from committed state of the primary on a connection of its own; takes no lock.
final class PostgresReader: StoreReader {
    private let store: PostgresStore
    private var connection: Connection?
    /// Time of the newest read, from the database.
    private var now = Instant(microseconds: 0)

    init(_ store: PostgresStore, _ connection: Connection) {
        self.store = store
        self.connection = connection
    }

    /// How many unknown commits there had been when this connection last proved, by a write of its
    /// own, that what it reads is durable. Nil before it did.
    private var provenAfter: Int?

    /// One statement in a transaction of its own. A connection that was lost since the last read is
    /// replaced once: reading twice does no harm.
    private func read<Value>(
        _ statement: PreparedStatement, _ parameters: Parameters,
        _ body: (QueryResult) throws(PostgresError) -> Value
    ) throws(StoreError) -> Value {
        do throws(PostgresError) {
            do throws(PostgresError) { return try attempt(statement, parameters, body) } catch {
                connection = nil
                provenAfter = nil
                guard error.isConnectionLost else { throw error }
                return try attempt(statement, parameters, body)
            }
        } catch { throw error.storeError }
    }

    private func attempt<Value>(
        _ statement: PreparedStatement, _ parameters: Parameters,
        _ body: (QueryResult) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        let connection = try connected()
        let unknowns = store.unknowns
        connection.deadline = store.deadline()
        var settings = Parameters()
        settings.add("0")
        try connection.send(Statements.beginReading)
        try connection.send(Statements.settings, settings)
        try connection.send(Statements.clock)
        try connection.send(statement, parameters)
        try connection.send(Statements.commit)
        try connection.sendSynchronisation()
        try connection.receive()
        try connection.receive()
        now = store.time(try connection.receive().first { $0.instant(0) } ?? now)
        let result = try connection.receive()
        let value = try body(result)
        try connection.receive()
        try connection.receiveSynchronisation()
        if result.count > 0, provenAfter != unknowns {
            try prove(connection)
            provenAfter = unknowns
        }
        return value
    }

    /// A row can be seen before the standby has it. A write after it, which is acknowledged only
    /// when the standby has that, proves that it has the row too.
    private func prove(_ connection: Connection) throws(PostgresError) {
        connection.deadline = store.deadline()
        connection.forgetWarnings()
        var settings = Parameters()
        settings.add(String(store.environment.answerMilliseconds))
        try connection.send(Statements.begin)
        try connection.send(Statements.settings, settings)
        try connection.send(Statements.writeProof)
        try connection.send(Statements.commit)
        try connection.sendSynchronisation()
        for _ in 0..<3 { try connection.receive() }
        let tag = try connection.receive().commandTag
        try connection.receiveSynchronisation()
        guard tag == "COMMIT", connection.warnings == 0 else {
            throw PostgresError(
                operation: "prove", cause: .connection,
                message: "answered \(tag) with \(connection.warnings) warnings")
        }
    }

    private func connected() throws(PostgresError) -> Connection {
        if let connection { return connection }
        let made = try store.connect()
        connection = made
        return made
    }

    func transfer(of intent: IntentID) throws(StoreError) -> TransferView? {
        try read(ReadStatements.transferOfKey, Self.parameters(intent)) {
            result throws(PostgresError) in try self.view(result)
        }
    }

    func transfer(
        _ id: TransferID, of customer: CustomerID
    ) throws(StoreError) -> TransferView? {
        var parameters = Parameters()
        parameters.add(customer.text)
        parameters.add(id.uuid)
        return try read(ReadStatements.transferByID, parameters) {
            result throws(PostgresError) in try self.view(result)
        }
    }

    /// One row for each event, newest first.
    private func view(_ result: QueryResult) throws(PostgresError) -> TransferView? {
        var transfer: TransferRow?
        var received: Instant?
        var history: [TransferView.HistoryEntry] = []
        try result.eachRow { row throws(PostgresError) in
            if transfer == nil {
                transfer = try row.transfer()
                received = row.optionalInstant(Columns.transferCount)
            }
            history.append(
                TransferView.HistoryEntry(
                    state: try row.value(Columns.transferCount + 1, as: TransferState.self),
                    at: row.instant(Columns.transferCount + 2)))
        }
        guard let transfer else { return nil }
        return TransferView(
            transfer: transfer, history: history.reversed(),
            firstReceivedAt: received ?? transfer.createdAt, asOf: now)
    }

    func outcome(
        of intent: IntentID
    ) throws(StoreError) -> (outcome: StoredOutcome, transfer: TransferRow?)? {
        try read(ReadStatements.outcome, Self.parameters(intent)) {
            result throws(PostgresError) in
            try result.first { row throws(PostgresError) in
                (
                    try row.outcome(from: Columns.transferCount),
                    row.isNull(0) ? nil : try row.transfer()
                )
            }
        }
    }

    func revocation(of intent: IntentID) throws(StoreError) -> RevocationView? {
        try read(ReadStatements.revocation, Self.parameters(intent)) {
            result throws(PostgresError) in
            result.first {
                RevocationView(firstReceivedAt: $0.instant(0), revokedAt: $0.instant(1))
            }
        }
    }

    /// With a filter, a call looks at no more than so many transfers.
    private static let filteredRows = 1000

    func transfers(
        of customer: CustomerID, before: Int64, states: UInt16, limit: Int
    ) throws(StoreError) -> TransferPage {
        let rows = states == 0 ? limit + 1 : Self.filteredRows
        var parameters = Parameters()
        parameters.add(customer.text)
        parameters.add(before)
        parameters.add(Int64(rows))
        return try read(ReadStatements.list, parameters) { result throws(PostgresError) in
            var found: [TransferRow] = []
            var newest = before
            var next: Int64?
            try result.eachRow { row throws(PostgresError) in
                guard next == nil else { return }
                let transfer = try row.transfer()
                if states == 0 || states & transfer.state.bit != 0 {
                    // One more than asked for: there is a next page, after the last one kept.
                    if found.count == limit {
                        next = newest
                        return
                    }
                    found.append(transfer)
                }
                newest = row.integer(Columns.transferCount)
            }
            if next == nil, states != 0, result.count == rows { next = newest }
            return TransferPage(transfers: found, next: next)
        }
    }

    func accounts(of customer: CustomerID) throws(StoreError) -> [AccountRow] {
        var parameters = Parameters()
        parameters.add(customer.text)
        return try read(ReadStatements.accounts, parameters) { result throws(PostgresError) in
            var found: [AccountRow] = []
            try result.eachRow { row throws(PostgresError) in found.append(try row.account()) }
            return found
        }
    }

    func account(
        _ id: AccountID, of customer: CustomerID
    ) throws(StoreError) -> AccountRow? {
        var parameters = Parameters()
        parameters.add(customer.text)
        parameters.add(id.uuid)
        return try read(ReadStatements.account, parameters) { result throws(PostgresError) in
            try result.first { row throws(PostgresError) in try row.account() }
        }
    }

    func pendingBookings(
        after: Int64, limit: Int
    ) throws(StoreError) -> [PendingBooking] {
        var parameters = Parameters()
        parameters.add(after)
        parameters.add(Int64(limit))
        return try read(ReadStatements.bookings, parameters) { result throws(PostgresError) in
            var found: [PendingBooking] = []
            try result.eachRow { row throws(PostgresError) in
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
        try read(ReadStatements.revocations, .none) { result throws(PostgresError) in
            var found: [(kind: Int64, value: String, at: Instant)] = []
            result.eachRow { row in
                found.append((row.integer(0), row.text(1), row.instant(2)))
            }
            return found
        }
    }

    func hasRetirable(before instant: Instant) throws(StoreError) -> Bool {
        var parameters = Parameters()
        parameters.add(instant)
        return try read(WriteStatements.retirable, parameters) { result throws(PostgresError) in
            result.count > 0
        }
    }

    private static func parameters(_ intent: IntentID) -> Parameters {
        var parameters = Parameters()
        parameters.add(intent.customer.text)
        parameters.add(intent.key.uuid)
        return parameters
    }
}
