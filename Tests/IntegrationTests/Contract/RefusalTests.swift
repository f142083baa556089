import Bank
import HTTPServer
import TestSupport
import Testing

/// A request that is refused, made of a good one by one change.
struct BadRequest: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int
    let code: String
    var retry = "no"
    var more: [String] = []
    let change: @Sendable (HTTPRequest) -> HTTPRequest

    init(
        _ name: String, _ status: Int, _ code: String, retry: String = "no", more: [String] = [],
        _ change: @escaping @Sendable (HTTPRequest) -> HTTPRequest
    ) {
        self.name = name
        self.status = status
        self.code = code
        self.retry = retry
        self.more = more
        self.change = change
    }

    var testDescription: String { name }

    static let ofRouting = [
        BadRequest("an unknown path", 404, "not_found") { $0.with(target: "/api/transfer") },
        BadRequest("the root", 404, "not_found") { $0.with(target: "/") },
        BadRequest("a trailing slash", 404, "not_found") { $0.with(target: "/api/transfers/") },
        BadRequest("a doubled slash", 404, "not_found") { $0.with(target: "//api/transfers") },
        BadRequest("another letter case", 404, "not_found") { $0.with(target: "/API/transfers") },
        BadRequest("a path that climbs", 404, "not_found") {
            $0.with(target: "/api/x/../transfers")
        },
        BadRequest("an escaped path", 404, "not_found") { $0.with(target: "/api/%74ransfers") },
        BadRequest("PUT", 405, "method_not_allowed") { $0.with(method: "PUT") },
        BadRequest("PATCH", 405, "method_not_allowed") { $0.with(method: "PATCH") },
        BadRequest("TRACE", 405, "method_not_allowed") { $0.with(method: "TRACE") },
        BadRequest("an unknown method", 405, "method_not_allowed") { $0.with(method: "PAY") },
        BadRequest("POST to a key", 405, "method_not_allowed") {
            $0.with(target: "/api/transfers/by-key/\(newKey())")
        },
        BadRequest("POST to accounts", 405, "method_not_allowed") {
            $0.with(target: "/api/accounts")
        },
        BadRequest("no media type", 415, "media_type_unsupported") {
            $0.with("Content-Type", nil)
        },
        BadRequest("Scenario 21: text/plain", 415, "media_type_unsupported") {
            $0.with("Content-Type", "text/plain")
        },
        BadRequest("a problem's media type", 415, "media_type_unsupported") {
            $0.with("Content-Type", "application/problem+json")
        },
        BadRequest("another charset", 415, "media_type_unsupported") {
            $0.with("Content-Type", "application/json; charset=iso-8859-1")
        },
        BadRequest("two media types", 415, "media_type_unsupported") {
            $0.adding("Content-Type", "application/json")
        },
        BadRequest("a coded body", 415, "media_type_unsupported") {
            $0.with("Content-Encoding", "gzip")
        },
        BadRequest("a body above 16 KiB", 413, "body_too_large") {
            $0.with(body: [UInt8](repeating: 0x20, count: 16 * 1024 + 1))
        },
        BadRequest("a chunked body above 16 KiB", 413, "body_too_large") {
            $0.with(body: [UInt8](repeating: 0x20, count: 16 * 1024 + 1))
                .with(framing: .chunked(bytes: 4096))
        },
        BadRequest("a head above 16 KiB", 431, "head_too_large") {
            $0.with("X-Padding", String(repeating: "x", count: 16 * 1024))
        },
        BadRequest("65 field lines", 431, "head_too_large") { request in
            (0..<62).reduce(request) { request, index in request.adding("X-\(index)", "x") }
        },
    ]

    static let ofTokens = [
        BadRequest("no token", 401, "token_missing", retry: "authenticate") {
            $0.with("Authorization", nil)
        },
        BadRequest("another scheme", 401, "token_invalid", retry: "authenticate") {
            $0.with("Authorization", "Basic YTpi")
        },
        BadRequest("no token after the scheme", 401, "token_invalid", retry: "authenticate") {
            $0.with("Authorization", "Bearer")
        },
        BadRequest("a text that is no token", 401, "token_invalid", retry: "authenticate") {
            $0.with("Authorization", "Bearer abc")
        },
        BadRequest("two tokens", 401, "token_invalid", retry: "authenticate") {
            $0.adding("Authorization", "Bearer abc")
        },
    ]

    static let ofKeys =
        [
            BadRequest("Scenario 23: no key", 400, "idempotency_key_missing") {
                $0.with("Idempotency-Key", nil)
            },
            BadRequest("Scenario 23: two key lines", 400, "idempotency_key_invalid") {
                $0.adding("Idempotency-Key", newKey())
            },
            BadRequest("Scenario 23: one key on two lines", 400, "idempotency_key_invalid") {
                request in
                request.adding(
                    "Idempotency-Key",
                    request.fields.first { $0.name == "Idempotency-Key" }?.value ?? "")
            },
        ]
        + invalidKeys.map { name, key in
            BadRequest(name, 400, "idempotency_key_invalid") { $0.with("Idempotency-Key", key) }
        }

    private static let invalidKeys: [(String, String)] = {
        let key = "8e03978e-40d5-43dd-bc93-6894a57f9324"
        return [
            ("Scenario 23: an empty key", ""), ("Scenario 23: blanks for a key", "   "),
            ("Scenario 23: an empty quoted key", "\"\""),
            ("Scenario 23: a list of keys", "\(key), \(key)"),
            ("Scenario 24: the nil UUID", "00000000-0000-0000-0000-000000000000"),
            ("Scenario 24: the max UUID", "FFFFFFFF-ffff-ffff-ffff-ffffffffffff"),
            ("Scenario 24: the quoted nil UUID", "\"00000000-0000-0000-0000-000000000000\""),
            ("Scenario 24: a path for a key", "../8e03978e-40d5-43dd-bc93-6894a57f9"),
            ("Scenario 24: a tab in the key", "8e03978e-40d5\t43dd-bc93-6894a57f9324"),
            ("a key without hyphens", "8e03978e40d543ddbc936894a57f9324"),
            ("a key that is too short", String(key.dropLast())),
            ("a key that is too long", key + "0"),
            ("a key in braces", "{\(key)}"), ("a URN for a key", "urn:uuid:\(key)"),
            ("a key with a parameter", "\"\(key)\";a=1"), ("an open quote", "\"\(key)"),
            ("single quotes", "'\(key)'"), ("a letter that is no digit", "g" + key.dropFirst()),
            ("a blank inside", "8e03978e 40d5-43dd-bc93-6894a57f9324"), ("a number", "1"),
        ]
    }()
}

