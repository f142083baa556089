import Crypto
import Ledger
import Platform
import Store

/// Reads the rows that a batch touches, inside its transaction.
final class BatchLoader {
    private let outcome: Statement
    private let customer: Statement
    private let sequence: Statement
    private let directory: Statement
    private let account: Statement
    private let blocked: Statement
    private let anyBlocked: Statement
    private let transfer: Statement
    private let credit: Statement
    private let newestPosting: Statement

    init(_ connection: Connection) throws(SQLiteError) {
        outcome = try connection.prepare(SQL.selectOutcome)
        customer = try connection.prepare(
            "SELECT restricted FROM customers WHERE customer_id = ?")
        sequence = try connection.prepare(
            "SELECT sequence FROM events WHERE customer_id = ? ORDER BY sequence DESC LIMIT 1")
        directory = try connection.prepare(
            "SELECT customer_id, account_id FROM account_ibans WHERE iban = ?")
        account = try connection.prepare(
            SQL.selectAccount + " WHERE customer_id = ? AND account_id = ?")
        blocked = try connection.prepare("SELECT 1 FROM blocked_beneficiaries WHERE iban = ?")
        anyBlocked = try connection.prepare("SELECT 1 FROM blocked_beneficiaries LIMIT 1")
        transfer = try connection.prepare(SQL.selectTransfer + " WHERE transfer_id = ?")
        credit = try connection.prepare(
            """
            SELECT account_id, decision, reason, posting_id FROM credits
            WHERE customer_id = ? AND transfer_id = ?
            """)
        newestPosting = try connection.prepare("SELECT max(posting_id) FROM postings")
    }

    func load(_ commands: [Command]) throws(SQLiteError) -> LoadedBatch {
        var loaded = LoadedBatch()
        let newest = try newestPosting.first { $0.optionalInteger(0) } ?? 0
        // Pairs begin at odd ids.
        loaded.rows.nextPosting = newest + 1
        let blocking = try anyBlocked.first { _ in true } ?? false
        for command in commands {
            switch command {
            case .transfer(let command): try load(command, blocking: blocking, &loaded)
            case .revoke(let command):
                if try !loadOutcome(of: command.id, content: nil, &loaded) {
                    try load(customer: command.id.customer, &loaded)
                }
            case .credit(let command):
                try load(
                    DirectoryEntry(customer: command.payee, account: command.account), &loaded)
                try loadCredit(command, &loaded)
            case .conclude(let command): try load(command, &loaded)
            case .openAccount(let command):
                try load(customer: command.customer, &loaded)
                try load(directory: command.iban, &loaded)
            case .setAccountStatus(let command): try load(accountOf: command.iban, &loaded)
            case .setAccountLimits(let command): try load(accountOf: command.iban, &loaded)
            case .restrictCustomer(let command): try load(customer: command.customer, &loaded)
            case .retire, .probe: break
            }
        }
        return loaded
    }

    private func load(
        _ command: TransferCommand, blocking: Bool, _ loaded: inout LoadedBatch
    ) throws(SQLiteError) {
        if try loadOutcome(of: command.id, content: command.intent, &loaded) { return }
        let customer = command.id.customer
        try load(customer: customer, &loaded)
        try load(sequenceOf: customer, &loaded)
        if let debtor = try load(directory: command.intent.debtorIBAN, &loaded),
            debtor.customer == customer
        {
            try load(debtor, &loaded)
        }
        let creditor = command.intent.creditorIBAN
        _ = try load(directory: creditor, &loaded)
        if blocking {
            blocked.bind(1, creditor)
            if try blocked.first({ _ in true }) ?? false { loaded.rows.blocked.insert(creditor) }
        }
    }

