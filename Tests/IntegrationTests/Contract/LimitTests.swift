import API
import Bank
import JSON
import Platform
import TestSupport
import Testing

extension DatabaseTests.IntegrationTests {
    @Suite("Rates, revoked access and retention")
    struct Limits {
        @Test("beyond its rate a customer gets 429 with all that says when to come back")
        func rate() async throws {
            var options = TestBank.Options()
            options.change = { parts, _ in
                parts.writeRate = RateLimiter.Policy(perSecond: 1, burst: 4)
                parts.lookUpRate = RateLimiter.Policy(perSecond: 1, burst: 3)
            }
            try await withBank(options) { bank in
                let server = bank.endpoint
                let key = newKey()
                #expect(try await server.pay(key: key).status == 201)
                for (name, policy, request) in [
                    (
                        "writes", "q=4;w=4",
                        HTTPRequest.payment(server.payment, key: key, token: server.token)
                    ),
                    ("look-ups", "q=3;w=3", HTTPRequest.byKey(key, token: server.token)),
                ] {
                    let answers = try await concurrently(40) { _ in try server.exchange(request) }
                    let limited = answers.filter { $0.status == 429 }
                    #expect(limited.count >= 10)
                    for answer in limited {
                        expectProblem(answer, 429, "rate_limited", retry: "same-key")
                        let seconds = try #require(answer["Retry-After"].flatMap { Int($0) })
                        #expect((1...4).contains(seconds))
                        #expect(answer["RateLimit"] == "\"\(name)\";r=0;t=\(seconds)")
                        #expect(answer["RateLimit-Policy"] == "\"\(name)\";\(policy)")
                    }
                    #expect(answers.allSatisfy { [200, 201, 429].contains($0.status) })
                }
                // Lists and accounts have a bucket of their own.
                #expect(try await server.get("/api/accounts").status == 200)
                // Neither another customer nor what needs no token is held up, and nothing ran twice.
                let bob = bank.token("bob")
                #expect(try await server.get("/api/accounts", token: bob).status == 200)
                #expect(try await server.send(HTTPRequest("GET", "/openapi.json")).status == 200)
                #expect(try bank.balance(IBANs.alice) == 999_877)
            }
        }

