import API
import JSON
import Ledger
import Platform
import TestSupport
import Testing

extension DatabaseTests.IntegrationTests {
    @Suite("Outcomes")
    struct Outcomes {
        @Test("A 201 has exactly the members of the contract and a Location")
        func created() async throws {
            try await withBank { bank in
                let key = newKey()
                let payment = Payment().with {
                    $0.remittance = "Invoice 42"
                    $0.endToEnd = "INV-42"
                    $0.confirmedAt = "2026-11-30T14:02:11Z"
                }
                let answer = try await bank.endpoint.pay(payment, key: key.uppercased())
                #expect(answer.status == 201)
                expectCommonFields(answer)
                #expect(answer["Content-Type"] == "application/json")
                #expect(answer["Idempotent-Replayed"] == nil)
                #expect(answer["Date"] == "Mon, 30 Nov 2026 14:02:12 GMT")
                let id = try #require(answer.transferID)
                #expect(answer["Location"] == "/api/transfers/\(id)")
                #expect(
                    answer.text == """
                        {"transferId":"\(id)","status":"accepted","idempotencyKey":"\(key)",\
                        "debtorAccount":{"iban":"\(IBANs.alice)"},\
                        "instructedAmount":{"currency":"EUR","amount":"50.00"},\
                        "creditorAccount":{"iban":"\(IBANs.elsewhere)"},\
                        "creditorName":"Marie Curie",\
                        "remittanceInformationUnstructured":"Invoice 42",\
                        "endToEndIdentification":"INV-42",\
                        "createdAt":"2026-11-30T14:02:12.345Z",\
                        "balance":{"currency":"EUR","amount":"9950.00",\
                        "asOf":"2026-11-30T14:02:12.345Z"}}
                        """)
            }
        }

