package import Platform

/// One intent of one customer: what the unique constraint is on.
package struct IntentID: Hashable, Sendable {
    package let customer: CustomerID
    package let key: IdempotencyKey

    package init(customer: CustomerID, key: IdempotencyKey) {
        self.customer = customer
        self.key = key
    }
}

/// Executes an intent, or finds out that it already has an outcome.
package struct TransferCommand: Sendable {
    package let id: IntentID
    package let intent: SubmittedIntent
    /// The first attempt's request id ends up in a refusal's stored bytes.
    package let requestID: String
    /// When the complete request was received, by this server's clock.
    package let receivedAt: Instant

    package init(id: IntentID, intent: SubmittedIntent, requestID: String, receivedAt: Instant) {
        self.id = id
        self.intent = intent
        self.requestID = requestID
        self.receivedAt = receivedAt
    }
}

/// Makes sure that an intent which has not executed never will.
package struct RevokeCommand: Sendable {
    package let id: IntentID
    package let requestID: String
    /// When the request was received, by this server's clock.
    package let receivedAt: Instant

    package init(id: IntentID, requestID: String, receivedAt: Instant) {
        self.id = id
        self.requestID = requestID
        self.receivedAt = receivedAt
    }
}

/// The payee's side of a booking inside this bank. The first decision stands for ever.
package struct CreditCommand: Sendable {
    package let payee: CustomerID
    package let account: AccountID
    package let transfer: TransferID
    package let money: Money

    package init(payee: CustomerID, account: AccountID, transfer: TransferID, money: Money) {
        self.payee = payee
        self.account = account
        self.transfer = transfer
        self.money = money
    }
}

/// What the payee's side of a booking decided.
package enum CreditDecision: Hashable, Sendable {
    case credited
    case refused(ReturnReason)
}

/// The payer's side of a booking: ends the transfer as the stored decision says.
package struct ConcludeCommand: Sendable {
    package let payer: CustomerID
    package let transfer: TransferID
    package let outboxID: Int64
    package let decision: CreditDecision

    package init(
        payer: CustomerID, transfer: TransferID, outboxID: Int64, decision: CreditDecision
    ) {
        self.payer = payer
        self.transfer = transfer
        self.outboxID = outboxID
        self.decision = decision
    }
}

/// Opens an account, and its customer if need be, with money from the bank's funding account.
package struct OpenAccountCommand: Sendable {
    package let customer: CustomerID
    package let account: AccountID
    package let iban: IBAN
    package let opening: Money
    /// Minor units; nil for no limit.
    package let perTransferLimit: Int64?
    package let dailyLimit: Int64?

    package init(
        customer: CustomerID, account: AccountID, iban: IBAN, opening: Money,
        perTransferLimit: Int64?, dailyLimit: Int64?
    ) {
        self.customer = customer
        self.account = account
        self.iban = iban
        self.opening = opening
        self.perTransferLimit = perTransferLimit
        self.dailyLimit = dailyLimit
    }
}

/// Freezes an account, lets it pay again, or closes it for ever. Only an account without money can
/// be closed.
package struct SetAccountStatusCommand: Sendable {
    package let iban: IBAN
    package let status: AccountStatus

    package init(iban: IBAN, status: AccountStatus) {
        self.iban = iban
        self.status = status
    }
}

/// What becomes of one of an account's limits.
package enum LimitChange: Hashable, Sendable {
    case keep
    /// No limit of the account's own.
    case lift
    /// Minor units of the account's currency, at least 0.
    case set(Int64)

    func applied(to limit: Int64?) -> Int64? {
        switch self {
        case .keep: limit
        case .lift: nil
        case .set(let units): units
        }
    }
}

/// Changes what an account may pay at once and in a day, from the next attempt on.
package struct SetAccountLimitsCommand: Sendable {
    package let iban: IBAN
    package let perTransfer: LimitChange
    package let daily: LimitChange

    package init(iban: IBAN, perTransfer: LimitChange, daily: LimitChange) {
        self.iban = iban
        self.perTransfer = perTransfer
        self.daily = daily
    }
}

/// Lets a customer make new transfers, or no more.
package struct RestrictCustomerCommand: Sendable {
    package let customer: CustomerID
    package let restricted: Bool

    package init(customer: CustomerID, restricted: Bool) {
        self.customer = customer
        self.restricted = restricted
    }
}

/// Drops stored bodies, never a key: of outcomes committed before `before`, oldest first.
package struct RetireCommand: Sendable {
    package let before: Instant
    /// Outcomes to look at, at most.
    package let limit: Int

    package init(before: Instant, limit: Int) {
        self.before = before
        self.limit = limit
    }
}

/// Everything that changes the ledger. Each writes one customer's rows only.
package enum Command: Sendable {
    case transfer(TransferCommand)
    case revoke(RevokeCommand)
    case credit(CreditCommand)
    case conclude(ConcludeCommand)
    case openAccount(OpenAccountCommand)
    case setAccountStatus(SetAccountStatusCommand)
    case setAccountLimits(SetAccountLimitsCommand)
    case restrictCustomer(RestrictCustomerCommand)
    case retire(RetireCommand)
    /// Changes nothing: finds out whether the store can take a command.
    case probe

    /// The content of a transfer; nil for any other command.
    package var submitted: SubmittedIntent? {
        if case .transfer(let command) = self { command.intent } else { nil }
    }

    /// The intent whose key this command holds while it runs.
    package var intent: IntentID? {
        switch self {
        case .transfer(let command): command.id
        case .revoke(let command): command.id
        default: nil
        }
    }
}

/// The day whose limits count: its name in the bank's time zone and where it begins and ends.
///
/// Computed outside the decision, because time zones change by law.
package struct BusinessDay: Hashable, Sendable {
    /// Days since 1970-01-01 of the local date.
    package let number: Int64
    package let start: Instant
    /// The first instant of the next day.
    package let end: Instant

    package init(number: Int64, start: Instant, end: Instant) {
        self.number = number
        self.start = start
        self.end = end
    }
}
