import Crypto
import Ledger
import Platform
import Store

/// Reads the rows that a batch touches, inside its transaction.
///
/// Customers, accounts and the directory are kept for the next batch, as the planner left them:
/// whatever this connection commits, the planner has put there. What another connection commits,
/// SQLite tells by its data version, and then everything is read again.
final class BatchLoader {
    /// Rows that are kept; beyond them, all are read again.
    private static let keptAccounts = 16_384
    private static let keptForeignIBANs = 65_536

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
    private let underWay: Statement
    private let dataVersion: Statement

    /// Read for this batch or kept from earlier ones; the planner changes it.
    var rows = LoadedRows()
    /// IBANs that are not in the directory, unless `rows` has them by now.
    private var foreign: Set<IBAN> = []
    /// Whether any beneficiary is blocked.
    private var blocking = false
    /// Of which state of the database `rows` is; nil when it is of none.
    private var version: Int64?

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
        dataVersion = try connection.prepare("PRAGMA data_version")
        // By the customer's own events: the outbox has no index for this, and pays for none.
        underWay = try connection.prepare(
            """
            SELECT count(*) FROM events AS e JOIN transfers AS t ON t.transfer_id = e.transfer_id
            WHERE e.customer_id = ? AND e.previous_sequence IS NULL
              AND t.debtor_account_id = ? AND t.state IN (1, 2, 3, 6)
            """)
    }

    /// Drops what is kept: the batch that `rows` tells of was not committed.
    func forget() { version = nil }

    /// Fills `rows` with everything that `commands` touch.
    func load(_ commands: [Command]) throws(SQLiteError) -> LoadedOutcomes {
        try begin()
        var loaded = LoadedOutcomes()
        for command in commands {
            switch command {
            case .transfer(let command): try load(command, &loaded)
            case .revoke(let command):
                if try !loadOutcome(of: command.id, content: nil, &loaded) {
                    try load(customer: command.id.customer)
                }
            case .credit(let command):
                try load(DirectoryEntry(customer: command.payee, account: command.account))
                try loadCredit(command)
            case .conclude(let command): try load(command)
            case .openAccount(let command):
                try load(customer: command.customer)
                try load(directory: command.iban)
            case .setAccountStatus(let command):
                try load(accountOf: command.iban)
                if command.status == .closed { try load(underWayOf: command.iban) }
            case .setAccountLimits(let command): try load(accountOf: command.iban)
            case .restrictCustomer(let command): try load(customer: command.customer)
            case .retire, .probe: break
            }
        }
        return loaded
    }

    /// Starts with what is kept, if that is still what the database holds.
    private func begin() throws(SQLiteError) {
        let current = try dataVersion.first { $0.integer(0) }
        if version == nil || version != current || rows.accounts.count > Self.keptAccounts
            || rows.customers.count > Self.keptAccounts || foreign.count > Self.keptForeignIBANs
        {
            rows = LoadedRows()
            foreign.removeAll()
            // Pairs begin at odd ids.
            rows.nextPosting = (try newestPosting.first { $0.optionalInteger(0) } ?? 0) + 1
            blocking = try anyBlocked.first { _ in true } ?? false
            version = current
        } else {
            rows.outcomes.removeAll(keepingCapacity: true)
            rows.blocked.removeAll()
            rows.transfers.removeAll()
            rows.credits.removeAll()
            rows.underWay.removeAll()
        }
    }

    private func load(
        _ command: TransferCommand, _ loaded: inout LoadedOutcomes
    ) throws(SQLiteError) {
        if try loadOutcome(of: command.id, content: command.intent, &loaded) { return }
        let customer = command.id.customer
        try load(customer: customer)
        try load(sequenceOf: customer)
        if let debtor = try load(directory: command.intent.debtorIBAN),
            debtor.customer == customer
        {
            try load(debtor)
        }
        let creditor = command.intent.creditorIBAN
        _ = try load(directory: creditor)
        if blocking {
            blocked.bind(1, creditor)
            if try blocked.first({ _ in true }) ?? false { rows.blocked.insert(creditor) }
        }
    }

    private func loadOutcome(
        of id: IntentID, content: SubmittedIntent?, _ loaded: inout LoadedOutcomes
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
        var original = rows.outcomes[id]?.original
        if original == nil, let content, let fingerprint = found.fingerprint,
            let first = found.transfer,
            content.fingerprint(version: fingerprint.version) != fingerprint
        {
            transfer.bind(1, first.uuid)
            original = try transfer.first { row throws(SQLiteError) in
                try row.transfer().submitted
            }
        }
        rows.outcomes[id] = KnownOutcome(
            kind: found.kind, source: .stored, fingerprint: found.fingerprint,
            transfer: found.transfer, receivedAt: found.receivedAt, original: original)
        return true
    }

    private func load(customer id: CustomerID) throws(SQLiteError) {
        guard rows.customers[id] == nil else { return }
        customer.bind(1, id)
        rows.customers[id] = try customer.first {
            CustomerRow(restricted: $0.integer(0) != 0)
        }
    }

    private func load(sequenceOf id: CustomerID) throws(SQLiteError) {
        guard rows.sequences[id] == nil else { return }
        sequence.bind(1, id)
        rows.sequences[id] = try sequence.first { $0.integer(0) }
    }

    @discardableResult
    private func load(directory iban: IBAN) throws(SQLiteError) -> DirectoryEntry? {
        if let entry = rows.directory[iban] { return entry }
        if foreign.contains(iban) { return nil }
        directory.bind(1, iban)
        let entry = try directory.first { row throws(SQLiteError) in
            DirectoryEntry(customer: try row.customer(0), account: AccountID(try row.uuid(1)))
        }
        if let entry { rows.directory[iban] = entry } else { foreign.insert(iban) }
        return entry
    }

    private func load(accountOf iban: IBAN) throws(SQLiteError) {
        guard let entry = try load(directory: iban) else { return }
        try load(entry)
    }

    private func load(underWayOf iban: IBAN) throws(SQLiteError) {
        guard let entry = rows.directory[iban] else { return }
        underWay.bind(1, entry.customer)
        underWay.bind(2, entry.account.uuid)
        rows.underWay[entry.account] = Int(try underWay.first { $0.integer(0) } ?? 0)
    }

    private func load(_ entry: DirectoryEntry) throws(SQLiteError) {
        guard rows.accounts[entry.account] == nil else { return }
        account.bind(1, entry.customer)
        account.bind(2, entry.account.uuid)
        rows.accounts[entry.account] = try account.first { row throws(SQLiteError) in
            try row.account()
        }
    }

    private func loadCredit(_ command: CreditCommand) throws(SQLiteError) {
        credit.bind(1, command.payee)
        credit.bind(2, command.transfer.uuid)
        let id = CreditID(payee: command.payee, transfer: command.transfer)
        rows.credits[id] = try credit.first { row throws(SQLiteError) in
            CreditRow(
                payee: command.payee, account: AccountID(try row.uuid(0)),
                transfer: command.transfer, decision: try row.creditDecision(1, reason: 2),
                posting: row.optionalInteger(3))
        }
    }

    private func load(_ command: ConcludeCommand) throws(SQLiteError) {
        try load(sequenceOf: command.payer)
        transfer.bind(1, command.transfer.uuid)
        let row = try transfer.first { row throws(SQLiteError) in try row.transfer() }
        guard let row else { return }
        rows.transfers[row.id] = row
        if let account = row.debtorAccount {
            try load(DirectoryEntry(customer: row.intent.customer, account: account))
        }
    }
}
