import Ledger
import Platform
import StoreTestSupport
import Testing

/// A transfer that customer 1 has made to account 2 of customer 2, as a settlement step finds it.
private struct Booking {
    var payment = Payment()
    var transfer: TransferRow

    init(state: TransferState = .accepted) throws {
        payment.change { $0.balance = 3 * Payment.cents }
        payment.add(Payment.account(2, of: customer(2), balance: 10))
        transfer = try #require(payment.plan().transfers.first)
        transfer.state = state
        payment.rows.transfers[transfer.id] = transfer
        payment.change {
            $0.balance = 2 * Payment.cents
            $0.usageDay = Payment.day
            $0.usedToday = Payment.cents
        }
        payment.rows.sequences[Payment.owner] = 8
        payment.rows.nextPosting = 201
    }

    var credit: Command {
        .credit(
            CreditCommand(
                payee: customer(2), account: account(2), transfer: transfer.id,
                money: transfer.money))
    }

    func conclude(_ decision: CreditDecision, payer: CustomerID = Payment.owner) -> Command {
        .conclude(
            ConcludeCommand(payer: payer, transfer: transfer.id, outboxID: 5, decision: decision))
    }
}

@Suite("Planner: bookings and openings")
struct PlannerSettlementTests {
    @Test("A credit posts the money to the payee's account")
    func credited() throws {
        let booking = try Booking()
        let plan = booking.payment.plan([booking.credit])
        #expect(plan.decisions.map(Verdict.init) == [.credit(.credited)])
        #expect(plan.postings.map(\.amount) == [Payment.cents, -Payment.cents])
        #expect(plan.postings.map(\.ledgerAccount) == [.customer(account(2)), .inTransit])
        #expect(plan.postings.allSatisfy { $0.customer == customer(2) })
        #expect(plan.credits.map(\.posting) == [201])
        #expect(plan.changedAccounts[account(2)]?.balance == Payment.cents + 10)
        // The payer's side is another command.
        #expect(plan.changedTransfers.isEmpty && plan.events.isEmpty)
    }

    private static let refusals: [(ReturnReason, @Sendable (inout Payment) -> Void)] = [
        (.payeeAccountNotFound, { $0.rows.accounts[account(2)] = nil }),
        (.payeeAccountFrozen, { $0.change(2) { $0.status = .frozen } }),
        (.payeeAccountClosed, { $0.change(2) { $0.status = .closed } }),
        (
            .payeeCurrencyDiffers,
            { $0.add(Payment.account(2, of: customer(2), balance: 0, currency("USD"))) }
        ),
        (.payeeBalanceOverflow, { $0.change(2) { $0.balance = .max - Payment.cents + 1 } }),
    ]

    @Test("Each reason of the payee's side is a stored refusal that posts nothing")
    func refused() throws {
        #expect(Self.refusals.map(\.0) == ReturnReason.allCases)
        for (reason, obstacle) in Self.refusals {
            var booking = try Booking()
            obstacle(&booking.payment)
            let plan = booking.payment.plan([booking.credit])
            #expect(plan.decisions.map(Verdict.init) == [.credit(.refused(reason))])
            #expect(plan.credits.map(\.decision) == [.refused(reason)])
            #expect(plan.postings.isEmpty && plan.changedAccounts.isEmpty)
        }
    }

