import Crypto
import Ledger
import Platform
import Store

/// Sends a plan's rows: one statement for each table, one update for each account however many
/// postings it got. Counts what it sent, so that as many answers can be taken.
final class RowWriter {
    private let connection: Connection
    private let now: Instant
    private(set) var sent = 0

    init(_ connection: Connection, at now: Instant) {
        self.connection = connection
        self.now = now
    }

    func send(
        _ plan: Plan, _ rendered: [StoredOutcome?], _ commands: [Command]
    ) throws(PostgresError) {
        // In the order of ids: who inserts the same customer waits for the first to commit.
        try send(WriteStatements.customers, plan.newCustomers.sorted()) { rows, parameters in
            parameters.texts(rows) { $0.text }
            parameters.add(now)
        }
        try send(plan.newAccounts)
        try send(rendered, commands)
        try send(plan.transfers)
        try send(plan.postings)
        try send(WriteStatements.outbox, plan.outbox) { rows, parameters in
            parameters.texts(rows) { $0.customer.text }
            parameters.uuids(rows) { $0.transfer.uuid }
            parameters.smallints(rows) { Int16($0.connector.rawValue) }
        }
        try send(WriteStatements.events, plan.events) { rows, parameters in
            parameters.texts(rows) { $0.customer.text }
            parameters.bigints(rows) { $0.sequence }
            parameters.uuids(rows) { $0.transfer.uuid }
            parameters.smallints(rows) { $0.state.rawValue }
            parameters.bigints(rows) { $0.previous }
            parameters.add(now)
        }
        try send(plan.credits)
        try send(changed: Array(plan.changedTransfers.values))
        try send(changed: plan.changedAccounts.values.sorted { $0.id < $1.id })
        try send(WriteStatements.changedCustomers, Array(plan.changedCustomers)) {
            rows, parameters in
            parameters.texts(rows) { $0.key.text }
            parameters.smallints(rows) { $0.value.restricted ? 1 : 0 }
        }
        for command in plan.retirements {
            var parameters = Parameters()
            parameters.add(command.before)
            parameters.add(Int64(command.limit))
            try send(WriteStatements.retire, parameters)
        }
        try sendFinished(plan.finishedOutbox, commands)
    }

    /// A write although nothing was to be written.
    func sendProof() throws(PostgresError) { try send(Statements.writeProof, .none) }

    private func send(
        _ statement: PreparedStatement, _ parameters: Parameters
    ) throws(PostgresError) {
        try connection.send(statement, parameters)
        sent += 1
    }

    private func send<Rows: Collection>(
        _ statement: PreparedStatement, _ rows: Rows, _ columns: (Rows, inout Parameters) -> Void
    ) throws(PostgresError) {
        if rows.isEmpty { return }
        var parameters = Parameters(capacity: 512 + 512 * rows.count)
        columns(rows, &parameters)
        try send(statement, parameters)
    }

    private func send(_ accounts: [AccountRow]) throws(PostgresError) {
        try send(WriteStatements.accounts, accounts) { rows, parameters in
            parameters.texts(rows) { $0.customer.text }
            parameters.uuids(rows) { $0.id.uuid }
            parameters.texts(rows) { $0.iban.text }
            parameters.texts(rows) { $0.currency.description }
            parameters.bigints(rows) { $0.perTransferLimit }
            parameters.bigints(rows) { $0.dailyLimit }
            parameters.add(now)
        }
        try send(WriteStatements.directory, accounts) { rows, parameters in
            parameters.texts(rows) { $0.iban.text }
            parameters.texts(rows) { $0.customer.text }
            parameters.uuids(rows) { $0.id.uuid }
        }
    }

    private struct OutcomeRow {
        let intent: IntentID
        let outcome: StoredOutcome
    }

    private func send(
        _ rendered: [StoredOutcome?], _ commands: [Command]
    ) throws(PostgresError) {
        let rows = rendered.indices.compactMap { index -> OutcomeRow? in
            guard let outcome = rendered[index], let intent = commands[index].intent else {
                return nil
            }
            return OutcomeRow(intent: intent, outcome: outcome)
        }
        try send(WriteStatements.outcomes, rows) { rows, parameters in
            parameters.texts(rows) { $0.intent.customer.text }
            parameters.uuids(rows) { $0.intent.key.uuid }
            parameters.smallints(rows) { Int16($0.outcome.kind.rawValue) }
            parameters.digests(rows) { $0.outcome.fingerprint?.digest }
            parameters.smallints(rows) { $0.outcome.fingerprint?.version }
            parameters.uuids(rows) { $0.outcome.transfer?.uuid }
            parameters.smallints(rows) { Int16(clamping: $0.outcome.statusCode) }
            parameters.smallints(rows) { Int16($0.outcome.contentType.rawValue) }
            parameters.blobs(rows) { $0.outcome.body }
            parameters.timestamps(rows) { $0.outcome.receivedAt }
            parameters.add(now)
        }
    }

