package import Ledger
import Platform
import Store

/// What became of one command, as far as a customer or settlement can tell.
package enum Verdict: Hashable, Sendable {
    case executed(balance: Int64)
    case rejected(RejectionReason, balance: Int64?)
    case repeated
    case revoked
    case reused([IntentField])
    case invalid
    case credit(CreditDecision)
    case concluded(TransferState)
    case opened
    case existed
    case statusSet
    case limitsSet
    case closed
    case notEmpty
    case awaits
    case unknown
}

/// The bank's rules once more, as slowly and plainly as can be: one command at a time over
/// dictionaries, in numbers that cannot overflow. Shares no code with the planner; what the two
/// agree on is what the rules say.
package struct NaiveBank {
    package struct Account: Hashable {
        package var owner: String
        package var currency: String
        package var balance: Int128 = 0
        package var status = "active"
        package var perTransfer: Int128?
        package var daily: Int128?
        package var day: Int64 = 0
        package var used: Int128 = 0
        /// Payments that left it and are neither settled nor returned.
        package var underWay = 0
    }

    struct Payment {
        var debtor: String
        var amount: Int128
        var state: String
    }

    /// By IBAN.
    package var accounts: [String: Account] = [:]
    package var restricted: Set<String> = []
    package var blocked: Set<String> = []
    /// By currency, in minor units.
    package var schemeMaximum: [String: Int128] = ["EUR": 1_000_000_000]
    /// What each key of each customer was first used for.
    private var contents: [String: [String]] = [:]
    private var payments: [TransferID: Payment] = [:]
    private var names: [String: Payment] = [:]
    private var credits: [TransferID: CreditDecision] = [:]
    /// Events of each customer.
    package private(set) var eventCounts: [String: Int64] = [:]
    /// Minor units by currency that have left a debtor and arrived nowhere.
    package private(set) var inTransit: [String: Int128] = [:]
    package private(set) var pendingCount = 0

    private static let top = Int128(Int64.max)
    private static let decimals = ["EUR": 2, "USD": 2, "JPY": 0, "KWD": 3]

    package init() {}

    /// Tells which transfer an intent became.
    package mutating func learn(_ id: TransferID, _ intent: IntentID) {
        payments[id] = names[Self.name(intent)]
    }

    /// Where a transfer stands.
    package func state(of id: TransferID) -> String? { payments[id]?.state }

    private static func name(_ intent: IntentID) -> String {
        "\(intent.customer.text) \(intent.key)"
    }

    package mutating func decide(_ command: Command, day: Int64) -> Verdict {
        switch command {
        case .transfer(let command): return pay(command, day)
        case .credit(let command): return credit(command)
        case .conclude(let command): return conclude(command)
        case .openAccount(let command):
            let name = command.iban.text
            if accounts[name] != nil { return .existed }
            accounts[name] = Account(
                owner: command.customer.text, currency: command.opening.currency.description,
                balance: Int128(command.opening.minorUnits),
                perTransfer: command.perTransferLimit.map { Int128($0) },
                daily: command.dailyLimit.map { Int128($0) })
            return .opened
        case .setAccountStatus(let command):
            guard let account = accounts[command.iban.text] else { return .unknown }
            if account.status == command.status.name { return .statusSet }
            if account.status == "closed" { return .closed }
            if command.status == .closed, account.balance > 0 { return .notEmpty }
            if command.status == .closed, account.underWay > 0 { return .awaits }
            accounts[command.iban.text]?.status = command.status.name
            return .statusSet
        case .setAccountLimits(let command):
            guard let account = accounts[command.iban.text] else { return .unknown }
            if account.status == "closed" { return .closed }
            func changed(_ limit: Int128?, _ change: LimitChange) -> Int128? {
                switch change {
                case .keep: limit
                case .lift: nil
                case .set(let units): Int128(units)
                }
            }
            accounts[command.iban.text]?.perTransfer = changed(
                account.perTransfer, command.perTransfer)
            accounts[command.iban.text]?.daily = changed(account.daily, command.daily)
            return .limitsSet
        case .revoke(let command):
            let name = Self.name(command.id)
            if contents[name] != nil { return .repeated }
            contents[name] = []
            return .revoked
        case .restrictCustomer, .retire, .probe: return .unknown
        }
    }

    private mutating func pay(_ command: TransferCommand, _ day: Int64) -> Verdict {
        let intent = command.intent
        let (from, to) = (intent.debtorIBAN.text, intent.creditorIBAN.text)
        let content = [
            from, intent.amount.canonical, intent.currency.description, to, intent.creditorName,
            intent.remittanceInformation ?? "absent", intent.endToEndIdentification ?? "absent",
        ]
        let name = Self.name(command.id)
        if let first = contents[name] {
            // A revoked intent has no content: any attempt gets the same answer.
            if first.isEmpty { return .repeated }
            let differing = content.indices.filter { content[$0] != first[$0] }
            return differing.isEmpty
                ? .repeated : .reused(differing.map { IntentField.allCases[$0] })
        }
        let code = intent.currency.description
        guard let value = Self.minorUnits(intent.amount, code), intent.creditorName.count <= 70
        else { return .invalid }

        let who = command.id.customer.text
        contents[name] = content
        eventCounts[who, default: 0] += 1
        guard !restricted.contains(who) || accounts[from]?.owner == who else {
            return .rejected(.customerRestricted, balance: nil)
        }
        guard var account = accounts[from], account.owner == who else {
            return .rejected(.accountNotFound, balance: nil)
        }
        if day > account.day { (account.day, account.used) = (day, 0) }
        if let reason = refusal(value, code, from, to, who, account) {
            return .rejected(reason, balance: Int64(account.balance))
        }
        account.balance -= value
        account.used += value
        account.underWay += 1
        accounts[from] = account
        inTransit[code, default: 0] += value
        pendingCount += 1
        names[name] = Payment(debtor: from, amount: value, state: "accepted")
        return .executed(balance: Int64(account.balance))
    }

    private func refusal(
        _ value: Int128, _ code: String, _ from: String, _ to: String, _ who: String,
        _ account: Account
    ) -> RejectionReason? {
        // Written as a list of questions, so that the order is the order on paper.
        let questions: [(RejectionReason, Bool)] = [
            (.customerRestricted, restricted.contains(who)),
            (.accountClosed, account.status == "closed"),
            (.accountFrozen, account.status == "frozen"),
            (.currencyNotSupported, account.currency != code),
            (.sameAccount, from == to),
            (.beneficiaryBlocked, blocked.contains(to)),
            (
                .transferLimitExceeded,
                value > min(schemeMaximum[code] ?? Self.top, account.perTransfer ?? Self.top)
            ),
            (.dailyLimitExceeded, account.used + value > account.daily ?? Self.top),
            (.insufficientFunds, account.balance < value),
        ]
        return questions.first { $0.1 }?.0
    }

    private static func minorUnits(_ amount: DecimalAmount, _ code: String) -> Int128? {
        guard let decimals = decimals[code], amount.scale <= decimals else { return nil }
        let parts = amount.canonical.split(separator: ".")
        let fraction = parts.count > 1 ? String(parts[1]) : ""
        let digits = parts[0] + fraction + String(repeating: "0", count: decimals - fraction.count)
        guard let value = Int128(digits), value <= top else { return nil }
        return value
    }

    private mutating func credit(_ command: CreditCommand) -> Verdict {
        if let first = credits[command.transfer] { return .credit(first) }
        let found = accounts.first { account(named: $0.key, is: command) }
        let decision: CreditDecision
        let value = Int128(command.money.minorUnits)
        if let (name, account) = found {
            switch account.status {
            case "frozen": decision = .refused(.payeeAccountFrozen)
            case "closed": decision = .refused(.payeeAccountClosed)
            default:
                if account.currency != command.money.currency.description {
                    decision = .refused(.payeeCurrencyDiffers)
                } else if account.balance + value > Self.top {
                    decision = .refused(.payeeBalanceOverflow)
                } else {
                    decision = .credited
                    accounts[name]?.balance += value
                    inTransit[account.currency, default: 0] -= value
                }
            }
        } else {
            decision = .refused(.payeeAccountNotFound)
        }
        credits[command.transfer] = decision
        return .credit(decision)
    }

    /// Test accounts have the number of their IBAN.
    private func account(named name: String, is command: CreditCommand) -> Bool {
        guard let number = Int(name.suffix(18)) else { return false }
        return account(number) == command.account && accounts[name]?.owner == command.payee.text
    }

    private func account(_ number: Int) -> AccountID { StoreTestSupport.account(number) }

    private mutating func conclude(_ command: ConcludeCommand) -> Verdict {
        guard let payment = payments[command.transfer] else { return .unknown }
        if payment.state == "settled" { return .concluded(.settled) }
        if payment.state == "returned" { return .concluded(.returned) }
        guard let debtor = accounts[payment.debtor] else { return .unknown }
        if command.decision == .credited {
            payments[command.transfer]?.state = "settled"
        } else {
            if debtor.balance + payment.amount > Self.top { return .concluded(.accepted) }
            payments[command.transfer]?.state = "returned"
            accounts[payment.debtor]?.balance += payment.amount
            inTransit[debtor.currency, default: 0] -= payment.amount
        }
        pendingCount -= 1
        accounts[payment.debtor]?.underWay -= 1
        eventCounts[debtor.owner, default: 0] += 2
        return .concluded(command.decision == .credited ? .settled : .returned)
    }
}
