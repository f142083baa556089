import Bank
import JSON
import Platform
import TestSupport
import Testing

extension DatabaseTests.IntegrationTests {
    @Suite("Tokens")
    struct Tokens {
        /// A payload that is accepted at the usual clock, in which `change` replaces a text.
        private static func payload(_ bank: TestBank, _ old: String, _ new: String) -> String {
            let now = bank.clock.now().seconds
            return """
                {"iss":"\(DemoBank.issuer)","aud":"\(DemoBank.audience)","sub":"alice",\
                "scope":"transfers:write","iat":\(now),"nbf":\(now),"exp":\(now + 60)}
                """.replacing(old, with: new)
        }

        @Test(
            "A token with a wrong claim is refused with 401 token_invalid",
            arguments: [
                (#""iss":"transferd-demo""#, #""iss":"another""#),
                (#""aud":"transferd""#, #""aud":"another""#),
                (#""sub":"alice""#, #""sub":"""#), (#""sub":"alice","#, ""),
                (#""exp""#, #""expires""#), (#""iss""#, #""issuer""#), (#""aud""#, #""audience""#),
                (#""nbf":1"#, #""nbf":9"#), (#""iat":1"#, #""iat":9"#),
            ])
        func claims(_ old: String, _ new: String) async throws {
            try await withBank { bank in
                let tokens = TestTokens(secret: TestBank.secret)
                let good = tokens.token(payload: Self.payload(bank, "", ""))
                let bad = tokens.token(payload: Self.payload(bank, old, new))
                let answer = try await bank.endpoint.pay(key: newKey(), token: bad)
                expectProblem(answer, 401, "token_invalid", retry: "authenticate")
                #expect(
                    answer["WWW-Authenticate"]
                        == #"Bearer realm="transferd", error="invalid_token""#)
                #expect(try await bank.endpoint.pay(key: newKey(), token: good).status == 201)
            }
        }

        @Test(
            "A token with a header that nobody should trust is refused with 401",
            arguments: [
                #"{"alg":"none"}"#, #"{"alg":"RS256"}"#, #"{"alg":"hs256"}"#,
                #"{"alg":"HS256","crit":["exp"]}"#, #"{"alg":"HS256","jwk":{}}"#,
                #"{"alg":"HS256","jku":"https://x"}"#, #"{"alg":"HS256","x5u":"https://x"}"#,
                #"{"typ":"JWT"}"#, "{}",
            ])
        func headers(_ header: String) async throws {
            try await withBank { bank in
                let token = TestTokens(secret: TestBank.secret).token(
                    payload: Self.payload(bank, "", ""), header: header)
                let answer = try await bank.endpoint.pay(key: newKey(), token: token)
                expectProblem(answer, 401, "token_invalid", retry: "authenticate")
                #expect(try bank.count("outcomes") == 0)
            }
        }

        @Test("A token of another issuer's secret, or changed by one character, is refused")
        func signature() async throws {
            try await withBank { bank in
                let payload = Self.payload(bank, "", "")
                let foreign = TestTokens(secret: [UInt8](repeating: 8, count: 32))
                    .token(payload: payload)
                var changed = Array(bank.token("alice").utf8)
                changed[changed.count - 5] = changed[changed.count - 5] == 0x41 ? 0x42 : 0x41
                for token in [foreign, String(decoding: changed, as: UTF8.self)] {
                    let answer = try await bank.endpoint.pay(key: newKey(), token: token)
                    expectProblem(answer, 401, "token_invalid", retry: "authenticate")
                }
            }
        }

        @Test("An expired token is refused as such, also for a replay; a fresh one replays")
        func expired() async throws {
            try await withBank { bank in
                let key = newKey()
                let token = bank.token("alice", expiresIn: 60)
                let first = try await bank.endpoint.pay(key: key, token: token)
                #expect(first.status == 201)
                bank.clock.move(seconds: 89)
                expectReplay(try await bank.endpoint.pay(key: key, token: token), of: first)
                bank.clock.move(seconds: 2)
                for _ in 0..<2 {
                    let answer = try await bank.endpoint.pay(key: key, token: token)
                    expectProblem(answer, 401, "token_expired", retry: "authenticate")
                    let challenge = answer["WWW-Authenticate"] ?? ""
                    #expect(challenge.contains(#"error="invalid_token""#))
                    #expect(challenge.contains("error_description="))
                }
                expectReplay(try await bank.endpoint.pay(key: key), of: first)
            }
        }

        @Test("A missing token gets a challenge without an error code (RFC 6750 section 3.1)")
        func challenge() async throws {
            try await withEndpoint { server in
                let answer = try await server.send(HTTPRequest("GET", "/api/accounts"))
                expectProblem(answer, 401, "token_missing", retry: "authenticate")
                #expect(answer["WWW-Authenticate"] == #"Bearer realm="transferd""#)
            }
        }

        @Test("The token's scheme is read in any letter case")
        func scheme() async throws {
            try await withEndpoint { server in
                let answer = try await server.send(
                    HTTPRequest("GET", "/api/accounts").with(
                        "Authorization", "bEARER \(server.token)"))
                #expect(answer.status == 200)
            }
        }

        @Test("Each endpoint needs its scope, also for a replay, and no other")
        func scopes() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let key = newKey()
                let first = try await server.pay(
                    key: key, token: bank.token("alice", scope: "transfers:write"))
                #expect(first.status == 201)
                let id = try #require(first.transferID)
                let account = try #require(
                    try await server.get("/api/accounts").accounts.first?["accountId"]?.string)
                let pay = HTTPRequest.payment(server.payment, key: key, token: server.token)
                let requests: [(HTTPRequest, String)] = [
                    (pay, "transfers:write"), (.byKey(key, token: ""), "transfers:read"),
                    (.get("/api/transfers/\(id)", token: ""), "transfers:read"),
                    (.get("/api/accounts", token: ""), "accounts:read"),
                    (.get("/api/accounts/\(account)", token: ""), "accounts:read"),
                ]
                let all = ["transfers:write", "transfers:read", "accounts:read"]
                for (request, needed) in requests {
                    let others = all.filter { $0 != needed }.joined(separator: " ")
                    let without = bank.token("alice", scope: others + " other:scope")
                    let refused = try await server.send(
                        request.with("Authorization", "Bearer \(without)"))
                    expectProblem(refused, 403, "scope_missing", retry: "no")
                    let challenge = refused["WWW-Authenticate"] ?? ""
                    #expect(challenge.contains(#"error="insufficient_scope""#))
                    #expect(challenge.contains(#"scope="\#(needed)""#))
                    let with = bank.token("alice", scope: needed)
                    let answer = try await server.send(
                        request.with("Authorization", "Bearer \(with)"))
                    #expect(answer.status == (request.method == "POST" ? 201 : 200))
                }
            }
        }
    }
}
