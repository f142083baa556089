import Ledger
import Platform
import Store
import StoreTestSupport

/// Rows as a store would keep them, in memory: what a plan says is written, and what the next
/// batch loads.
struct World {
    struct Outcome: Equatable {
        let kind: OutcomeKind
        let fingerprint: Fingerprint
        let transfer: TransferID
        let receivedAt: Instant
    }

    var customers: [CustomerID: CustomerRow] = [:]
    var directory: [IBAN: DirectoryEntry] = [:]
    var accounts: [AccountID: AccountRow] = [:]
    var blocked: Set<IBAN> = []
    private(set) var outcomes: [IntentID: Outcome] = [:]
    private(set) var transfers: [TransferID: TransferRow] = [:]
    private(set) var credits: [CreditID: CreditRow] = [:]
    private(set) var postings: [PostingRow] = []
    private(set) var events: [EventRow] = []
    private(set) var outbox: [Int64: OutboxRow] = [:]
    private var nextOutbox: Int64 = 1

    func loaded() -> LoadedRows {
        var rows = LoadedRows()
        rows.customers = customers
        for event in events { rows.sequences[event.customer] = event.sequence }
        rows.directory = directory
        rows.accounts = accounts
        rows.blocked = blocked
        rows.transfers = transfers
        rows.credits = credits
        for account in accounts.keys {
            rows.underWay[account] =
                outbox.values.filter { transfers[$0.transfer]?.debtorAccount == account }.count
        }
        rows.nextPosting = Int64(postings.count) + 1
        for (id, outcome) in outcomes {
            rows.outcomes[id] = KnownOutcome(
                kind: outcome.kind, source: .stored, fingerprint: outcome.fingerprint,
                transfer: outcome.transfer, receivedAt: outcome.receivedAt,
                original: transfers[outcome.transfer].map(Self.submitted))
        }
        return rows
    }

    private static func submitted(_ row: TransferRow) -> SubmittedIntent {
        var decimal = row.money.decimal
        while decimal.contains("."), decimal.hasSuffix("0") { decimal.removeLast() }
        if decimal.hasSuffix(".") { decimal.removeLast() }
        return intent(
            from: row.debtorIBAN, to: row.creditorIBAN, decimal,
            row.money.currency.description, name: row.creditorName,
            remittance: row.remittanceInformation, endToEnd: row.endToEndIdentification)
    }

    mutating func apply(_ plan: Plan, _ commands: [Command]) {
        for id in plan.newCustomers { customers[id] = CustomerRow(restricted: false) }
        for row in plan.newAccounts {
            accounts[row.id] = row
            directory[row.iban] = DirectoryEntry(customer: row.customer, account: row.id)
        }
        for row in plan.transfers { transfers[row.id] = row }
        postings += plan.postings
        events += plan.events
        for row in plan.credits {
            credits[CreditID(payee: row.payee, transfer: row.transfer)] = row
        }
        transfers.merge(plan.changedTransfers) { $1 }
        accounts.merge(plan.changedAccounts) { $1 }
        for row in plan.outbox {
            outbox[nextOutbox] = row
            nextOutbox += 1
        }
        for id in plan.finishedOutbox { outbox[id] = nil }
        for (decision, command) in zip(plan.decisions, commands) {
            guard case .transfer(let command) = command else { continue }
            let (kind, transfer): (OutcomeKind, TransferRow)
            switch decision {
            case .executed(let row, _): (kind, transfer) = (.executed, row)
            case .rejected(let row, _, _): (kind, transfer) = (.rejected, row)
            default: continue
            }
            outcomes[command.id] = Outcome(
                kind: kind, fingerprint: command.intent.fingerprint, transfer: transfer.id,
                receivedAt: command.receivedAt)
        }
    }

    /// The tables whose rows are not the same.
    func differences(from other: World) -> [String] {
        let same = [
            "customers": customers == other.customers, "directory": directory == other.directory,
            "accounts": accounts == other.accounts, "outcomes": outcomes == other.outcomes,
            "transfers": transfers == other.transfers, "credits": credits == other.credits,
            "postings": postings == other.postings, "events": events == other.events,
            "outbox": outbox == other.outbox,
        ]
        return same.filter { !$0.value }.map(\.key).sorted()
    }

    /// What settlement would find.
    var pending: [PendingBooking] {
        outbox.sorted { $0.key < $1.key }.compactMap { id, row in
            guard let transfer = transfers[row.transfer] else { return nil }
            return PendingBooking(
                outboxID: id, payer: row.customer, transfer: row.transfer, money: transfer.money,
                creditor: directory[transfer.creditorIBAN])
        }
    }
}
