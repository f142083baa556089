import Bank
import JSON
import Ledger
import Platform
import TestSupport
import Testing

extension DatabaseTests.IntegrationTests {
    @Suite("Keys, customers and time")
    struct Truths {
        @Test("Scenario 24: quoted, bare, upper and lower case are one key")
        func spellings() async throws {
            try await withEndpoint { server in
                let key = newKey()
                let first = try await server.pay(key: key)
                #expect(first.status == 201)
                for spelling in [
                    key.uppercased(), "\"\(key)\"", "\"\(key.uppercased())\"", "  \(key)\t",
                ] {
                    expectReplay(try await server.pay(key: spelling), of: first)
                }
            }
        }

        @Test("Scenario 24: refused keys stand in no log as they came")
        func logs() async throws {
            try await withBank { bank in
                for key in ["../x", "a\u{1}b", "<script>", "\u{1B}[31mred"] {
                    #expect(try await bank.endpoint.pay(key: key).status == 400)
                }
                _ = try await bank.endpoint.pay(Payment(amount: "99999999.00"), key: newKey())
                _ = try await bank.endpoint.pay(Payment(), key: newKey())
                let log = try bank.logText
                #expect(log.utf8.allSatisfy { $0 == 0x0A || (0x20..<0x7F).contains($0) })
                for secret in [
                    IBANs.alice, IBANs.elsewhere, "Marie", bank.token("alice"), "<script>", "../x",
                ] {
                    #expect(!log.contains(secret))
                }
            }
        }