    @Test("An account that another customer has is not the payee's")
    func foreignPayee() throws {
        var booking = try Booking()
        booking.payment.add(Payment.account(2, of: customer(3), balance: 0))
        #expect(
            booking.payment.verdict([booking.credit]) == .credit(.refused(.payeeAccountNotFound)))
    }

    @Test("A payee's balance can grow to the largest there is")
    func full() throws {
        var booking = try Booking()
        booking.payment.change(2) { $0.balance = .max - Payment.cents }
        #expect(booking.payment.verdict([booking.credit]) == .credit(.credited))
    }

    @Test("The first decision stands, whatever becomes of the account (Scenario 50)")
    func firstDecision() throws {
        var booking = try Booking()
        booking.payment.change(2) { $0.status = .frozen }
        let thaw = Command.setAccountStatus(
            SetAccountStatusCommand(iban: iban(2), status: .active))
        let plan = booking.payment.plan([booking.credit, thaw, booking.credit])
        #expect(plan.decisions.map(Verdict.init).last == .credit(.refused(.payeeAccountFrozen)))
        #expect(plan.credits.count == 1)
        #expect(plan.postings.isEmpty)
    }

    @Test("A credited transfer is settled, by way of submitted")
    func settled() throws {
        let booking = try Booking()
        let plan = booking.payment.plan([booking.conclude(.credited)])
        #expect(plan.decisions.map(Verdict.init) == [.concluded(.settled)])
        #expect(plan.events.map(\.state) == [.submitted, .settled])
        #expect(plan.events.map(\.sequence) == [9, 10])
        #expect(plan.events.map(\.previous) == [8, 9])
        #expect(plan.changedTransfers[booking.transfer.id]?.lastSequence == 10)
        #expect(plan.postings.isEmpty)
        #expect(plan.finishedOutbox == [5])
    }

    @Test(
        "A refused transfer gives the money back, whatever the account's status is now",
        arguments: [AccountStatus.active, .frozen, .closed])
    func returned(status: AccountStatus) throws {
        var booking = try Booking()
        booking.payment.change { $0.status = status }
        let plan = booking.payment.plan([booking.conclude(.refused(.payeeAccountFrozen))])
        #expect(plan.decisions.map(Verdict.init) == [.concluded(.returned)])
        let row = try #require(plan.changedTransfers[booking.transfer.id])
        #expect(row.state == .returned)
        #expect(row.returned == .payeeAccountFrozen)
        #expect(row.returnPosting == 201)
        #expect(plan.postings.map(\.amount) == [Payment.cents, -Payment.cents])
        let debtor = try #require(plan.changedAccounts[account(1)])
        #expect(debtor.balance == 3 * Payment.cents)
        // A return does not give the day's limit back.
        #expect(debtor.usedToday == Payment.cents)
    }

    @Test(
        "A transfer that has ended is not moved again (Scenarios 48 and 50)",
        arguments: [CreditDecision.credited, .refused(.payeeAccountClosed)])
    func repeated(_ second: CreditDecision) throws {
        let booking = try Booking()
        let plan = booking.payment.plan([booking.conclude(.credited), booking.conclude(second)])
        #expect(plan.decisions.map(Verdict.init) == [.concluded(.settled), .concluded(.settled)])
        #expect(plan.events.count == 2)
        #expect(plan.postings.isEmpty)
    }

    @Test("Money that the account cannot hold stays in transit, with its outbox row")
    func fullDebtor() throws {
        var booking = try Booking()
        booking.payment.change { $0.balance = .max }
        let plan = booking.payment.plan([booking.conclude(.refused(.payeeAccountFrozen))])
        #expect(plan.decisions.map(Verdict.init) == [.concluded(.accepted)])
        #expect(plan.isReadOnly && plan.finishedOutbox.isEmpty && plan.events.isEmpty)
    }

    @Test("A transfer that is held is not concluded")
    func held() throws {
        let booking = try Booking(state: .held)
        let plan = booking.payment.plan([booking.conclude(.credited)])
        #expect(plan.decisions.map(Verdict.init) == [.concluded(.held)])
        #expect(plan.isReadOnly)
    }

    @Test(
        "An unknown transfer is ended by its answer",
        arguments: [TransferState.submitted, .unknown])
    func unknown(state: TransferState) throws {
        let booking = try Booking(state: state)
        let plan = booking.payment.plan([booking.conclude(.credited)])
        #expect(plan.events.map(\.state) == [.settled])
    }

    @Test("Nobody concludes another customer's transfer, nor one that is not there")
    func foreign() throws {
        let booking = try Booking()
        let foreign = booking.conclude(.refused(.payeeAccountFrozen), payer: customer(2))
        #expect(booking.payment.verdict([foreign]) == .unknown)
        var gone = booking
        gone.payment.rows.transfers = [:]
        #expect(gone.payment.verdict([booking.conclude(.credited)]) == .unknown)
    }

    @Test("An account is opened with money from the funding account, and can pay at once")
    func opened() throws {
        let payment = Payment()
        let pay = Command.transfer(
            transfer(customer(8), key(1), intent(from: iban(8), to: iban(1), "1.00")))
        let plan = payment.plan([open(8, of: 8, euros(cents: 100)), pay])
        #expect(plan.decisions.map(Verdict.init) == [.opened, .executed(balance: 0)])
        #expect(plan.newCustomers == [customer(8)])
        #expect(plan.newAccounts.map(\.balance) == [0])
        #expect(plan.postings.map(\.amount) == [100, -100, -100, 100])
        #expect(plan.postings[1].ledgerAccount == .funding)
        #expect(plan.postings[2].previous == plan.postings[0].id)
        #expect(plan.outbox.map(\.connector) == [.book])
    }

    @Test("An account without money has no posting, and an IBAN is given once")
    func openedTwice() {
        let payment = Payment()
        let plan = payment.plan([
            open(8, of: 8, euros(cents: 0)), open(8, of: 8, euros(cents: 5)),
            open(1, of: 8, euros(cents: 5)),
        ])
        #expect(plan.decisions.map(Verdict.init) == [.opened, .existed, .existed])
        #expect(plan.postings.isEmpty)
        #expect(plan.newAccounts.count == 1)
    }
}
