import Ledger
import Platform
import StoreTestSupport
import Testing

/// One customer, one account, one payment that nothing speaks against; tests put something in its
/// way.
struct Payment {
    var rows = LoadedRows()
    var policy = TransferPolicy(fieldRules: FieldRules(characters: .unicode), schemeMaximum: [:])
    var now = ManualClock.noon
    var command: TransferCommand

    static let owner = customer(1)
    static let cents: Int64 = 5000
    /// Of `now`, until a test moves it.
    static let day = UTCDays().day(of: ManualClock.noon).number

    init(to creditor: IBAN = iban(2)) {
        command = transfer(Self.owner, key(1), intent(from: iban(1), to: creditor, "50.00"))
        rows.customers[Self.owner] = CustomerRow(restricted: false)
        add(Payment.account(1, of: Self.owner, balance: Self.cents))
        rows.underWay[StoreTestSupport.account(1)] = 0
        rows.nextPosting = 101
        rows.sequences[Self.owner] = 7
    }

    static func account(
        _ number: Int, of owner: CustomerID, balance: Int64, _ currency: Currency = eur
    ) -> AccountRow {
        AccountRow(
            id: StoreTestSupport.account(number), customer: owner, iban: iban(number),
            currency: currency, status: .active, balance: balance, perTransferLimit: nil,
            dailyLimit: nil, usageDay: 0, usedToday: 0, lastPosting: 99)
    }

    mutating func add(_ row: AccountRow) {
        rows.accounts[row.id] = row
        rows.directory[row.iban] = DirectoryEntry(customer: row.customer, account: row.id)
    }

    mutating func change(_ number: Int = 1, _ body: (inout AccountRow) -> Void) {
        if var row = rows.accounts[StoreTestSupport.account(number)] {
            body(&row)
            rows.accounts[row.id] = row
        }
    }

    var today: BusinessDay { UTCDays().day(of: now) }

    func plan(_ commands: [Command]? = nil) -> Plan {
        var ids = UUIDv7Generator(random: SeededRandomBytes(seed: 1))
        var rows = rows
        return Planner.plan(
            commands ?? [.transfer(command)], rows: &rows, policy: policy, now: now, today: today,
            ids: &ids)
    }

    /// Of the last command.
    func verdict(_ commands: [Command]? = nil) -> Verdict? {
        plan(commands).decisions.last.map(Verdict.init)
    }
}

@Suite("Planner: business rules")
struct PlannerRulesTests {
    /// What makes each rule say no, in the order in which the rules are asked.
    private static let obstacles: [(RejectionReason, @Sendable (inout Payment) -> Void)] = [
        (.customerRestricted, { $0.rows.customers[Payment.owner] = CustomerRow(restricted: true) }),
        (.accountNotFound, { $0.rows.directory[iban(1)] = nil }),
        (.accountClosed, { $0.change { $0.status = .closed } }),
        (.accountFrozen, { $0.change { $0.status = .frozen } }),
        (
            .currencyNotSupported,
            { payment in
                guard let row = payment.rows.accounts[account(1)] else { return }
                var other = Payment.account(
                    1, of: row.customer, balance: row.balance, currency("USD"))
                other.status = row.status
                payment.rows.accounts[row.id] = other
            }
        ),
        (
            .sameAccount,
            {
                $0.command = transfer(
                    Payment.owner, key(1), intent(from: iban(1), to: iban(1), "50.00"))
            }
        ),
        (.beneficiaryBlocked, { $0.rows.blocked = [iban(1), iban(2)] }),
        (.transferLimitExceeded, { $0.change { $0.perTransferLimit = Payment.cents - 1 } }),
        (.dailyLimitExceeded, { $0.change { $0.dailyLimit = Payment.cents - 1 } }),
        (.insufficientFunds, { $0.change { $0.balance = Payment.cents - 1 } }),
    ]

    @Test("There is an obstacle for every reason, in the documented order")
    func complete() {
        #expect(Self.obstacles.map(\.0) == RejectionReason.allCases)
    }

    @Test("Of any set of rules that say no, the first in the documented order is told")
    func order() {
        for set in 1..<1 << Self.obstacles.count {
            var payment = Payment()
            var first: RejectionReason?
            // From the last to the first, so that an earlier obstacle stays in the way.
            for (index, obstacle) in Self.obstacles.enumerated().reversed()
            where set & 1 << index != 0 {
                obstacle.1(&payment)
                first = obstacle.0
            }
            guard case .rejected(_, let reason, _)? = payment.plan().decisions.first else {
                Issue.record("set \(set) was not rejected")
                continue
            }
            #expect(reason == first, "set \(set)")
        }
    }

    @Test("What is exactly at a limit passes")
    func exactly() {
        var payment = Payment()
        payment.policy.schemeMaximum = [eur: Payment.cents]
        payment.change {
            $0.perTransferLimit = Payment.cents
            $0.dailyLimit = Payment.cents + 10
            $0.usageDay = Payment.day
            $0.usedToday = 10
        }
        #expect(payment.verdict() == .executed(balance: 0))
        payment.change { $0.usedToday = 11 }
        #expect(payment.verdict() == .rejected(.dailyLimitExceeded, balance: Payment.cents))
    }

    @Test("The scheme's maximum is a limit of its currency only")
    func schemeMaximum() {
        var payment = Payment()
        payment.policy.schemeMaximum = [eur: Payment.cents - 1]
        #expect(payment.verdict() == .rejected(.transferLimitExceeded, balance: Payment.cents))
        payment.policy.schemeMaximum = [currency("JPY"): 1]
        #expect(payment.verdict() == .executed(balance: 0))
    }