        @Test("Scenario 26: one key of two customers names two intents")
        func twoCustomers() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let key = newKey()
                let bobs = Payment(debtor: IBANs.bob, amount: "7.00")
                let alice = try await server.pay(Payment(), key: key)
                #expect(
                    try await server.byKey(key, token: bank.token("bob")).code == "key_unknown")
                let bob = try await server.pay(bobs, key: key, token: bank.token("bob"))
                #expect(alice.status == 201)
                #expect(bob.status == 201)
                #expect(bob["Idempotent-Replayed"] == nil)
                expectReplay(try await server.pay(Payment(), key: key), of: alice)
                expectReplay(
                    try await server.pay(bobs, key: key, token: bank.token("bob")), of: bob)
                #expect(try await server.byKey(key).transferID == alice.transferID)
                #expect(
                    try await server.byKey(key, token: bank.token("bob")).transferID
                        == bob.transferID)
            }
        }

        @Test("Scenario 28: with another customer's token the debtor's account is not theirs")
        func foreignToken() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let key = newKey()
                let first = try await server.pay(Payment(), key: key)
                let foreign = try await server.pay(Payment(), key: key, token: bank.token("bob"))
                expectProblem(
                    foreign, 402, "account_not_found", retry: "no",
                    more: ["transferId", "transferStatus"])
                let none = try await server.pay(
                    Payment(debtor: IBANs.german(1)), key: newKey(), token: bank.token("bob"))
                #expect(none.code == "account_not_found")
                #expect(none.memberNames == foreign.memberNames)
                #expect(try bank.balance(IBANs.alice) == 995_000)
                expectReplay(try await server.pay(Payment(), key: key), of: first)
            }
        }

        @Test("Scenario 32: when the transfer has settled, the replay still has the first bytes")
        func settled() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let key = newKey()
                let payment = Payment(creditor: IBANs.bob)
                let first = try await server.pay(payment, key: key)
                #expect(first.transferStatus == "accepted")
                #expect(
                    try await eventually {
                        try server.exchange(.byKey(key, token: server.token)).transferStatus
                            == "settled"
                    })
                try await Self.expectReplays(of: first, payment, key, bank)
                let now = try await server.byKey(key)
                let history = now.json?["history"].map { Array($0.elements) } ?? []
                #expect(
                    history.map { $0["status"]?.string } == ["accepted", "submitted", "settled"])
                #expect(try bank.balance(IBANs.bob) == 255_000)
            }
        }

        @Test("Scenario 32: when the money came back, the replay still has the first bytes")
        func returned() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                try await bank.setStatus(.frozen, of: IBANs.bob)
                let key = newKey()
                let payment = Payment(creditor: IBANs.bob)
                let first = try await server.pay(payment, key: key)
                #expect(first.status == 201)
                #expect(
                    try await eventually {
                        try server.exchange(.byKey(key, token: server.token)).transferStatus
                            == "returned"
                    })
                try await Self.expectReplays(of: first, payment, key, bank)
                #expect(try bank.balance(IBANs.alice) == 1_000_000)
                #expect(try bank.balance(IBANs.bob) == 250_000)
            }
        }

        /// From the event loop's memory, and from the store by another server.
        private static func expectReplays(
            of first: HTTPAnswer, _ payment: Payment, _ key: String, _ bank: TestBank
        ) async throws {
            let beside = try await blocking { try TestBank(beside: bank) }
            for server in [bank.endpoint, beside.endpoint] {
                expectReplay(try await server.pay(payment, key: key), of: first)
            }
            try await beside.stop()
        }

        @Test("Scenario 33: a replay writes nothing: no event, no posting, no work for settlement")
        func noEvent() async throws {
            try await withBank { bank in
                let (executed, refused) = (newKey(), newKey())
                let tooMuch = Payment(amount: "10000.01")
                _ = try await bank.endpoint.pay(Payment(), key: executed)
                _ = try await bank.endpoint.pay(tooMuch, key: refused)
                let tables = ["outcomes", "transfers", "postings", "outbox", "events"]
                let before = try tables.map { try bank.count($0) }
                let beside = try await blocking { try TestBank(beside: bank) }
                for server in [bank.endpoint, beside.endpoint] {
                    for _ in 0..<3 {
                        #expect(try await server.pay(Payment(), key: executed).status == 201)
                        #expect(try await server.pay(tooMuch, key: refused).status == 402)
                        #expect(try await server.pay(tooMuch, key: executed).status == 422)
                    }
                }
                #expect(try tables.map { try bank.count($0) } == before)
                try await beside.stop()
            }
        }

        @Test("Scenario 37: a payment from an account to itself is refused, in any spelling")
        func toItself() async throws {
            try await withBank { bank in
                for creditor in [IBANs.alice, "de89 3704 0044 0532 0130 00"] {
                    let answer = try await bank.endpoint.pay(
                        Payment(creditor: creditor), key: newKey())
                    #expect(answer.code == "same_account")
                }
                #expect(
                    try bank.database().integer(
                        "SELECT count(*) FROM (SELECT currency FROM postings GROUP BY currency HAVING sum(amount) <> 0) AS wrong"
                    ) == 0)
            }
        }

        @Test(
            "Scenario 45: rules and tables that were tightened between attempts leave replays alone"
        )
        func tightened() async throws {
            try await withBank { bank in
                let key = newKey()
                let payment = Payment(amount: "12.34", name: "Ren\u{E9} \u{4E2D}")
                let first = try await bank.endpoint.pay(payment, key: key)
                #expect(first.status == 201)
                var options = TestBank.Options()
                options.change = { parts, _ in
                    var rules = FieldRules(characters: .sepa)
                    rules.creditorNameLength = 1...2
                    rules.currencies = CurrencyTable([])
                    rules.ibans = IBANRegistry(lengths: [:])
                    parts.policy.fieldRules = rules
                }
                let tight = try await blocking { [options] in try TestBank(options, beside: bank) }
                expectReplay(try await tight.endpoint.pay(payment, key: key), of: first)
                expectReplay(try await tight.endpoint.pay(payment, key: key), of: first)
                let other = try await tight.endpoint.pay(
                    payment.with { $0.amount = "12.35" }, key: key)
                #expect(other.code == "idempotency_key_reused")
                let new = try await tight.endpoint.pay(payment, key: newKey())
                expectProblem(new, 400, "request_invalid", retry: "no", more: ["errors"])
                #expect(
                    new.errorPointers == [
                        "/debtorAccount/iban", "/instructedAmount/currency",
                        "/creditorAccount/iban", "/creditorName",
                    ])
                try await tight.stop()
            }
        }

        @Test("Requests on one connection are answered in order, pipelined ones too")
        func pipelined() async throws {
            try await withEndpoint { server in
                let keys = (0..<20).map { _ in newKey() }
                let answers = try await blocking {
                    let client = try HTTPClient(address: server.address, port: server.port)
                    let requests = keys.enumerated().flatMap { index, key in
                        [
                            HTTPRequest.payment(server.payment, key: key, token: server.token)
                                .with(framing: index % 2 == 0 ? .length : .chunked(bytes: 50)),
                            .byKey(key, token: server.token),
                        ]
                    }
                    client.send(requests.flatMap(\.bytes))
                    return try requests.map { _ in try client.receive() }
                }
                for (index, key) in keys.enumerated() {
                    let (paid, found) = (answers[2 * index], answers[2 * index + 1])
                    #expect(paid.status == 201)
                    #expect(paid.json?["idempotencyKey"]?.string == key)
                    // After a 201 a look-up never says 404.
                    #expect(found.status == 200)
                    #expect(found.transferID == paid.transferID)
                }
            }
        }

        @Test("A client that waits for 100 Continue gets it, and not where the head is refused")
        func continues() async throws {
            try await withEndpoint { server in
                let request = HTTPRequest.payment(
                    server.payment, key: newKey(), token: server.token
                ).with("Expect", "100-continue")
                let (good, bad) = try await blocking {
                    func answer(_ request: HTTPRequest) throws -> HTTPAnswer {
                        let client = try HTTPClient(address: server.address, port: server.port)
                        let bytes = request.bytes
                        let body = request.body?.count ?? 0
                        client.send(Array(bytes.dropLast(body)))
                        // The server speaks first.
                        if request["Content-Type"] == "application/json" {
                            let interim = try client.receiveInterim()
                            guard interim == 100 else { throw HTTPClient.Failure.malformed("") }
                            client.send(Array(bytes.suffix(body)))
                        }
                        return try client.receive()
                    }
                    return (
                        try answer(request), try answer(request.with("Content-Type", "text/plain"))
                    )
                }
                #expect(good.status == 201)
                #expect(bad.status == 415)
                #expect(bad.interim == [])
            }
        }
    }
}
