/// Why money came back. Raw values are stored.
package enum ReturnReason: Int64, Sendable, CaseIterable {
    case payeeAccountNotFound = 1
    case payeeAccountFrozen = 2
    case payeeAccountClosed = 3
    case payeeCurrencyDiffers = 4
    case payeeBalanceOverflow = 5
}

/// What was decided about one command.
package enum Decision: Sendable {
    /// Money moved; the balance is the debtor's after it. To be stored.
    case executed(TransferRow, balance: Money)
    /// The business said no; the balance is the debtor's, if the account is the customer's. To be
    /// stored.
    case rejected(TransferRow, RejectionReason, balance: Money?)
    /// The intent can never execute. To be stored.
    case revoked
    /// The intent already had this outcome, from the same content.
    case known(KnownOutcome)
    /// The intent already had an outcome, from other content.
    case reused(KnownOutcome, differs: [IntentField])
    /// A field breaks a rule of today. Not stored.
    case invalid([FieldError])
    case credit(CreditDecision)
    case concluded(TransferState, of: IntentID)
    case accountOpened
    /// The IBAN is taken already, by this account.
    case accountExists(DirectoryEntry)
    case accountStatusSet(DirectoryEntry)
    case accountLimitsSet(DirectoryEntry)
    /// The account is closed, and stays as it is.
    case accountClosed(DirectoryEntry)
    /// The account holds this money, so it cannot be closed.
    case accountNotEmpty(DirectoryEntry, Money)
    /// So many payments from the account have not ended, so it cannot be closed: their money may
    /// come back.
    case accountAwaits(DirectoryEntry, payments: Int)
    case accountUnknown
    case customerRestricted
    case customerUnknown
    case retired
    case probed
}

/// Everything that a batch decides: one decision for each command, and the rows to write. The
/// store writes all of it in one transaction, or nothing.
package struct Plan: Sendable {
    package var decisions: [Decision] = []
    /// How many of the decisions are to be stored with their intents.
    package var outcomes = 0
    package var newCustomers: [CustomerID] = []
    package var newAccounts: [AccountRow] = []
    package var transfers: [TransferRow] = []
    package var postings: [PostingRow] = []
    package var outbox: [OutboxRow] = []
    package var events: [EventRow] = []
    package var credits: [CreditRow] = []
    /// Stored transfers that changed, in their final form.
    package var changedTransfers: [TransferID: TransferRow] = [:]
    /// Accounts that changed, in their final form.
    package var changedAccounts: [AccountID: AccountRow] = [:]
    package var finishedOutbox: [Int64] = []
    package var changedCustomers: [CustomerID: CustomerRow] = [:]
    package var retirements: [RetireCommand] = []

    package init() {}

    /// Nothing to write: the batch only found what was there.
    package var isReadOnly: Bool {
        outcomes == 0 && newCustomers.isEmpty && newAccounts.isEmpty && transfers.isEmpty
            && credits.isEmpty
            && changedTransfers.isEmpty && changedAccounts.isEmpty && finishedOutbox.isEmpty
            && changedCustomers.isEmpty && retirements.isEmpty
    }
}

/// What the bank allows beside each account's own limits.
package struct TransferPolicy: Sendable {
    package var fieldRules: FieldRules
    /// The largest single transfer that the scheme takes, in minor units by currency.
    package var schemeMaximum: [Currency: Int64]

    package init(fieldRules: FieldRules, schemeMaximum: [Currency: Int64]) {
        self.fieldRules = fieldRules
        self.schemeMaximum = schemeMaximum
    }
}
