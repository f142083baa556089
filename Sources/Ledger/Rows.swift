package import Platform

/// Whether an account may pay and be paid. Raw values are stored.
package enum AccountStatus: Int64, Sendable {
    case active = 0
    case frozen = 1
    case closed = 2

    package var name: String { "\(self)" }
}

/// What is known of a customer.
package struct CustomerRow: Hashable, Sendable {
    package var restricted: Bool

    package init(restricted: Bool) { self.restricted = restricted }
}

/// An account with its balance, its limits and its day's counter.
package struct AccountRow: Hashable, Sendable {
    package let id: AccountID
    package let customer: CustomerID
    package let iban: IBAN
    package let currency: Currency
    package var status: AccountStatus
    /// Minor units, never negative.
    package var balance: Int64
    package var perTransferLimit: Int64?
    package var dailyLimit: Int64?
    /// The business day that `usedToday` counts; only moves forward.
    package var usageDay: Int64
    package var usedToday: Int64
    package var lastPosting: Int64?

    package init(
        id: AccountID, customer: CustomerID, iban: IBAN, currency: Currency, status: AccountStatus,
        balance: Int64, perTransferLimit: Int64?, dailyLimit: Int64?, usageDay: Int64,
        usedToday: Int64, lastPosting: Int64?
    ) {
        self.id = id
        self.customer = customer
        self.iban = iban
        self.currency = currency
        self.status = status
        self.balance = balance
        self.perTransferLimit = perTransferLimit
        self.dailyLimit = dailyLimit
        self.usageDay = usageDay
        self.usedToday = usedToday
        self.lastPosting = lastPosting
    }

    package var money: Money { Money(minorUnits: balance, currency: currency) }
}

/// Where an IBAN of this bank leads.
package struct DirectoryEntry: Hashable, Sendable {
    package let customer: CustomerID
    package let account: AccountID

    package init(customer: CustomerID, account: AccountID) {
        self.customer = customer
        self.account = account
    }
}

/// How an intent ended; the numbers are stored.
package enum OutcomeKind: Int64, Sendable {
    case executed = 1
    case rejected = 2
    case expired = 3
    case revoked = 4
}

/// What is already decided about an intent, as far as a new attempt needs to know.
package struct KnownOutcome: Sendable {
    /// Whether the bytes are in the store or come from this batch.
    package enum Source: Hashable, Sendable {
        case stored
        /// Decided earlier in this batch, by the command at this index.
        case planned(Int)
    }

    package let kind: OutcomeKind
    package let source: Source
    /// Nil for a revoked intent, which has none.
    package let fingerprint: Fingerprint?
    package let transfer: TransferID?
    package let receivedAt: Instant
    /// What the first attempt asked for; loaded only where the fingerprints differ.
    package let original: SubmittedIntent?

    package init(
        kind: OutcomeKind, source: Source, fingerprint: Fingerprint?, transfer: TransferID?,
        receivedAt: Instant, original: SubmittedIntent?
    ) {
        self.kind = kind
        self.source = source
        self.fingerprint = fingerprint
        self.transfer = transfer
        self.receivedAt = receivedAt
        self.original = original
    }
}

