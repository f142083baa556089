import Ledger
import Platform
import Store
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests {
    @Suite("Store contract: keys")
    struct ContractKeyTests {
        @Test(
            "A replay gives the very bytes of the first answer at any time (Scenarios 29 and 32)",
            arguments: StoreKind.all)
        func replay(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 0)
            let first = try #require(try bank.commit(pay(1, 1, "40.00")).first)
            let outcome = try #require(first.outcome)
            #expect(first.isReplay == false)
            #expect(outcome.statusCode == 201)
            #expect(first.body?.contains("60.00 EUR") == true)

            _ = try bank.settle()
            bank.under.clock.advance(seconds: 90_000)
            let others = try bank.under.another(
                seed: 2, clock: bank.under.clock, renderer: EchoRenderer())
            for writer in [bank.writer, try bank.under.store.makeWriter(), try others.makeWriter()]
            {
                let retry = pay(1, 1, "40", requestID: "request-2")
                let replay = try #require(try writer.commit([retry]).first)
                let stored = try #require(replay.outcome)
                #expect(replay.isReplay == true)
                #expect(stored.body == outcome.body)
                #expect(stored.statusCode == outcome.statusCode)
                #expect(stored.contentType == outcome.contentType)
                #expect(stored.kind == .executed)
                #expect(stored.transfer == outcome.transfer)
                #expect(stored.fingerprint == outcome.fingerprint)
                #expect(stored.receivedAt == outcome.receivedAt)
            }
            #expect(try bank.balance(1) == 6000)
            try bank.expectSound()
        }

        @Test(
            "Twins in one batch are one execution and one replay of its bytes",
            arguments: StoreKind.all)
        func twins(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(4000, 0)
            let results = try bank.commit(
                pay(1, 1, "40.00"), pay(1, 1, "40.00", requestID: "request-2"), pay(1, 1, "39.00"))
            #expect(results.map(\.isReplay) == [false, true, nil])
            #expect(results[0].body == results[1].body)
            #expect(results[2].differs == [.amount])
            #expect(try bank.balance(1) == 0)
            try bank.expectSound()
        }

        private static let others: [(SubmittedIntent, [IntentField])] = [
            (intent(from: iban(1), to: iban(2), "40.01"), [.amount]),
            (intent(from: iban(1), to: iban(3), "40.00"), [.creditorIBAN]),
            (intent(from: iban(2), to: iban(2), "40.00"), [.debtorIBAN]),
            (intent(from: iban(1), to: iban(2), "40.00", "USD"), [.currency]),
            (intent(from: iban(1), to: iban(2), "40.00", name: "Zoë"), [.creditorName]),
            (
                intent(from: iban(1), to: iban(2), "40.00", remittance: "x", endToEnd: "y"),
                [.remittanceInformation, .endToEndIdentification]
            ),
        ]

        @Test(
            "A reused key names the members that differ, and nothing is written (Scenario 16)",
            arguments: StoreKind.all)
        func reused(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 0)
            let first = try #require(try bank.commit(pay(1, 1, "40.00")).first?.outcome)
            let before = try bank.under.dump()
            bank.under.clock.advance(seconds: 5)
            for (other, differing) in Self.others {
                let result = try bank.commit(.transfer(transfer(customer(1), key(1), other))).first
                guard case .reused(let id, let receivedAt, let differs)? = result else {
                    Issue.record("not reused: \(String(describing: result))")
                    continue
                }
                #expect(differs == differing)
                #expect(id == first.transfer)
                #expect(receivedAt == first.receivedAt)
            }
            #expect(try bank.under.dump() == before)
        }

        @Test(
            "A reuse and a retry of one stored key in one batch do not blur each other",
            arguments: StoreKind.all)
        func reusedAndRetried(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 0)
            _ = try bank.commit(pay(1, 1, "40.00"))
            let results = try bank.commit(
                pay(1, 1, "40.01"), pay(1, 1, "40.00"), pay(1, 1, "40.00", to: 3))
            #expect(results.map(\.differs) == [[.amount], nil, [.creditorIBAN]])
            #expect(results.map(\.isReplay) == [nil, true, nil])
        }

        @Test(
            "A reused key names what differs from the largest amounts too",
            arguments: StoreKind.all,
            ["92233720368547758", "99999999999999.9", "0.01", "1234567.8"])
        func reusedLarge(kind: StoreKind, value: String) throws {
            let bank = try ContractBank(kind)
            try bank.open(1000, 0)
            _ = try bank.commit(pay(1, 1, value))
            #expect(try bank.commit(pay(1, 1, "7.00")).first?.differs == [.amount])
            #expect(try bank.commit(pay(1, 1, value)).first?.isReplay == true)
            try bank.expectSound()
        }

        @Test(
            "A refusal is stored and replayed, also when it would pass by now (Scenario 10)",
            arguments: StoreKind.all)
        func refusal(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(1000, 5000)
            let first = try #require(try bank.commit(pay(1, 1, "40.00")).first)
            #expect(first.outcome?.statusCode == 402)
            #expect(first.outcome?.kind == .rejected)
            #expect(first.outcome?.contentType == .problem)
            _ = try bank.commit(pay(2, 1, "50.00", to: 1))
            _ = try bank.settle()
            #expect(try bank.balance(1) == 6000)
            let replay = try #require(try bank.commit(pay(1, 1, "40.00")).first)
            #expect(replay.isReplay == true)
            #expect(replay.body == first.body)
            #expect(try bank.commit(pay(1, 2, "40.00")).first?.outcome?.statusCode == 201)
            try bank.expectSound()
        }

        @Test("Every rule's refusal can be stored", arguments: StoreKind.all)
        func everyRefusal(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(100, 100, 100, 0, 100)
            _ = try bank.commit(
                open(6, of: 6, euros(cents: 1000), perTransfer: 100, daily: 150),
                .setAccountStatus(SetAccountStatusCommand(iban: iban(3), status: .frozen)),
                .setAccountStatus(SetAccountStatusCommand(iban: iban(4), status: .closed)))
            try bank.under.restrict(customer(5))
            try bank.under.block(iban(66))
            let results = try bank.commit(
                pay(5, 1, "0.10"), pay(7, 1, "0.10"), pay(4, 1, "0.10"), pay(3, 1, "0.10"),
                .transfer(
                    transfer(
                        customer(1), key(1), intent(from: iban(1), to: iban(2), "0.10", "USD"))),
                pay(1, 2, "0.10", to: 1), pay(1, 3, "0.10", to: 66), pay(6, 1, "1.01"),
                pay(6, 2, "1.00"), pay(6, 3, "0.51"), pay(1, 4, "1.01"))
            let codes = results.map { $0.body?.prefix { $0 != " " } }
            let refusals = codes.enumerated().filter { $0.offset != 8 }.map(\.element)
            #expect(refusals == RejectionReason.allCases.map { $0.code[...] })
            #expect(results[8].outcome?.statusCode == 201)
            for (result, number) in zip(results, 0...) {
                let view = try bank.reader.transfer(
                    try #require(result.outcome?.transfer),
                    of: customer([5, 7, 4, 3, 1, 1, 1, 6, 6, 6, 1][number]))
                #expect(view?.transfer.state == (number == 8 ? .accepted : .rejected))
                #expect(
                    view?.transfer.rejection?.code
                        == (number == 8 ? nil : codes[number].map(String.init)))
            }
            try bank.expectSound()
        }

        @Test(
            "What field rules refuse leaves no row, and the key stays free",
            arguments: StoreKind.all)
        func invalid(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 0)
            let before = try bank.under.dump()
            let result = try bank.commit(pay(1, 1, "1.234"), pay(9, 1, "1.234"))
            for result in result {
                guard case .invalid(let errors) = result else {
                    Issue.record("not invalid: \(result)")
                    continue
                }
                #expect(errors.map(\.pointer) == ["/instructedAmount/amount"])
            }
            #expect(try bank.under.dump() == before)
            #expect(try bank.commit(pay(1, 1, "1.23")).first?.outcome?.statusCode == 201)
            try bank.expectSound()
        }

        @Test("Two customers' same key is two keys (Scenario 26)", arguments: StoreKind.all)
        func scopes(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 10_000)
            let results = try bank.commit(pay(1, 1, "1.00"), pay(2, 1, "2.00", to: 1))
            #expect(results.map(\.isReplay) == [false, false])
            #expect(results[0].outcome?.transfer != results[1].outcome?.transfer)
            let other = try #require(results[1].outcome?.transfer)
            #expect(try bank.reader.transfer(other, of: customer(1)) == nil)
            #expect(
                try bank.reader.transfer(of: IntentID(customer: customer(3), key: key(1))) == nil)
            #expect(try bank.commit(pay(1, 1, "1.00")).first?.body == results[0].body)
            #expect(try bank.commit(pay(2, 1, "2.00", to: 1)).first?.body == results[1].body)
            try bank.expectSound()
        }

        @Test("Texts of any language are kept as they are", arguments: StoreKind.all)
        func texts(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 0)
            let sent = intent(
                from: iban(1), to: iban(2), "1.00", name: "Žofie Ünal 東京 👩‍👩‍👧",
                remittance: "'; DROP TABLE transfers; --", endToEnd: "e\u{301}",
                confirmedAt: Instant(seconds: 12))
            let command = Command.transfer(transfer(customer(1), key(1), sent))
            _ = try bank.commit(command)
            let row = try bank.reader.transfer(of: IntentID(customer: customer(1), key: key(1)))?
                .transfer
            #expect(row?.creditorName == sent.creditorName)
            #expect(row?.remittanceInformation == "'; DROP TABLE transfers; --")
            #expect(row?.endToEndIdentification == "\u{E9}")
            #expect(row?.confirmedAt == Instant(seconds: 12))
            #expect(try bank.commit(command).first?.isReplay == true)
            try bank.expectSound()
        }
    }
}
