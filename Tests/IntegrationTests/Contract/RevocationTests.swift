import JSON
import TestSupport
import Testing

extension HTTPRequest {
    static func revocation(_ key: String, token: String) -> HTTPRequest {
        HTTPRequest(
            "DELETE", "/api/transfers/by-key/\(key)", fields: [("Authorization", "Bearer \(token)")]
        )
    }
}

extension Endpoint {
    func revoke(_ key: String, token: String? = nil) async throws -> HTTPAnswer {
        try await send(.revocation(key, token: token ?? self.token))
    }
}

extension DatabaseTests.IntegrationTests {
    @Suite("Giving an intent up")
    struct Revocations {
        @Test("Scenario 46: a revoked intent never executes, whatever a late attempt says")
        func revokedFirst() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let key = newKey()
                #expect(try await server.byKey(key).code == "key_unknown")
                let revoked = try await server.revoke(key)
                expectCommonFields(revoked)
                #expect(revoked.status == 200)
                #expect(revoked["Content-Type"] == "application/json")
                #expect(revoked.memberNames == ["status", "idempotencyKey", "revokedAt"])
                #expect(revoked.transferStatus == "revoked")
                #expect(revoked.json?["idempotencyKey"]?.string == key)
                let payments = [Payment(), Payment().with { $0.amount = "0.01" }]
                for payment in payments + payments {
                    let late = try await server.pay(payment, key: key)
                    expectProblem(late, 410, "intent_revoked", retry: "no")
                    #expect(late["Idempotent-Replayed"] == nil)
                }
                #expect(try bank.count("transfers") == 0)
                #expect(try bank.balance(IBANs.alice) == 1_000_000)
                let found = try await server.byKey(key)
                #expect(found.transferStatus == "revoked")
                #expect(found["ETag"] == "\"revoked\"")
            }
        }

        @Test("repeating a DELETE repeats its bytes, also later and on another server")
        func repeated() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let key = newKey()
                let first = try await server.revoke(key)
                bank.clock.move(seconds: 60)
                let other = try await blocking {
                    try TestBank(TestBank.Options(clock: bank.clock), beside: bank)
                }
                for endpoint in [server, server, other.endpoint] {
                    let again = try await endpoint.revoke(key, token: bank.token("alice"))
                    #expect(again.status == 200)
                    #expect(again.body == first.body)
                }
                try await other.stop()
                #expect(try bank.count("outcomes") == 1)
            }
        }

        @Test("Scenario 46: an executed intent is not revoked; the answer has the transfer")
        func executedFirst() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let key = newKey()
                let paid = try await server.pay(Payment(), key: key)
                for _ in 0..<2 {
                    let late = try await server.revoke(key)
                    expectProblem(late, 403, "already_executed", retry: "no", more: ["transfer"])
                    #expect(late["WWW-Authenticate"] == nil)
                    let transfer = late.json?["transfer"]
                    #expect(transfer?["transferId"]?.string == paid.transferID)
                    #expect(transfer?["history"]?.count ?? 0 > 0)
                }
                expectReplay(try await server.pay(Payment(), key: key), of: paid)
                #expect(try bank.balance(IBANs.alice) == 995_000)
            }
        }

        @Test("a rejected intent stays rejected: DELETE says so, and attempts get their refusal")
        func rejectedFirst() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let key = newKey()
                let payment = Payment().with { $0.amount = "99999.00" }
                let refused = try await server.pay(payment, key: key)
                #expect(refused.code == "insufficient_funds")
                for _ in 0..<2 {
                    let answer = try await server.revoke(key)
                    #expect(answer.status == 200)
                    #expect(answer.transferStatus == "rejected")
                    #expect(answer.json?["code"]?.string == "insufficient_funds")
                    #expect(answer.transferID == refused.transferID)
                }
                expectReplay(try await server.pay(payment, key: key), of: refused)
            }
        }

        @Test("one customer's revocation says nothing about another's key")
        func others() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let key = newKey()
                let revoked = try await server.revoke(key, token: bank.token("bob"))
                #expect(revoked.status == 200)
                #expect(try await server.byKey(key).code == "key_unknown")
                #expect(try await server.pay(Payment(), key: key).status == 201)
            }
        }

        @Test("DELETE needs the scope to write, a key that is one, and no query")
        func refusals() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let reader = bank.token("alice", scope: "transfers:read")
                expectProblem(
                    try await server.revoke(newKey(), token: reader), 403, "scope_missing",
                    retry: "no")
                expectProblem(
                    try await server.revoke("nonsense"), 400, "idempotency_key_invalid",
                    retry: "no")
                expectProblem(
                    try await server.revoke(newKey() + "?force=1"), 400, "request_invalid",
                    retry: "no")
                #expect(try bank.count("outcomes") == 0)
            }
        }

        @Test("while an attempt or a revocation is in flight, the other is told 409")
        func inFlight() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let lock = try bank.database()
                let (paying, revoking) = (newKey(), newKey())
                try lock.takeWriteLock()
                async let payment = server.pay(Payment(), key: paying)
                try await bank.waitForInFlight(1)
                async let revocation = server.revoke(revoking)
                try await bank.waitForInFlight(2)
                for answer in [
                    try await server.revoke(paying), try await server.pay(Payment(), key: revoking),
                    try await server.revoke(revoking),
                ] {
                    expectProblem(answer, 409, "in_flight", retry: "same-key")
                    #expect(answer["Retry-After"] == "1")
                }
                try lock.releaseWriteLock()
                #expect(try await payment.status == 201)
                #expect(try await revocation.status == 200)
                #expect(try await server.revoke(paying).code == "already_executed")
                #expect(try await server.pay(Payment(), key: revoking).code == "intent_revoked")
            }
        }

        @Test("Scenario 46: an attempt and a revocation that race never both succeed")
        func race() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let payment = Payment().with { $0.amount = "1.00" }
                let rounds = 200
                var results: [(key: String, pair: [HTTPAnswer])] = []
                for _ in 0..<rounds {
                    let key = newKey()
                    let pair = try await concurrently(2) { index in
                        try server.exchange(
                            index == 0
                                ? .payment(payment, key: key, token: server.token)
                                : .revocation(key, token: server.token))
                    }
                    results.append((key, pair))
                }
                var executed: Int64 = 0
                for (key, pair) in results {
                    let (paid, revoked) = (pair[0].status == 201, pair[1].status == 200)
                    #expect(!(paid && revoked), "\(pair)")
                    #expect([201, 409, 410].contains(pair[0].status), "\(pair[0])")
                    #expect([200, 403, 409].contains(pair[1].status), "\(pair[1])")
                    let again = try await server.pay(payment, key: key)
                    if paid { expectReplay(again, of: pair[0]) }
                    if revoked { #expect(again.code == "intent_revoked") }
                    if again.status == 201 { executed += 1 }
                }
                #expect(try bank.balance(IBANs.alice) == 1_000_000 - executed * 100)
                #expect(try bank.count("transfers") == executed)
            }
        }
    }
}