extension DatabaseTests.IntegrationTests {
    @Suite("Refusals")
    struct Refusals {
        @Test(
            "A request that breaks one rule gets that rule's problem and leaves no trace",
            arguments: BadRequest.ofRouting + BadRequest.ofTokens + BadRequest.ofKeys)
        func refused(_ bad: BadRequest) async throws {
            try await withEndpoint { server in
                let key = newKey()
                let good = HTTPRequest.payment(server.payment, key: key, token: server.token)
                let answer = try await server.send(bad.change(good))
                expectProblem(answer, bad.status, bad.code, retry: bad.retry, more: bad.more)
                #expect(answer["Idempotent-Replayed"] == nil)
                #expect(answer["Location"] == nil)
                #expect((answer["Allow"] != nil) == (bad.status == 405))
                #expect((answer["WWW-Authenticate"] != nil) == (bad.status == 401))
                #expect(try await server.byKey(key).code == "key_unknown")
            }
        }

        @Test("Scenario 25: a known path with another method names its methods")
        func allow() async throws {
            try await withEndpoint { server in
                for (target, allowed) in [
                    ("/api/transfers", "GET, HEAD, POST, OPTIONS"),
                    ("/api/transfers/by-key/\(newKey())", "GET, HEAD, DELETE, OPTIONS"),
                    ("/api/transfers/\(newKey())", "GET, HEAD, OPTIONS"),
                    ("/api/accounts", "GET, HEAD, OPTIONS"),
                    ("/api/accounts/\(newKey())", "GET, HEAD, OPTIONS"),
                ] {
                    let refused = try await server.send(HTTPRequest("PUT", target))
                    #expect(refused.status == 405)
                    #expect(refused["Allow"] == allowed)
                    let options = try await server.send(HTTPRequest("OPTIONS", target))
                    #expect(options.status == 204)
                    #expect(options["Allow"] == allowed)
                    expectCommonFields(options)
                }
            }
        }

