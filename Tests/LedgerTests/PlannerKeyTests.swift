import Ledger
import Platform
import StoreTestSupport
import Testing

@Suite("Planner: keys")
struct PlannerKeyTests {
    @Test("The same content again is the known outcome of the first in the batch")
    func twin() throws {
        let payment = Payment()
        let retry = transfer(
            Payment.owner, key(1), payment.command.intent, requestID: "request-2")
        let plan = payment.plan([.transfer(payment.command), .transfer(retry)])
        guard case .known(let known)? = plan.decisions.last else {
            Issue.record("not known: \(plan.decisions)")
            return
        }
        #expect(known.source == .planned(0))
        #expect(known.kind == .executed)
        #expect(known.transfer == plan.transfers.first?.id)
        #expect(plan.transfers.count == 1)
        #expect(plan.postings.count == 2)
    }

    @Test("A refusal is known too, and the twin is not asked about funds (Scenarios 3 and 10)")
    func refusedTwin() {
        var payment = Payment()
        payment.change { $0.balance = 1 }
        let plan = payment.plan([.transfer(payment.command), .transfer(payment.command)])
        #expect(
            plan.decisions.map(Verdict.init)
                == [.rejected(.insufficientFunds, balance: 1), .repeated])
        #expect(plan.transfers.count == 1)
    }

    @Test(
        "Other content under a key names the members that differ (Scenario 16)",
        arguments: [
            (intent(from: iban(1), to: iban(2), "50.01"), [IntentField.amount]),
            (intent(from: iban(1), to: iban(3), "50.00"), [.creditorIBAN]),
            (intent(from: iban(3), to: iban(2), "50.00"), [.debtorIBAN]),
            (intent(from: iban(1), to: iban(2), "50.00", "USD"), [.currency]),
            (intent(from: iban(1), to: iban(2), "50.00", name: "Marie Curiee"), [.creditorName]),
            (
                intent(from: iban(1), to: iban(2), "50.00", remittance: ""),
                [.remittanceInformation]
            ),
            (
                intent(from: iban(1), to: iban(2), "50", name: "Pierre", endToEnd: "E"),
                [.creditorName, .endToEndIdentification]
            ),
        ])
    func reused(_ other: SubmittedIntent, _ differs: [IntentField]) {
        let payment = Payment()
        let second = Command.transfer(transfer(Payment.owner, key(1), other))
        let plan = payment.plan([.transfer(payment.command), second])
        #expect(plan.decisions.map(Verdict.init) == [.executed(balance: 0), .reused(differs)])
        #expect(plan.transfers.count == 1)
    }

    @Test("Content that is written another way, or confirmed at another time, is the same content")
    func sameContent() {
        let payment = Payment()
        let again = intent(
            from: iban(1), to: iban(2), "50.0", confirmedAt: Instant(seconds: 1))
        let retry = Command.transfer(transfer(Payment.owner, key(1), again))
        #expect(payment.verdict([.transfer(payment.command), retry]) == .repeated)
    }

    @Test("The same key of another customer is another key (Scenario 26)")
    func otherCustomer() {
        var payment = Payment()
        payment.add(Payment.account(2, of: customer(2), balance: 9000))
        let other = Command.transfer(
            transfer(customer(2), key(1), intent(from: iban(2), to: iban(1), "90.00")))
        let plan = payment.plan([.transfer(payment.command), other])
        #expect(plan.decisions.map(Verdict.init) == [.executed(balance: 0), .executed(balance: 0)])
        #expect(plan.events.map(\.sequence) == [8, 1])
    }

    @Test("Two keys with the same content both execute (Scenario 41)")
    func twoKeys() {
        var payment = Payment()
        payment.change { $0.balance = 2 * Payment.cents }
        let again = Command.transfer(transfer(Payment.owner, key(2), payment.command.intent))
        let plan = payment.plan([.transfer(payment.command), again])
        #expect(
            plan.decisions.map(Verdict.init)
                == [.executed(balance: Payment.cents), .executed(balance: 0)])
        #expect(plan.postings.map(\.previous) == [99, nil, 101, nil])
    }

    /// A stored outcome of the payment's key.
    private func known(
        _ kind: OutcomeKind, _ fingerprint: Fingerprint?, original: SubmittedIntent? = nil
    ) -> KnownOutcome {
        KnownOutcome(
            kind: kind, source: .stored, fingerprint: fingerprint,
            transfer: kind == .revoked ? nil : TransferID(key(9).uuid),
            receivedAt: ManualClock.noon,
            original: original)
    }

    @Test("A stored outcome comes before every rule, tightened ones included (Scenario 45)")
    func storedFirst() {
        var payment = Payment()
        payment.rows.outcomes[payment.command.id] = known(
            .executed, payment.command.intent.fingerprint)
        payment.rows.customers[Payment.owner] = CustomerRow(restricted: true)
        payment.policy.fieldRules.creditorNameLength = 1...2
        payment.policy.fieldRules.currencies = CurrencyTable([])
        let plan = payment.plan()
        #expect(plan.decisions.map(Verdict.init) == [.repeated])
        #expect(plan.isReadOnly)
    }

    @Test("A revoked key gives its outcome to any content (Scenario 46)")
    func revoked() {
        var payment = Payment()
        payment.rows.outcomes[payment.command.id] = known(.revoked, nil)
        #expect(payment.verdict() == .repeated)
        #expect(payment.plan().isReadOnly)
    }

    @Test("A stored fingerprint of a version that is not known is other content")
    func unknownVersion() {
        var payment = Payment()
        let stored = Fingerprint(version: 9, digest: payment.command.intent.fingerprint.digest)
        payment.rows.outcomes[payment.command.id] = known(.executed, stored)
        #expect(payment.verdict() == .reused([]))
    }

    @Test("What a field rule refuses leaves nothing, and all errors are told in order")
    func invalid() {
        var payment = Payment()
        payment.command = transfer(
            customer(5), key(1),
            intent(
                from: iban(1), to: iban(2), "1.234", name: String(repeating: "x", count: 71),
                remittance: ""))
        let plan = payment.plan()
        #expect(plan.isReadOnly)
        guard case .invalid(let errors)? = plan.decisions.first else {
            Issue.record("not invalid: \(plan.decisions)")
            return
        }
        #expect(
            errors.map(\.pointer) == [
                "/instructedAmount/amount", "/creditorName", "/remittanceInformationUnstructured",
            ])
        // Nothing was claimed: the key is free for a corrected attempt.
        let corrected = Command.transfer(transfer(customer(5), key(1), Payment().command.intent))
        #expect(
            payment.verdict([.transfer(payment.command), corrected])
                == .rejected(.accountNotFound, balance: nil))
    }
}