        @Test("Scenario 20: optional members that were left out are not in the answer")
        func optional() async throws {
            try await withEndpoint { server in
                let key = newKey()
                let first = try await server.pay(key: key)
                #expect(
                    first.memberNames == [
                        "transferId", "status", "idempotencyKey", "debtorAccount",
                        "instructedAmount", "creditorAccount", "creditorName", "createdAt",
                        "balance",
                    ])
                expectReplay(try await server.pay(key: key), of: first)
                let json = server.payment.json
                let withNulls =
                    String(json.dropLast())
                    + #","remittanceInformationUnstructured":null,"endToEndIdentification":null,"#
                    + #""confirmedAt":null}"#
                let again = HTTPRequest.payment(server.payment, key: key, token: server.token)
                expectReplay(try await server.send(again.with(body: withNulls)), of: first)
            }
        }

        /// A business refusal: how to provoke it and what its problem says.
        struct Rejection: Sendable, CustomTestStringConvertible {
            let code: String
            var retry = "no"
            var hasBalance = true
            let prepare: @Sendable (TestBank) async throws -> Payment
            var testDescription: String { code }
        }

        static let rejections = [
            Rejection(code: "insufficient_funds", retry: "new-key") { _ in
                Payment(amount: "10000.01")
            },
            Rejection(code: "transfer_limit_exceeded", retry: "new-key") { bank in
                try bank.database().execute(
                    "UPDATE accounts SET per_transfer_limit = 4999 WHERE iban = '\(IBANs.alice)'")
                return Payment()
            },
            Rejection(code: "daily_limit_exceeded", retry: "new-key") { bank in
                try bank.database().execute(
                    "UPDATE accounts SET daily_limit = 4999 WHERE iban = '\(IBANs.alice)'")
                return Payment()
            },
            Rejection(code: "account_frozen") { bank in
                try await bank.setStatus(.frozen, of: IBANs.alice)
                return Payment()
            },
            Rejection(code: "account_closed") { bank in
                // With its money, so that nothing else speaks against the payment.
                try bank.database().execute(
                    "UPDATE accounts SET status = 2 WHERE iban = '\(IBANs.alice)'")
                return Payment()
            },
            Rejection(code: "account_not_found", hasBalance: false) { _ in
                Payment(debtor: IBANs.elsewhere, creditor: IBANs.bob)
            },
            Rejection(code: "currency_not_supported") { _ in Payment(currency: "USD") },
            Rejection(code: "beneficiary_blocked") { bank in
                try bank.block(IBANs.blocked)
                return Payment(creditor: IBANs.blocked)
            },
            Rejection(code: "same_account") { _ in Payment(creditor: IBANs.alice) },
            Rejection(code: "customer_restricted") { bank in
                try bank.setRestricted(true)
                return Payment()
            },
        ]

        @Test(
            "Scenario 10: a business refusal is a stored 402 that is replayed byte for byte",
            arguments: rejections)
        func rejected(_ rejection: Rejection) async throws {
            try await withBank { bank in
                let payment = try await rejection.prepare(bank)
                let key = newKey()
                let first = try await bank.endpoint.pay(payment, key: key)
                let more =
                    ["transferId", "transferStatus"] + (rejection.hasBalance ? ["balance"] : [])
                expectProblem(first, 402, rejection.code, retry: rejection.retry, more: more)
                #expect(first["Idempotent-Replayed"] == nil)
                #expect(first["Location"] == nil)
                #expect(first.json?["transferStatus"]?.string == "rejected")
                if rejection.hasBalance {
                    let balance = first.json?["balance"]
                    #expect(balance?["currency"]?.string == "EUR")
                    #expect(balance?["amount"]?.string == "10000.00")
                    #expect(balance?["asOf"]?.string == "2026-11-30T14:02:12.345Z")
                }
                // What made it refuse does not matter any more.
                try bank.setRestricted(false)
                try bank.database().execute(
                    """
                    UPDATE accounts SET status = 0, per_transfer_limit = NULL, daily_limit = NULL;
                    DELETE FROM blocked_beneficiaries
                    """)
                bank.clock.move(seconds: 100)
                let again = try await bank.endpoint.pay(payment, key: key)
                expectReplay(again, of: first)
                #expect(again["X-Request-Id"] != first["X-Request-Id"])
                #expect(try bank.balance(IBANs.alice) == 1_000_000)
                let now = try await bank.endpoint.byKey(key)
                #expect(now.transferStatus == "rejected")
                #expect(now.json?["code"]?.string == rejection.code)
                #expect(now.transferID == first.transferID)
            }
        }

        @Test("Scenario 29: first answer and replay are equal but for Date, request id and mark")
        func replay() async throws {
            try await withBank { bank in
                let key = newKey()
                let request = HTTPRequest.payment(
                    Payment(), key: key, token: bank.token("alice"))
                let first = try await bank.endpoint.send(request.with("X-Request-Id", "one"))
                bank.clock.move(seconds: 61)
                // From the event loop's memory, and from the store by another server.
                let beside = try await blocking {
                    var options = TestBank.Options()
                    options.clock = bank.clock
                    return try TestBank(options, beside: bank)
                }
                for server in [bank.endpoint, beside.endpoint] {
                    // The header is made anew about once a second.
                    let date = "Mon, 30 Nov 2026 14:03:13 GMT"
                    #expect(
                        try await eventually {
                            try server.exchange(HTTPRequest("GET", "/"))["Date"] == date
                        })
                    let again = try await server.send(request.with("X-Request-Id", "two"))
                    expectReplay(again, of: first)
                    expectCommonFields(again)
                    #expect(again["Date"] == date)
                    #expect(again["X-Request-Id"] == "two")
                    #expect(
                        Set(again.fields.map { $0.name.lowercased() }).symmetricDifference(
                            first.fields.map { $0.name.lowercased() }) == ["idempotent-replayed"])
                }
                #expect(first["X-Request-Id"] == "one")
                #expect(first["Date"] == "Mon, 30 Nov 2026 14:02:12 GMT")
                try await beside.stop()
            }
        }

        @Test("A replayed refusal repeats the first attempt's instance")
        func instance() async throws {
            try await withBank { bank in
                let request = HTTPRequest.payment(
                    Payment(amount: "99999.00"), key: newKey(), token: bank.token("alice"))
                let first = try await bank.endpoint.send(request.with("X-Request-Id", "first"))
                let again = try await bank.endpoint.send(request.with("X-Request-Id", "second"))
                expectReplay(again, of: first)
                #expect(again.json?["instance"]?.string == "first")
                #expect(again["X-Request-Id"] == "second")
            }
        }

        @Test(
            "The request id of the request is taken if it is one token, else one is made",
            arguments: [
                ("abc-DEF_123", true), ("!#$%&'*+-.^_`|~", true),
                (String(repeating: "a", count: 128), true),
                (String(repeating: "a", count: 129), false), ("a b", false), ("", false),
                ("a,b", false), ("\"quoted\"", false), ("ümlaut", false), ("a/b", false),
            ])
        func requestID(_ id: String, _ isTaken: Bool) async throws {
            try await withEndpoint { server in
                let request = HTTPRequest.get("/api/accounts", token: server.token)
                for request in [request, request.with("Authorization", nil)] {
                    let answer = try await server.send(request.with("X-Request-Id", id))
                    expectCommonFields(answer)
                    #expect((answer["X-Request-Id"] == id) == isTaken)
                }
            }
        }

        @Test("Two request ids are none, and made ones differ")
        func twoRequestIDs() async throws {
            try await withEndpoint { server in
                let request = HTTPRequest.get("/api/accounts", token: server.token)
                    .adding("X-Request-Id", "one").adding("X-Request-Id", "two")
                let first = try #require(try await server.send(request)["X-Request-Id"])
                let second = try #require(try await server.send(request)["X-Request-Id"])
                #expect(!["one", "two"].contains(first))
                #expect(first != second)
            }
        }

        @Test("Answers echo nothing of the request but its id")
        func noEcho() async throws {
            try await withEndpoint { server in
                let marker = "x-marker-3141592653"
                let good = HTTPRequest.payment(server.payment, key: newKey(), token: server.token)
                for bad in [
                    good.with(target: "/" + marker), good.with(target: "/api/accounts?" + marker),
                    good.with("Content-Type", marker), good.with("Authorization", marker),
                    good.with("Authorization", "Bearer " + marker),
                    good.with("Idempotency-Key", marker), good.with(method: "X" + marker),
                    good.with(body: "{\"debtorAccount\":{\"iban\":\"\(marker)\"}}"),
                    good.with(body: marker), good.with("X-Other", marker).with(body: "{}"),
                ] {
                    let answer = try await server.send(bad)
                    #expect(!answer.description.contains(marker), "\(answer)")
                }
            }
        }
    }
}