        @Test("Scenario 25: other methods and paths with a key make no key row")
        func noKeyRow() async throws {
            try await withBank { bank in
                let key = newKey()
                let good = HTTPRequest.payment(Payment(), key: key, token: bank.token("alice"))
                for (method, status) in [
                    ("OPTIONS", 204), ("HEAD", 200), ("PUT", 405), ("DELETE", 405), ("GET", 200),
                ] {
                    let answer = try await bank.endpoint.send(good.with(method: method))
                    #expect(answer.status == status)
                }
                _ = try await bank.endpoint.send(good.with(target: "/api/transfers/"))
                #expect(try bank.count("outcomes") == 0)
                #expect(try bank.count("transfers") == 0)
            }
        }

        /// A message that is no valid HTTP.
        struct Malformed: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let text: String
            let status: Int

            init(_ name: String, _ text: String, status: Int = 400) {
                testDescription = name
                self.text = text
                self.status = status
            }

            /// A POST with these lines instead of its own.
            static func post(_ name: String, _ lines: String, status: Int = 400) -> Malformed {
                Malformed(
                    name,
                    "POST /api/transfers HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                        + lines + "\r\n\r\n", status: status)
            }
        }

        @Test(
            "A message that is not HTTP gets a problem and the connection ends",
            arguments: [
                Malformed("bare line feeds", "GET / HTTP/1.1\nHost: x\n\n"),
                Malformed("no request line", "nonsense\r\n\r\n"),
                Malformed("no host", "GET /api/accounts HTTP/1.1\r\n\r\n"),
                Malformed(
                    "HTTP/2.0", "GET /api/accounts HTTP/2.0\r\nHost: x\r\n\r\n", status: 505),
                .post("length and coding", "Content-Length: 1\r\nTransfer-Encoding: chunked"),
                .post("a signed length", "Content-Length: +5"),
                .post("two lengths", "Content-Length: 1\r\nContent-Length: 1"),
                .post("another coding", "Transfer-Encoding: gzip, chunked", status: 501),
                .post("an expectation", "Expect: a-miracle\r\nContent-Length: 1", status: 417),
                .post("Scenario 24: CR in the key", "Idempotency-Key: a\rb"),
                .post("Scenario 24: LF in the key", "Idempotency-Key: a\nb"),
                .post("Scenario 24: DEL in the key", "Idempotency-Key: a\u{7F}"),
                .post("a folded line", "Idempotency-Key: a\r\n b"),
            ])
        func malformed(_ message: Malformed) async throws {
            try await withEndpoint { server in
                let (answer, ended) = try await blocking {
                    let client = try HTTPClient(address: server.address, port: server.port)
                    client.send(message.text)
                    let answer = try client.receive()
                    return (answer, client.endsHere())
                }
                expectProblem(answer, message.status, "request_invalid", retry: "no")
                #expect(ended)
            }
        }

        @Test("A request that arrives too slowly gets 408 and may be sent again with its key")
        func slow() async throws {
            var options = TestBank.Options()
            options.change = {
                $1.api.limits.headMilliseconds = 50
                $1.api.limits.bodyMilliseconds = 50
            }
            try await withBank(options) { bank in
                let whole = HTTPRequest.payment(
                    Payment(), key: newKey(), token: bank.token("alice")
                ).bytes
                for count in [20, whole.count - 1] {
                    let answer = try await blocking {
                        let client = try HTTPClient(port: bank.server.port)
                        client.send(Array(whole[..<count]))
                        return try client.receive()
                    }
                    expectProblem(answer, 408, "request_timeout", retry: "same-key")
                }
                #expect(try bank.count("outcomes") == 0)
            }
        }

        @Test("A query parameter that an endpoint does not know is refused with 400")
        func query() async throws {
            try await withEndpoint { server in
                for target in [
                    "/api/accounts?limit=1", "/api/accounts/\(newKey())?a",
                    "/api/transfers/by-key/\(newKey())?wait=1", "/api/transfers/\(newKey())?x=y",
                ] {
                    let answer = try await server.get(target)
                    expectProblem(answer, 400, "request_invalid", retry: "no")
                }
                let key = newKey()
                let answer = try await server.send(
                    .payment(server.payment, key: key, token: server.token)
                        .with(target: "/api/transfers?dry-run=1"))
                expectProblem(answer, 400, "request_invalid", retry: "no")
                #expect(try await server.byKey(key).code == "key_unknown")
            }
        }
    }
}
