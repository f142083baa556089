import Crypto
import Ledger
import Platform
import Store

/// Writes a plan's rows inside its transaction: each row once, in its final form, and one update
/// for each account however many postings it got.
final class RowWriter {
    private let customer: Statement
    private let account: Statement
    private let directory: Statement
    private let outcome: Statement
    private let transfer: Statement
    private let posting: Statement
    private let outbox: Statement
    private let event: Statement
    private let credit: Statement
    private let changedAccount: Statement
    private let changedTransfer: Statement
    private let finishedOutbox: Statement
    private let changedCustomer: Statement
    private let retirement: Retirement

    init(_ connection: Connection) throws(SQLiteError) {
        customer = try connection.prepare(
            "INSERT INTO customers (customer_id, restricted, created_at) VALUES (?, 0, ?)")
        account = try connection.prepare(
            """
            INSERT INTO accounts (customer_id, account_id, iban, currency, per_transfer_limit,
                                  daily_limit, opened_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        directory = try connection.prepare(
            "INSERT INTO account_ibans (iban, customer_id, account_id) VALUES (?, ?, ?)")
        outcome = try connection.prepare(
            """
            INSERT INTO outcomes (customer_id, idempotency_key, kind, fingerprint,
                                  fingerprint_version, transfer_id, status_code, content_type,
                                  body, received_at, committed_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        transfer = try connection.prepare(
            """
            INSERT INTO transfers (transfer_id, customer_id, idempotency_key, state, reason,
                                   debtor_iban, debtor_account_id, currency, amount,
                                   creditor_iban, creditor_name, remittance_information,
                                   end_to_end_identification, confirmed_at, request_id,
                                   business_day, posting_id, last_sequence, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        posting = try connection.prepare(
            """
            INSERT INTO postings (posting_id, customer_id, entry_id, ledger_account, account_id,
                                  currency, amount, previous_posting_id, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        outbox = try connection.prepare(
            "INSERT INTO outbox (customer_id, transfer_id, connector) VALUES (?, ?, ?)")
        event = try connection.prepare(
            """
            INSERT INTO events (customer_id, sequence, transfer_id, state, previous_sequence, at)
            VALUES (?, ?, ?, ?, ?, ?)
            """)
        credit = try connection.prepare(
            """
            INSERT INTO credits (customer_id, transfer_id, account_id, decision, reason,
                                 posting_id, decided_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        changedAccount = try connection.prepare(
            """
            UPDATE accounts SET status = ?, balance = ?, per_transfer_limit = ?, daily_limit = ?,
                                usage_day = ?, used_today = ?, last_posting_id = ?
            WHERE customer_id = ? AND account_id = ?
            """)
        changedTransfer = try connection.prepare(
            """
            UPDATE transfers SET state = ?, reason = ?, return_posting_id = ?, last_sequence = ?,
                                 updated_at = ?
            WHERE transfer_id = ?
            """)
        changedCustomer = try connection.prepare(
            "UPDATE customers SET restricted = ? WHERE customer_id = ?")
        retirement = try Retirement(connection)
        // The id of a row that is gone is given out again, so a late repetition may name the row of
        // a newer transfer, which has not ended.
        finishedOutbox = try connection.prepare(
            """
            DELETE FROM outbox WHERE outbox_id = ? AND EXISTS (
                SELECT 1 FROM transfers AS t
                WHERE t.transfer_id = outbox.transfer_id AND t.state > 3 AND t.state <> 6)
            """)
    }

    func write(
        _ plan: Plan, _ rendered: [StoredOutcome?], _ commands: [Command], at now: Instant
    ) throws(SQLiteError) {
        for id in plan.newCustomers {
            customer.bind(1, id)
            customer.bind(2, now)
            try customer.run()
        }
        for row in plan.newAccounts { try insert(row, now) }
        for (row, command) in zip(rendered, commands) {
            guard let row, let intent = command.intent else { continue }
            try insert(row, intent, now)
        }
        for row in plan.transfers { try insert(row) }
        for row in plan.postings { try insert(row, now) }
        for row in plan.outbox {
            outbox.bind(1, row.customer)
            outbox.bind(2, row.transfer.uuid)
            outbox.bind(3, row.connector.rawValue)
            try outbox.run()
        }
        for row in plan.events { try insert(row, now) }
        for row in plan.credits { try insert(row, now) }
        for row in plan.changedTransfers.values { try update(row) }
        // In id order, as every store takes its locks.
        for id in plan.changedAccounts.keys.sorted() { try update(plan.changedAccounts[id]!) }
        for (id, row) in plan.changedCustomers {
            changedCustomer.bind(1, row.restricted ? 1 : 0 as Int64)
            changedCustomer.bind(2, id)
            try changedCustomer.run()
        }
        for command in plan.retirements { try retirement.run(command) }
        for id in plan.finishedOutbox {
            finishedOutbox.bind(1, id)
            try finishedOutbox.run()
        }
    }

    private func insert(_ row: AccountRow, _ now: Instant) throws(SQLiteError) {
        account.bind(1, row.customer)
        account.bind(2, row.id.uuid)
        account.bind(3, row.iban)
        account.bind(4, row.currency.description)
        account.bind(5, row.perTransferLimit)
        account.bind(6, row.dailyLimit)
        account.bind(7, now)
        try account.run()
        directory.bind(1, row.iban)
        directory.bind(2, row.customer)
        directory.bind(3, row.id.uuid)
        try directory.run()
    }

    private func insert(
        _ row: StoredOutcome, _ intent: IntentID, _ now: Instant
    ) throws(SQLiteError) {
        outcome.bind(1, intent.customer)
        outcome.bind(2, intent.key.uuid)
        outcome.bind(3, row.kind.rawValue)
        outcome.bind(4, row.fingerprint?.digest)
        outcome.bind(5, row.fingerprint.map { Int64($0.version) })
        outcome.bind(6, row.transfer?.uuid)
        outcome.bind(7, Int64(row.statusCode))
        outcome.bind(8, row.contentType.rawValue)
        outcome.bind(9, row.body)
        outcome.bind(10, row.receivedAt)
        outcome.bind(11, now)
        try outcome.run()
    }

    private func insert(_ row: TransferRow) throws(SQLiteError) {
        transfer.bind(1, row.id.uuid)
        transfer.bind(2, row.intent.customer)
        transfer.bind(3, row.intent.key.uuid)
        transfer.bind(4, Int64(row.state.rawValue))
        transfer.bind(5, row.rejection.map { Int64($0.rawValue) })
        transfer.bind(6, row.debtorIBAN)
        transfer.bind(7, row.debtorAccount?.uuid)
        transfer.bind(8, row.money.currency.description)
        transfer.bind(9, row.money.minorUnits)
        transfer.bind(10, row.creditorIBAN)
        transfer.bind(11, row.creditorName)
        transfer.bind(12, row.remittanceInformation)
        transfer.bind(13, row.endToEndIdentification)
        transfer.bind(14, row.confirmedAt?.microseconds)
        transfer.bind(15, row.requestID)
        transfer.bind(16, row.businessDay)
        transfer.bind(17, row.posting)
        transfer.bind(18, row.lastSequence)
        transfer.bind(19, row.createdAt)
        transfer.bind(20, row.updatedAt)
        try transfer.run()
    }

    private func insert(_ row: PostingRow, _ now: Instant) throws(SQLiteError) {
        posting.bind(1, row.id)
        posting.bind(2, row.customer)
        posting.bind(3, row.entry)
        posting.bind(4, row.ledgerAccount.code)
        if case .customer(let id) = row.ledgerAccount {
            posting.bind(5, id.uuid)
        } else {
            posting.bind(5, nil as UUID128?)
        }
        posting.bind(6, row.currency.description)
        posting.bind(7, row.amount)
        posting.bind(8, row.previous)
        posting.bind(9, now)
        try posting.run()
    }

    private func insert(_ row: EventRow, _ now: Instant) throws(SQLiteError) {
        event.bind(1, row.customer)
        event.bind(2, row.sequence)
        event.bind(3, row.transfer.uuid)
        event.bind(4, Int64(row.state.rawValue))
        event.bind(5, row.previous)
        event.bind(6, now)
        try event.run()
    }

    private func insert(_ row: CreditRow, _ now: Instant) throws(SQLiteError) {
        credit.bind(1, row.payee)
        credit.bind(2, row.transfer.uuid)
        credit.bind(3, row.account.uuid)
        switch row.decision {
        case .credited:
            credit.bind(4, 1 as Int64)
            credit.bind(5, nil as Int64?)
        case .refused(let reason):
            credit.bind(4, 2 as Int64)
            credit.bind(5, reason.rawValue)
        }
        credit.bind(6, row.posting)
        credit.bind(7, now)
        try credit.run()
    }

    private func update(_ row: TransferRow) throws(SQLiteError) {
        changedTransfer.bind(1, Int64(row.state.rawValue))
        changedTransfer.bind(2, row.returned?.rawValue)
        changedTransfer.bind(3, row.returnPosting)
        changedTransfer.bind(4, row.lastSequence)
        changedTransfer.bind(5, row.updatedAt)
        changedTransfer.bind(6, row.id.uuid)
        try changedTransfer.run()
    }

    private func update(_ row: AccountRow) throws(SQLiteError) {
        changedAccount.bind(1, row.status.rawValue)
        changedAccount.bind(2, row.balance)
        changedAccount.bind(3, row.perTransferLimit)
        changedAccount.bind(4, row.dailyLimit)
        changedAccount.bind(5, row.usageDay)
        changedAccount.bind(6, row.usedToday)
        changedAccount.bind(7, row.lastPosting)
        changedAccount.bind(8, row.customer)
        changedAccount.bind(9, row.id.uuid)
        try changedAccount.run()
    }
}