    private func send(_ transfers: [TransferRow]) throws(PostgresError) {
        try send(WriteStatements.transfers, transfers) { rows, parameters in
            parameters.texts(rows) { $0.intent.customer.text }
            parameters.uuids(rows) { $0.id.uuid }
            parameters.uuids(rows) { $0.intent.key.uuid }
            parameters.smallints(rows) { $0.state.rawValue }
            parameters.smallints(rows) { $0.rejection?.rawValue }
            parameters.texts(rows) { $0.debtorIBAN.text }
            parameters.uuids(rows) { $0.debtorAccount?.uuid }
            parameters.texts(rows) { $0.money.currency.description }
            parameters.bigints(rows) { $0.money.minorUnits }
            parameters.texts(rows) { $0.creditorIBAN.text }
            parameters.texts(rows) { $0.creditorName }
            parameters.texts(rows) { $0.remittanceInformation }
            parameters.texts(rows) { $0.endToEndIdentification }
            parameters.timestamps(rows) { $0.confirmedAt }
            parameters.texts(rows) { $0.requestID }
            parameters.dates(rows) { $0.businessDay }
            parameters.bigints(rows) { $0.posting }
            parameters.bigints(rows) { $0.lastSequence }
            parameters.add(now)
        }
    }

    private func send(_ postings: [PostingRow]) throws(PostgresError) {
        try send(WriteStatements.postings, postings) { rows, parameters in
            parameters.texts(rows) { $0.customer.text }
            parameters.bigints(rows) { $0.id }
            parameters.uuids(rows) { $0.entry }
            parameters.smallints(rows) { Int16($0.ledgerAccount.code) }
            parameters.uuids(rows) { row in
                if case .customer(let id) = row.ledgerAccount { id.uuid } else { nil }
            }
            parameters.texts(rows) { $0.currency.description }
            parameters.bigints(rows) { $0.amount }
            parameters.bigints(rows) { $0.previous }
            parameters.add(now)
        }
    }

    private func send(_ credits: [CreditRow]) throws(PostgresError) {
        try send(WriteStatements.credits, credits) { rows, parameters in
            parameters.texts(rows) { $0.payee.text }
            parameters.uuids(rows) { $0.transfer.uuid }
            parameters.uuids(rows) { $0.account.uuid }
            parameters.smallints(rows) { $0.decision == .credited ? 1 : 2 }
            parameters.smallints(rows) { row in
                if case .refused(let reason) = row.decision { Int16(reason.rawValue) } else { nil }
            }
            parameters.bigints(rows) { $0.posting }
            parameters.add(now)
        }
    }

    private func send(changed transfers: [TransferRow]) throws(PostgresError) {
        try send(WriteStatements.changedTransfers, transfers) { rows, parameters in
            parameters.texts(rows) { $0.intent.customer.text }
            parameters.uuids(rows) { $0.id.uuid }
            parameters.smallints(rows) { $0.state.rawValue }
            parameters.smallints(rows) { $0.returned.map { Int16($0.rawValue) } }
            parameters.bigints(rows) { $0.returnPosting }
            parameters.bigints(rows) { $0.lastSequence }
            parameters.timestamps(rows) { $0.updatedAt }
        }
    }

    private func send(changed accounts: [AccountRow]) throws(PostgresError) {
        try send(WriteStatements.changedAccounts, accounts) { rows, parameters in
            parameters.texts(rows) { $0.customer.text }
            parameters.uuids(rows) { $0.id.uuid }
            parameters.smallints(rows) { Int16($0.status.rawValue) }
            parameters.bigints(rows) { $0.balance }
            parameters.bigints(rows) { $0.perTransferLimit }
            parameters.bigints(rows) { $0.dailyLimit }
            parameters.dates(rows) { $0.usageDay }
            parameters.bigints(rows) { $0.usedToday }
            parameters.bigints(rows) { $0.lastPosting }
        }
    }

    /// An outbox row is its transfer's payer's.
    private func sendFinished(
        _ finished: [Int64], _ commands: [Command]
    ) throws(PostgresError) {
        if finished.isEmpty { return }
        let ids = Set(finished)
        var rows: [Int64: CustomerID] = [:]
        for case .conclude(let command) in commands where ids.contains(command.outboxID) {
            rows[command.outboxID] = command.payer
        }
        try send(WriteStatements.finishedOutbox, rows) { rows, parameters in
            parameters.texts(rows) { $0.value.text }
            parameters.bigints(rows) { $0.key }
        }
    }
}
