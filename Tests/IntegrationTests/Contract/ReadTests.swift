import JSON
import Ledger
import Platform
import TestSupport
import Testing

extension DatabaseTests.IntegrationTests {
    @Suite("Look-ups")
    struct Reads {
        @Test("A look-up by key says where the intent stands, with its history")
        func byKey() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let key = newKey()
                let first = try await server.pay(
                    Payment().with { $0.remittance = "Invoice 42" }, key: key)
                let id = try #require(first.transferID)
                bank.clock.move(seconds: 10)
                let answer = try await server.byKey(key.uppercased())
                #expect(answer.status == 200)
                expectCommonFields(answer)
                #expect(answer["Content-Type"] == "application/json")
                #expect(answer["Retry-After"] == nil)
                #expect(
                    answer.text == """
                        {"transferId":"\(id)","status":"accepted","idempotencyKey":"\(key)",\
                        "debtorAccount":{"iban":"\(IBANs.alice)"},\
                        "instructedAmount":{"currency":"EUR","amount":"50.00"},\
                        "creditorAccount":{"iban":"\(IBANs.elsewhere)"},\
                        "creditorName":"Marie Curie",\
                        "remittanceInformationUnstructured":"Invoice 42",\
                        "createdAt":"2026-11-30T14:02:12.345Z",\
                        "history":[{"status":"accepted","at":"2026-11-30T14:02:12.345Z"}],\
                        "firstReceivedAt":"2026-11-30T14:02:12.345Z",\
                        "replayableUntil":"2027-02-28T14:02:12.345Z",\
                        "asOf":"2026-11-30T14:02:22.345Z"}
                        """)
                let byID = try await server.get("/api/transfers/\(id)")
                #expect(byID.status == 200)
                #expect(byID.body == answer.body)
            }
        }

        @Test("HEAD answers like GET without the body")
        func head() async throws {
            try await withEndpoint { server in
                let key = newKey()
                let id = try #require(try await server.pay(key: key).transferID)
                for target in [
                    "/api/transfers/by-key/\(key)", "/api/transfers/\(id)", "/api/accounts",
                    "/api/transfers/by-key/\(newKey())", "/api/accounts/\(newKey())", "/unknown",
                ] {
                    let request = HTTPRequest.get(target, token: server.token)
                        .with("X-Request-Id", "same")
                    let (get, head) = try await blocking {
                        let client = try HTTPClient(address: server.address, port: server.port)
                        let head = try client.exchange(request.with(method: "HEAD"))
                        return (try client.exchange(request), head)
                    }
                    #expect(head.status == get.status)
                    #expect(head.body.isEmpty)
                    for field in ["Content-Type", "Content-Length", "Cache-Control"] {
                        #expect(head[field] != nil)
                        #expect(head[field] == get[field])
                    }
                }
            }
        }

        @Test("What the customer does not have is 404, each with its code")
        func unknown() async throws {
            try await withEndpoint { server in
                for (target, code) in [
                    ("/api/transfers/by-key/\(newKey())", "key_unknown"),
                    ("/api/transfers/\(newKey())", "transfer_not_found"),
                    ("/api/transfers/1", "transfer_not_found"),
                    ("/api/accounts/\(newKey())", "not_found"), ("/api/accounts/x", "not_found"),
                    ("/api/transfers/\(newKey())/", "not_found"),
                ] {
                    let answer = try await server.get(target)
                    expectProblem(answer, 404, code, retry: "no")
                }
                for key in ["1", "00000000-0000-0000-0000-000000000000", "%22", "a,b"] {
                    let answer = try await server.byKey(key)
                    expectProblem(answer, 400, "idempotency_key_invalid", retry: "no")
                }
            }
        }

        @Test("Scenario 26: another customer's things look exactly like unknown ones")
        func foreign() async throws {
            try await withEndpoint { server in
                guard let other = server.otherToken else { return }
                let key = newKey()
                let id = try #require(try await server.pay(key: key).transferID)
                let account = try #require(
                    try await server.get("/api/accounts").accounts.first?["accountId"]?.string)
                for (theirs, none) in [
                    ("/api/transfers/by-key/\(key)", "/api/transfers/by-key/\(newKey())"),
                    ("/api/transfers/\(id)", "/api/transfers/\(newKey())"),
                    ("/api/accounts/\(account)", "/api/accounts/\(newKey())"),
                ] {
                    func answer(_ target: String) async throws -> HTTPAnswer {
                        try await server.send(
                            .get(target, token: other).with("X-Request-Id", "same"))
                    }
                    let (foreign, unknown) = (
                        try await answer(theirs), try await answer(none)
                    )
                    #expect(foreign.status == 404)
                    #expect(foreign.body == unknown.body)
                    #expect(foreign.fields.map(\.name) == unknown.fields.map(\.name))
                }
            }
        }

        @Test("An attempt that runs is in_flight by key, with a Retry-After")
        func inFlight() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let key = newKey()
                let lock = try bank.database()
                try lock.takeWriteLock()
                async let first = server.pay(key: key)
                try await bank.waitForInFlight(1)
                let answer = try await server.byKey(key)
                #expect(answer.status == 200)
                #expect(answer["Retry-After"] == "1")
                #expect(
                    answer.text
                        == #"{"status":"in_flight","idempotencyKey":"\#(key)","asOf":"2026-11-30T14:02:12.345Z"}"#
                )
                #expect(try await server.byKey(newKey()).code == "key_unknown")
                #expect(
                    try await server.byKey(key, token: bank.token("bob")).code == "key_unknown")
                try lock.releaseWriteLock()
                #expect(try await first.status == 201)
                #expect(try await server.byKey(key).transferStatus == "accepted")
            }
        }

        @Test("The retry of an executed intent is not in_flight by key, even while it runs")
        func retryInFlight() async throws {
            try await withBank { bank in
                let key = newKey()
                let first = try await bank.endpoint.pay(key: key)
                // Another server has to ask the store.
                let beside = try await blocking { try TestBank(beside: bank) }
                let lock = try bank.database()
                try lock.takeWriteLock()
                async let again = beside.endpoint.pay(key: key)
                try await beside.waitForInFlight(1)
                let answer = try await beside.endpoint.byKey(key)
                #expect(answer.transferStatus == "accepted")
                #expect(answer.transferID == first.transferID)
                #expect(answer["Retry-After"] == nil)
                try lock.releaseWriteLock()
                expectReplay(try await again, of: first)
                try await beside.stop()
            }
        }

        @Test("Accounts say status, limits and a balance that says as of when")
        func accounts() async throws {
            var options = TestBank.Options()
            options.accounts[0].perTransferLimit = 500_000
            options.accounts[0].dailyLimit = 900_000
            try await withBank(options) { bank in
                let server = bank.endpoint
                #expect(try await server.pay(key: newKey()).status == 201)
                let answer = try await server.get("/api/accounts")
                #expect(answer.status == 200)
                expectCommonFields(answer)
                let ids = answer.accounts.compactMap { $0["accountId"]?.string }
                try #require(ids.count == 2)
                let euro = """
                    {"accountId":"\(ids[0])","iban":"\(IBANs.alice)","currency":"EUR",\
                    "status":"active","balance":{"currency":"EUR","amount":"9998.77",\
                    "asOf":"2026-11-30T14:02:12.345Z"},"limits":{"perTransfer":"5000.00",\
                    "daily":"9000.00","usedToday":"1.23"}}
                    """
                let yen = """
                    {"accountId":"\(ids[1])","iban":"\(IBANs.aliceYen)","currency":"JPY",\
                    "status":"active","balance":{"currency":"JPY","amount":"500000",\
                    "asOf":"2026-11-30T14:02:12.345Z"},"limits":{"perTransfer":null,\
                    "daily":null,"usedToday":"0"}}
                    """
                #expect(answer.text == "{\"accounts\":[\(euro),\(yen)]}")
                #expect(try await server.get("/api/accounts/\(ids[0])").text == euro)
                #expect(try await server.get("/api/accounts/\(ids[1])").text == yen)
                // The next business day begins at 23:00 UTC.
                bank.clock.move(seconds: 9 * 3600)
                let tomorrow = try await server.get(
                    "/api/accounts/\(ids[0])", token: bank.token("alice"))
                #expect(tomorrow.json?["limits"]?["usedToday"]?.string == "0.00")
                try await bank.setStatus(.frozen, of: IBANs.alice)
                let frozen = try await server.get(
                    "/api/accounts/\(ids[0])", token: bank.token("alice"))
                #expect(frozen.json?["status"]?.string == "frozen")
            }
        }

        @Test("A customer without an account has an empty list, and a payment is refused")
        func noAccounts() async throws {
            try await withBank { bank in
                let token = bank.token("nobody")
                #expect(
                    try await bank.endpoint.get("/api/accounts", token: token).text
                        == #"{"accounts":[]}"#)
                let answer = try await bank.endpoint.pay(key: newKey(), token: token)
                #expect(answer.code == "account_not_found")
            }
        }
    }
}