    @Test("An account of another customer is not found, and its balance is not told (Scenario 28)")
    func foreignAccount() {
        var payment = Payment()
        payment.command = transfer(
            customer(2), key(1), intent(from: iban(1), to: iban(2), "50.00"))
        let plan = payment.plan()
        #expect(plan.decisions.map(Verdict.init) == [.rejected(.accountNotFound, balance: nil)])
        #expect(plan.transfers.map(\.debtorAccount) == [nil])
        #expect(plan.newCustomers == [customer(2)])
        #expect(plan.changedAccounts.isEmpty)
    }

    @Test("An executed transfer has its postings, balance, counter, outbox row and event")
    func executed() throws {
        let payment = Payment()
        let plan = payment.plan()
        let row = try #require(plan.transfers.first)
        #expect(plan.decisions.map(Verdict.init) == [.executed(balance: 0)])
        #expect(row.state == .accepted)
        #expect(row.posting == 101)
        #expect(row.lastSequence == 8)
        #expect(row.businessDay == payment.today.number)
        #expect(plan.postings.map(\.id) == [101, 102])
        #expect(plan.postings.map(\.amount) == [-Payment.cents, Payment.cents])
        #expect(plan.postings.map(\.ledgerAccount) == [.customer(account(1)), .inTransit])
        #expect(plan.postings.map(\.previous) == [99, nil])
        #expect(
            plan.postings.allSatisfy { $0.entry == row.id.uuid && $0.customer == Payment.owner })
        let changed = try #require(plan.changedAccounts[account(1)])
        #expect(changed.balance == 0)
        #expect(changed.usedToday == Payment.cents)
        #expect(changed.usageDay == payment.today.number)
        #expect(changed.lastPosting == 101)
        #expect(plan.outbox.map(\.customer) == [Payment.owner])
        #expect(plan.outbox.map(\.transfer) == [row.id])
        #expect(plan.outbox.map(\.connector) == [.scheme])
        #expect(plan.events.map(\.customer) == [Payment.owner])
        #expect(plan.events.map(\.transfer) == [row.id])
        #expect(plan.events.map(\.sequence) == [8])
        #expect(plan.events.map(\.state) == [.accepted])
        #expect(plan.events.map(\.previous) == [nil])
    }

    @Test("A payee of this bank is paid by a booking")
    func connector() {
        var payment = Payment()
        payment.add(Payment.account(2, of: customer(2), balance: 0))
        #expect(payment.plan().outbox.map(\.connector) == [.book])
    }

    @Test("A rejection leaves a transfer and an event, and moves and uses nothing")
    func rejected() throws {
        var payment = Payment()
        payment.change {
            $0.dailyLimit = Payment.cents - 1
            $0.usageDay = Payment.day - 1
            $0.usedToday = 77
        }
        let plan = payment.plan()
        let row = try #require(plan.transfers.first)
        #expect(row.state == .rejected)
        #expect(row.rejection == .dailyLimitExceeded)
        #expect(row.posting == nil)
        #expect(plan.events.map(\.state) == [.rejected])
        #expect(plan.postings.isEmpty && plan.outbox.isEmpty && plan.changedAccounts.isEmpty)
    }

    @Test("A new day starts the counter anew, and an earlier day does not (Scenario 39b)")
    func days() throws {
        var payment = Payment()
        let today = payment.today.number
        payment.change {
            $0.dailyLimit = Payment.cents
            $0.usageDay = today - 1
            $0.usedToday = Payment.cents
        }
        let fresh = try #require(payment.plan().changedAccounts[account(1)])
        #expect(fresh.usageDay == today && fresh.usedToday == Payment.cents)

        payment.change { $0.usageDay = today + 1 }
        let late = payment.plan()
        #expect(
            late.decisions.map(Verdict.init)
                == [.rejected(.dailyLimitExceeded, balance: Payment.cents)])
        #expect(late.transfers.map(\.businessDay) == [today + 1])

        payment.change { $0.dailyLimit = 2 * Payment.cents }
        let allowed = payment.plan()
        #expect(allowed.transfers.map(\.businessDay) == [today + 1])
        #expect(allowed.changedAccounts[account(1)]?.usageDay == today + 1)
        #expect(allowed.changedAccounts[account(1)]?.usedToday == 2 * Payment.cents)
    }

    @Test("A counter that would overflow refuses instead of trapping")
    func counterOverflow() {
        var payment = Payment()
        payment.change {
            $0.usageDay = Payment.day
            $0.usedToday = .max - Payment.cents + 1
        }
        #expect(payment.verdict() == .rejected(.dailyLimitExceeded, balance: Payment.cents))
        payment.change { $0.usedToday = .max - Payment.cents }
        #expect(payment.verdict() == .executed(balance: 0))
    }

    @Test("The largest amount there is can be paid from the largest balance there is")
    func largest() {
        var payment = Payment()
        payment.change { $0.balance = .max }
        payment.command = transfer(
            Payment.owner, key(1), intent(from: iban(1), to: iban(2), "9999999999999999.99"))
        #expect(payment.verdict() == .executed(balance: .max - 999_999_999_999_999_999))
        payment.command = transfer(
            Payment.owner, key(1), intent(from: iban(1), to: iban(2), "92233720368547758"))
        #expect(payment.verdict() == .executed(balance: 7))
        payment.command = transfer(
            Payment.owner, key(1), intent(from: iban(1), to: iban(2), "92233720368547759"))
        #expect(payment.verdict() == .invalid)
    }
}
