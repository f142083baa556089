package import Ledger
package import Platform
package import Store

/// Random numbers that a seed gives again.
package struct SeededGenerator: RandomNumberGenerator {
    private let bytes: SeededRandomBytes

    package init(seed: UInt64) { bytes = SeededRandomBytes(seed: seed) }

    package func next() -> UInt64 { bytes.word() }
}

/// Random commands of a few customers who reuse keys, overdraw, hit limits, meet frozen accounts
/// and are settled in any order.
package struct CommandStream {
    package enum Profile: Sendable, CaseIterable {
        /// Balances of some euros.
        case small
        /// Balances and amounts around the largest that 64 bits hold.
        case extreme
    }

    private var random: SeededGenerator
    private let profile: Profile
    package private(set) var bank = NaiveBank()
    private var sent: [TransferCommand] = []

    private static let customers = 3
    private static let accounts = 7
    private static let keys = 60

    package init(seed: UInt64, _ profile: Profile) {
        random = SeededGenerator(seed: seed)
        self.profile = profile
        bank.restricted = [customer(3).text]
        bank.blocked = [iban(901).text]
        if profile == .extreme { bank.schemeMaximum = [:] }
    }

    /// What `bank` is told in this stream, as policy.
    package var policy: TransferPolicy {
        var policy = testPolicy
        if profile == .extreme { policy.schemeMaximum = [:] }
        return policy
    }

    package mutating func learn(_ id: TransferID, _ intent: IntentID) { bank.learn(id, intent) }

    /// The time of the next segment: mostly a little later, at times the next day, at times back.
    package mutating func next(after now: Instant) -> Instant {
        switch random.next() % 10 {
        case 0, 1: now.advanced(seconds: UTCDays.secondsPerDay)
        case 2: now.advanced(seconds: -600)
        case 3: now.advanced(seconds: -UTCDays.secondsPerDay)
        default: now.advanced(seconds: 1)
        }
    }

    /// `count` commands with what the bank says to each, one after the other. `pending` are the
    /// bookings that were committed before.
    package mutating func segment(
        _ count: Int, day: Int64, pending: [PendingBooking]
    ) -> [(command: Command, verdict: Verdict)] {
        var decisions: [TransferID: CreditDecision] = [:]
        return (0..<count).map { _ in
            let command = command(pending, decisions)
            let verdict = bank.decide(command, day: day)
            if case .credit(let command) = command, case .credit(let decision) = verdict {
                decisions[command.transfer] = decision
            }
            return (command, verdict)
        }
    }

    private mutating func command(
        _ pending: [PendingBooking], _ decisions: [TransferID: CreditDecision]
    ) -> Command {
        switch random.next() % 20 {
        case 0, 1: return open()
        case 2:
            if number(4) == 1 { return limit() }
            let status = pick([AccountStatus.active, .active, .active, .frozen, .closed])
            // Mostly one that can be closed, where there is one.
            let empty = (1...Self.accounts).filter { bank.accounts[iban($0).text]?.balance == 0 }
            let idle = empty.filter { bank.accounts[iban($0).text]?.underWay == 0 }
            let account =
                status == .closed && !empty.isEmpty && number(4) > 1
                ? pick(idle.isEmpty || number(3) == 1 ? empty : idle) : number(Self.accounts + 1)
            return .setAccountStatus(
                SetAccountStatusCommand(iban: iban(account), status: status))
        case 3...6:
            if let booking = pending.filter({ $0.creditor != nil }).randomElement(using: &random),
                let credit = credit(booking)
            {
                return credit
            }
        case 7...9:
            let decided = pending.filter { decisions[$0.transfer] != nil }
            if let booking = decided.randomElement(using: &random),
                let decision = decisions[booking.transfer]
            {
                return conclude(booking, decision)
            }
        case 10...12:
            // A retry, as it was sent.
            if let first = sent.randomElement(using: &random) {
                return .transfer(
                    transfer(first.id.customer, first.id.key, first.intent, requestID: "retry"))
            }
        default: break
        }
        return pay()
    }

    private mutating func number(_ count: Int) -> Int { Int.random(in: 1...count, using: &random) }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[number(values.count) - 1]
    }

    private mutating func open() -> Command {
        let number = number(Self.accounts)
        let code = number == Self.accounts ? "JPY" : "EUR"
        let opening: Int64
        let limits: [Int64?]
        switch profile {
        case .small: (opening, limits) = (pick([0, 5_000, 20_000]), [nil, 2_000, 6_000])
        case .extreme:
            (opening, limits) = (pick([.max, .max - 1, .max / 2, 10]), [nil, nil, .max, .max / 2])
        }
        return StoreTestSupport.open(
            number, of: number % Self.customers + 1,
            Money(minorUnits: opening, currency: currency(code)), perTransfer: pick(limits),
            daily: pick(limits))
    }

    private mutating func limit() -> Command {
        let changes: [LimitChange]
        switch profile {
        case .small: changes = [.keep, .lift, .set(0), .set(2_000), .set(6_000)]
        case .extreme: changes = [.keep, .lift, .set(.max), .set(.max / 2)]
        }
        return .setAccountLimits(
            SetAccountLimitsCommand(
                iban: iban(number(Self.accounts + 1)), perTransfer: pick(changes),
                daily: pick(changes)))
    }

    private mutating func pay() -> Command {
        let debtor = number(Self.accounts)
        // Mostly the account's own customer.
        let owner = number(8) == 1 ? number(Self.customers) : debtor % Self.customers + 1
        let creditor = pick(Array(1...Self.accounts) + [debtor, 900, 901])
        let value: String
        switch profile {
        case .small:
            let balance = Int64(bank.accounts[iban(debtor).text]?.balance ?? 0)
            // Now and then all that there is.
            value =
                balance > 0 && number(6) == 1
                ? euros(cents: balance).decimal
                : pick(["1", "5.5", "20.00", "20", "49.99", "0.01", "1.234"])
        case .extreme:
            value = pick([
                "9999999999999999.99", "92233720368547758", "92233720368547758.0",
                "999999999999999999", "46116860184273879", "0.07", "1",
            ])
        }
        let code = pick(["EUR", "EUR", "EUR", "EUR", "EUR", "JPY", "XYZ"])
        let name = pick(["Marie", "Marie", "Marie", "Pierre", String(repeating: "x", count: 71)])
        let note = pick([nil, nil, "Invoice 42"])
        let command = transfer(
            customer(owner), key(number(Self.keys)),
            intent(
                from: iban(debtor), to: iban(creditor), value, code, name: name, remittance: note))
        sent.append(command)
        return .transfer(command)
    }
}
