import Ledger
import Platform
import StoreTestSupport
import Testing

@Suite("Planner: what staff do to accounts and customers")
struct PlannerAccountTests {
    @Test(
        "A status is set for the next attempt, and setting it again changes nothing (Scenario 40)")
    func status() {
        let payment = Payment()
        let freeze = Command.setAccountStatus(
            SetAccountStatusCommand(iban: iban(1), status: .frozen))
        #expect(
            payment.plan([freeze, .transfer(payment.command)]).decisions.map(Verdict.init)
                == [.statusSet, .rejected(.accountFrozen, balance: Payment.cents)])
        var frozen = payment
        frozen.change { $0.status = .frozen }
        #expect(frozen.plan([freeze]).isReadOnly)
        let nobody = Command.setAccountStatus(
            SetAccountStatusCommand(iban: iban(77), status: .frozen))
        #expect(payment.verdict([nobody]) == .unknown)
    }

    private func set(_ status: AccountStatus) -> Command {
        .setAccountStatus(SetAccountStatusCommand(iban: iban(1), status: status))
    }

    @Test("An account with money is not closed, whoever holds the last cent")
    func closeWithMoney() {
        var payment = Payment()
        payment.change { $0.balance = 1 }
        let plan = payment.plan([set(.closed)])
        guard case .accountNotEmpty(let entry, let money)? = plan.decisions.first else {
            Issue.record("decided as \(plan.decisions)")
            return
        }
        #expect(entry.account == account(1))
        #expect(money == euros(cents: 1))
        #expect(plan.isReadOnly)
        // A frozen one neither.
        payment.change { $0.status = .frozen }
        #expect(payment.verdict([set(.closed)]) == .notEmpty)
    }

    @Test("An account without money is closed for ever, and pays and is paid no more")
    func closed() {
        var payment = Payment()
        payment.change { $0.balance = 0 }
        let plan = payment.plan([
            set(.closed), set(.closed), set(.active), set(.frozen), .transfer(payment.command),
        ])
        #expect(
            plan.decisions.map(Verdict.init) == [
                .statusSet, .statusSet, .closed, .closed, .rejected(.accountClosed, balance: 0),
            ])
        #expect(plan.changedAccounts[account(1)]?.status == .closed)
        payment.change { $0.status = .closed }
        for status in [AccountStatus.active, .frozen, .closed] {
            #expect(payment.plan([set(status)]).isReadOnly)
        }
    }

    @Test("An account is not closed while money that left it may come back")
    func closeUnderWay() throws {
        var payment = Payment()
        payment.add(Payment.account(2, of: customer(2), balance: 0))
        let pay = Command.transfer(payment.command)
        let paid = payment.plan([pay, set(.closed)])
        guard case .accountAwaits(let entry, let payments)? = paid.decisions.last else {
            Issue.record("decided as \(paid.decisions)")
            return
        }
        #expect(entry.account == account(1))
        #expect(payments == 1)
        #expect(paid.changedAccounts[account(1)]?.status == .active)

        // The payee's account may be closed: that money is not its own yet.
        #expect(
            payment.verdict([
                pay,
                .setAccountStatus(
                    SetAccountStatusCommand(iban: iban(2), status: .closed)),
            ]) == .statusSet)

        let transfer = try #require(paid.transfers.first)
        payment.rows.transfers[transfer.id] = transfer
        payment.rows.underWay[account(1)] = 1
        payment.change { $0.balance = 0 }
        let end = ConcludeCommand(
            payer: Payment.owner, transfer: transfer.id, outboxID: 5, decision: .credited)
        // Once it has ended; an end that is told twice counts once.
        #expect(
            payment.plan([set(.closed), .conclude(end), .conclude(end), set(.closed)]).decisions
                .map(Verdict.init)
                == [.awaits, .concluded(.settled), .concluded(.settled), .statusSet])
        payment.rows.underWay[account(1)] = 2
        #expect(payment.verdict([.conclude(end), .conclude(end), set(.closed)]) == .awaits)
    }

    @Test("Money that came back to a closed account does not open it, and closing again is well")
    func closedWithMoney() {
        var payment = Payment()
        payment.change { $0.status = .closed }
        #expect(payment.verdict([set(.closed)]) == .statusSet)
        #expect(payment.verdict([set(.active)]) == .closed)
    }

    private func limits(
        perTransfer: LimitChange = .keep, daily: LimitChange = .keep, of number: Int = 1
    ) -> Command {
        .setAccountLimits(
            SetAccountLimitsCommand(
                iban: iban(number), perTransfer: perTransfer, daily: daily))
    }

    @Test(
        "A limit holds from the next attempt on, up to and including itself",
        arguments: [
            (.set(Payment.cents), .keep, .executed(balance: 0)),
            (
                .set(Payment.cents - 1), .keep,
                .rejected(.transferLimitExceeded, balance: Payment.cents)
            ),
            (.set(0), .keep, .rejected(.transferLimitExceeded, balance: Payment.cents)),
            (.keep, .set(Payment.cents), .executed(balance: 0)),
            (
                .keep, .set(Payment.cents - 1),
                .rejected(.dailyLimitExceeded, balance: Payment.cents)
            ),
            (.set(.max), .set(.max), .executed(balance: 0)),
        ] as [(LimitChange, LimitChange, Verdict)])
    func limited(perTransfer: LimitChange, daily: LimitChange, verdict: Verdict) {
        let payment = Payment()
        let plan = payment.plan([
            limits(perTransfer: perTransfer, daily: daily), .transfer(payment.command),
        ])
        #expect(plan.decisions.map(Verdict.init) == [.limitsSet, verdict])
    }

    @Test("Each limit is kept, lifted or set by itself, and what is as it was writes nothing")
    func limitChanges() {
        var payment = Payment()
        payment.change {
            $0.perTransferLimit = 100
            $0.dailyLimit = 200
        }
        let lifted = payment.plan([limits(perTransfer: .lift), limits(daily: .set(7))])
        #expect(lifted.changedAccounts[account(1)]?.perTransferLimit == nil)
        #expect(lifted.changedAccounts[account(1)]?.dailyLimit == 7)
        #expect(lifted.postings.isEmpty)
        for same in [limits(), limits(perTransfer: .set(100), daily: .set(200))] {
            #expect(payment.plan([same]).isReadOnly)
        }
        #expect(payment.verdict([limits(daily: .lift, of: 77)]) == .unknown)
        payment.change { $0.status = .closed }
        #expect(payment.verdict([limits(daily: .lift)]) == .closed)
        #expect(payment.plan([limits(daily: .lift)]).isReadOnly)
    }

    @Test("A restriction holds from the next attempt on, and a lifted one no more")
    func restriction() {
        let payment = Payment()
        func restrict(_ restricted: Bool, _ number: Int = 1) -> Command {
            .restrictCustomer(
                RestrictCustomerCommand(customer: customer(number), restricted: restricted))
        }
        let again = Command.transfer(
            transfer(Payment.owner, key(2), intent(from: iban(1), to: iban(2), "1.00")))
        let plan = payment.plan([
            restrict(true), .transfer(payment.command), restrict(false), again,
        ])
        #expect(
            plan.decisions.map(Verdict.init).filter { $0 != .unknown } == [
                .rejected(.customerRestricted, balance: Payment.cents),
                .executed(balance: Payment.cents - 100),
            ])
        #expect(payment.plan([restrict(false)]).isReadOnly)
        guard case .customerUnknown? = payment.plan([restrict(true, 9)]).decisions.first else {
            Issue.record("an unknown customer was restricted")
            return
        }
    }
}