/// One payment, or one refusal to pay, and where it stands.
package struct TransferRow: Hashable, Sendable {
    package let id: TransferID
    package let intent: IntentID
    package var state: TransferState
    package var rejection: RejectionReason?
    package var returned: ReturnReason?
    package let debtorIBAN: IBAN
    /// Nil where the debtor's IBAN is no account of this customer.
    package let debtorAccount: AccountID?
    package let money: Money
    package let creditorIBAN: IBAN
    package let creditorName: String
    package let remittanceInformation: String?
    package let endToEndIdentification: String?
    package let confirmedAt: Instant?
    package let requestID: String
    package let businessDay: Int64
    package let posting: Int64?
    package var returnPosting: Int64?
    package var lastSequence: Int64
    package let createdAt: Instant
    package var updatedAt: Instant

    package init(
        id: TransferID, intent: IntentID, state: TransferState, rejection: RejectionReason?,
        returned: ReturnReason?, debtorIBAN: IBAN, debtorAccount: AccountID?, money: Money,
        creditorIBAN: IBAN, creditorName: String, remittanceInformation: String?,
        endToEndIdentification: String?, confirmedAt: Instant?, requestID: String,
        businessDay: Int64, posting: Int64?, returnPosting: Int64?, lastSequence: Int64,
        createdAt: Instant, updatedAt: Instant
    ) {
        self.id = id
        self.intent = intent
        self.state = state
        self.rejection = rejection
        self.returned = returned
        self.debtorIBAN = debtorIBAN
        self.debtorAccount = debtorAccount
        self.money = money
        self.creditorIBAN = creditorIBAN
        self.creditorName = creditorName
        self.remittanceInformation = remittanceInformation
        self.endToEndIdentification = endToEndIdentification
        self.confirmedAt = confirmedAt
        self.requestID = requestID
        self.businessDay = businessDay
        self.posting = posting
        self.returnPosting = returnPosting
        self.lastSequence = lastSequence
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

extension TransferRow {
    /// What the first attempt asked for, as far as it is fingerprinted. Nil where the row holds no
    /// amount that could have been asked for.
    package var submitted: SubmittedIntent? {
        // Without the zeros that the currency adds: with them the largest amounts have more digits
        // than an instructed amount may have.
        var decimal = money.decimal[...]
        if decimal.contains(".") {
            while decimal.last == "0" { decimal.removeLast() }
            if decimal.last == "." { decimal.removeLast() }
        }
        do throws(AmountRefusal) {
            return SubmittedIntent(
                debtorIBAN: debtorIBAN, amount: try DecimalAmount(String(decimal)),
                currency: money.currency.code, creditorIBAN: creditorIBAN,
                creditorName: creditorName, remittanceInformation: remittanceInformation,
                endToEndIdentification: endToEndIdentification, confirmedAt: confirmedAt)
        } catch { return nil }
    }
}

/// Which side of the bank's books a posting stands on. Raw values are stored.
package enum LedgerAccount: Hashable, Sendable {
    case customer(AccountID)
    /// Left the debtor, not yet arrived at the creditor.
    case inTransit
    /// Where opening balances come from.
    case funding

    package var code: Int64 {
        switch self {
        case .customer: 0
        case .inTransit: 1
        case .funding: 2
        }
    }
}

/// One half of a double entry.
package struct PostingRow: Hashable, Sendable {
    package let id: Int64
    package let customer: CustomerID
    /// The transfer or opening that this belongs to.
    package let entry: UUID128
    package let ledgerAccount: LedgerAccount
    package let currency: Currency
    /// Minor units, signed; never zero.
    package let amount: Int64
    package let previous: Int64?
}

/// Who carries a transfer on; the numbers are stored.
package enum ConnectorKind: Int64, Sendable {
    /// The payee's account is in this bank.
    case book = 1
    /// It is elsewhere.
    case scheme = 2
}

/// What settlement has still to do.
package struct OutboxRow: Hashable, Sendable {
    package let customer: CustomerID
    package let transfer: TransferID
    package let connector: ConnectorKind
}

/// One change of one transfer, numbered per customer.
package struct EventRow: Hashable, Sendable {
    package let customer: CustomerID
    package let sequence: Int64
    package let transfer: TransferID
    package let state: TransferState
    package let previous: Int64?
}

/// The payee's side of a booking: one decision for ever.
package struct CreditRow: Hashable, Sendable {
    package let payee: CustomerID
    package let account: AccountID
    package let transfer: TransferID
    package let decision: CreditDecision
    package let posting: Int64?

    package init(
        payee: CustomerID, account: AccountID, transfer: TransferID, decision: CreditDecision,
        posting: Int64?
    ) {
        self.payee = payee
        self.account = account
        self.transfer = transfer
        self.decision = decision
        self.posting = posting
    }
}

/// A booking is decided once for each payee and transfer.
package struct CreditID: Hashable, Sendable {
    package let payee: CustomerID
    package let transfer: TransferID

    package init(payee: CustomerID, transfer: TransferID) {
        self.payee = payee
        self.transfer = transfer
    }
}

/// The rows that a batch's commands touch, as they stand under the batch's locks. The store fills
/// it; the planner reads it and keeps it up to date from command to command.
package struct LoadedRows: Sendable {
    package var customers: [CustomerID: CustomerRow] = [:]
    /// Newest event number of each customer; absent means none.
    package var sequences: [CustomerID: Int64] = [:]
    package var directory: [IBAN: DirectoryEntry] = [:]
    package var accounts: [AccountID: AccountRow] = [:]
    package var outcomes: [IntentID: KnownOutcome] = [:]
    package var blocked: Set<IBAN> = []
    package var transfers: [TransferID: TransferRow] = [:]
    package var credits: [CreditID: CreditRow] = [:]
    /// How many payments from an account have not ended; there for each that is to be closed.
    package var underWay: [AccountID: Int] = [:]
    /// The id of the next posting.
    package var nextPosting: Int64 = 1

    package init() {}
}