        @Test(
            "Scenario 27: access that was taken away is refused before any replay",
            arguments: [(1, "alice"), (2, "session-1"), (3, "token-1")])
        func revokedAccess(kind: Int, value: String) async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let now = bank.clock.now().seconds
                let token = TestTokens(secret: TestBank.secret).token(
                    payload: """
                        {"iss":"transferd-demo","aud":"transferd","sub":"alice","iat":\(now),\
                        "exp":\(now + 600),"scope":"transfers:read transfers:write","sid":"session-1",\
                        "jti":"token-1"}
                        """)
                let key = newKey()
                let paid = try await server.pay(key: key, token: token)
                #expect(paid.status == 201)
                expectReplay(try await server.pay(key: key, token: token), of: paid)
                try bank.revoke(kind, value, atMicroseconds: now * 1_000_000)
                let request = HTTPRequest.payment(server.payment, key: key, token: token)
                #expect(
                    try await eventually { try server.exchange(request).code == "token_revoked" })
                let refused = try await server.send(request)
                expectProblem(refused, 401, "token_revoked", retry: "authenticate")
                #expect(refused["WWW-Authenticate"]?.contains("invalid_token") == true)
                expectProblem(
                    try await server.byKey(key, token: token), 401, "token_revoked",
                    retry: "authenticate")
                expectProblem(
                    try await server.revoke(key, token: token), 401, "token_revoked",
                    retry: "authenticate")
                let bob = bank.token("bob")
                #expect(try await server.get("/api/transfers", token: bob).status == 200)
                // The customer's other sessions and tokens are refused only if the customer is.
                let other = try await server.pay(key: key)
                if kind == 1 {
                    #expect(other.code == "token_revoked")
                } else {
                    expectReplay(other, of: paid)
                }
                // A later login is another matter.
                bank.clock.move(seconds: 1)
                let later = TestTokens(secret: TestBank.secret).token(
                    payload: """
                        {"iss":"transferd-demo","aud":"transferd","sub":"alice","iat":\(now + 1),\
                        "exp":\(now + 600),"scope":"transfers:read transfers:write"}
                        """)
                expectReplay(try await server.pay(key: key, token: later), of: paid)
            }
        }

        @Test("Scenario 30: after the retention time a retry is told the state, and never executes")
        func retention() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let key = newKey()
                let refusedKey = newKey()
                let big = Payment().with { $0.amount = "99999.00" }
                let paid = try await server.pay(Payment(), key: key)
                let refused = try await server.pay(big, key: refusedKey)
                #expect(refused.status == 402)
                bank.clock.move(seconds: 90 * 86400 - 1)
                let token = bank.token("alice", expiresIn: 200 * 86400)
                expectReplay(try await server.pay(Payment(), key: key, token: token), of: paid)
                bank.clock.move(seconds: 2)
                let request = HTTPRequest.payment(Payment(), key: key, token: token)
                #expect(try await eventually { try server.exchange(request).status == 410 })
                for (payment, key, first, state) in [
                    (Payment(), key, paid, nil), (big, refusedKey, refused, "rejected"),
                ] {
                    let request = HTTPRequest.payment(payment, key: key, token: token)
                    #expect(try await eventually { try server.exchange(request).status == 410 })
                    let gone = try await server.send(request)
                    expectProblem(
                        gone, 410, "outcome_retired", retry: "no",
                        more: ["transferId", "transferStatus"])
                    #expect(gone.transferID == first.transferID)
                    if let state { #expect(gone.json?["transferStatus"]?.string == state) }
                    let other = try await server.pay(
                        payment.with { $0.name = "Pierre Curie" }, key: key, token: token)
                    expectProblem(
                        other, 422, "idempotency_key_reused", retry: "no",
                        more: ["differs", "transferId", "firstReceivedAt"])
                    #expect(other.differs == ["/creditorName"])
                    let found = try await server.byKey(key, token: token)
                    #expect(found.transferID == first.transferID)
                }
                let late = try await server.revoke(key, token: token)
                #expect(late.code == "already_executed")
                #expect(try bank.count("transfers") == 2)
                #expect(try bank.count("outcomes") == 2)
            }
        }

        @Test("a revoked key stays revoked beyond the retention time")
        func revokedForEver() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let (marker, key) = (newKey(), newKey())
                #expect(try await server.revoke(key).status == 200)
                #expect(try await server.pay(Payment(), key: marker).status == 201)
                bank.clock.move(seconds: 91 * 86400)
                let token = bank.token("alice")
                let request = HTTPRequest.payment(Payment(), key: marker, token: token)
                #expect(try await eventually { try server.exchange(request).status == 410 })
                let late = try await server.pay(Payment(), key: key, token: token)
                expectProblem(late, 410, "intent_revoked", retry: "no")
                #expect(try bank.count("transfers") == 1)
            }
        }

        @Test("Scenario 31: while retention runs, every answer is the first one's bytes or 410")
        func retentionRuns() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let token = bank.token("alice", expiresIn: 200 * 86400)
                var firsts: [(key: String, answer: HTTPAnswer)] = []
                for _ in 0..<12 {
                    let key = newKey()
                    firsts.append((key, try await server.pay(key: key, token: token)))
                    bank.clock.move(seconds: 3600)
                }
                bank.clock.move(seconds: 90 * 86400 - 12 * 3600 - 1800)
                let balance = try bank.balance(IBANs.alice)
                for round in 0..<12 {
                    let (oldest, _) = firsts[round]
                    bank.clock.move(seconds: 3600)
                    // The oldest is about to be dropped: ask for all of them until it is.
                    let dropped = HTTPRequest.payment(server.payment, key: oldest, token: token)
                    let expected = firsts
                    let truthful = Guarded(true)
                    #expect(
                        try await eventually {
                            for (key, first) in expected {
                                let answer = try server.exchange(
                                    .payment(server.payment, key: key, token: token))
                                let same =
                                    answer.status == 201 && answer.body == first.body
                                    && answer["Idempotent-Replayed"] == "true"
                                let gone =
                                    answer.code == "outcome_retired"
                                    && answer.transferID == first.transferID
                                if !same && !gone { truthful.withLock { $0 = false } }
                            }
                            return try server.exchange(dropped).code == "outcome_retired"
                        })
                    #expect(truthful.withLock { $0 })
                    // Those that are younger are still kept.
                    if round + 1 < firsts.count {
                        let next = firsts[round + 1]
                        expectReplay(
                            try await server.pay(key: next.key, token: token), of: next.answer)
                    }
                }
                #expect(try bank.balance(IBANs.alice) == balance)
                #expect(try bank.count("transfers") == 12)
            }
        }
    }
}