    private func loadOutcome(
        of id: IntentID, content: SubmittedIntent?, _ loaded: inout LoadedBatch
    ) throws(SQLiteError) -> Bool {
        outcome.bind(1, id.customer)
        outcome.bind(2, id.key.uuid)
        let found = try outcome.first { row throws(SQLiteError) in try row.outcome() }
        guard let found else { return false }
        loaded.outcomes[id] = found
        if found.body.isEmpty, let transferID = found.transfer {
            transfer.bind(1, transferID.uuid)
            loaded.retired[id] = try transfer.first { row throws(SQLiteError) in
                try row.transfer()
            }
        }
        // An earlier command of this batch may have needed it, whatever this one says.
        var original = loaded.rows.outcomes[id]?.original
        if original == nil, let content, let fingerprint = found.fingerprint,
            let first = found.transfer,
            content.fingerprint(version: fingerprint.version) != fingerprint
        {
            transfer.bind(1, first.uuid)
            original = try transfer.first { row throws(SQLiteError) in
                try row.transfer().submitted
            }
        }
        loaded.rows.outcomes[id] = KnownOutcome(
            kind: found.kind, source: .stored, fingerprint: found.fingerprint,
            transfer: found.transfer, receivedAt: found.receivedAt, original: original)
        return true
    }

    private func load(customer id: CustomerID, _ loaded: inout LoadedBatch) throws(SQLiteError) {
        guard loaded.rows.customers[id] == nil else { return }
        customer.bind(1, id)
        loaded.rows.customers[id] = try customer.first {
            CustomerRow(restricted: $0.integer(0) != 0)
        }
    }

    private func load(sequenceOf id: CustomerID, _ loaded: inout LoadedBatch) throws(SQLiteError) {
        guard loaded.rows.sequences[id] == nil else { return }
        sequence.bind(1, id)
        loaded.rows.sequences[id] = try sequence.first { $0.integer(0) }
    }

    @discardableResult
    private func load(
        directory iban: IBAN, _ loaded: inout LoadedBatch
    ) throws(SQLiteError) -> DirectoryEntry? {
        if let entry = loaded.rows.directory[iban] { return entry }
        directory.bind(1, iban)
        let entry = try directory.first { row throws(SQLiteError) in
            DirectoryEntry(customer: try row.customer(0), account: AccountID(try row.uuid(1)))
        }
        loaded.rows.directory[iban] = entry
        return entry
    }

    private func load(accountOf iban: IBAN, _ loaded: inout LoadedBatch) throws(SQLiteError) {
        guard let entry = try load(directory: iban, &loaded) else { return }
        try load(entry, &loaded)
    }

    private func load(_ entry: DirectoryEntry, _ loaded: inout LoadedBatch) throws(SQLiteError) {
        guard loaded.rows.accounts[entry.account] == nil else { return }
        account.bind(1, entry.customer)
        account.bind(2, entry.account.uuid)
        loaded.rows.accounts[entry.account] = try account.first { row throws(SQLiteError) in
            try row.account()
        }
    }

    private func loadCredit(
        _ command: CreditCommand, _ loaded: inout LoadedBatch
    ) throws(SQLiteError) {
        credit.bind(1, command.payee)
        credit.bind(2, command.transfer.uuid)
        let id = CreditID(payee: command.payee, transfer: command.transfer)
        loaded.rows.credits[id] = try credit.first { row throws(SQLiteError) in
            CreditRow(
                payee: command.payee, account: AccountID(try row.uuid(0)),
                transfer: command.transfer, decision: try row.creditDecision(1, reason: 2),
                posting: row.optionalInteger(3))
        }
    }

    private func load(_ command: ConcludeCommand, _ loaded: inout LoadedBatch) throws(SQLiteError) {
        try load(sequenceOf: command.payer, &loaded)
        transfer.bind(1, command.transfer.uuid)
        let row = try transfer.first { row throws(SQLiteError) in try row.transfer() }
        guard let row else { return }
        loaded.rows.transfers[row.id] = row
        if let account = row.debtorAccount {
            try load(DirectoryEntry(customer: row.intent.customer, account: account), &loaded)
        }
    }
}
