import API
import Bank
import HTTPServer
import JSON
import Platform
import TestSupport
import Testing

extension DatabaseTests.IntegrationTests {
    /// Real answers against the document that the same server serves.
    @Suite("Answers and their schemas")
    struct AnswerSchemas {
        /// An answer and where the document describes it.
        struct Sample: Sendable {
            let method: String
            let path: String
            let answer: HTTPAnswer
        }

        static func json(_ samples: [Sample], document: [UInt8]) -> [UInt8] {
            var json = JSONWriter()
            json.beginObject()
            json.member("document", raw: document)
            json.beginArray("samples")
            for sample in samples {
                json.beginObject()
                json.member("method", sample.method.lowercased())
                json.member("path", sample.path)
                json.member("status", Int64(sample.answer.status))
                json.beginArray("fields")
                for field in sample.answer.fields {
                    json.string(field.name.lowercased())
                    json.string(field.value)
                }
                json.endArray()
                json.member("body", sample.answer.text)
                json.endObject()
            }
            json.endArray()
            json.endObject()
            return json.finish()
        }

        /// Sends a request and keeps what came.
        private static func record(
            _ request: HTTPRequest, _ path: String, _ server: Endpoint,
            _ samples: inout [Sample]
        ) async throws -> HTTPAnswer {
            let answer = try await server.send(request)
            samples.append(Sample(method: request.method, path: path, answer: answer))
            return answer
        }

        @Test("every answer that a client can provoke is as the document says")
        func answers() async throws {
            var options = TestBank.Options()
            options.change = { _, configuration in
                configuration.api.limits.bodyMilliseconds = 150
            }
            try await withBank(options) { bank in
                var samples = try await Self.transfers(bank)
                samples += try await Self.reads(bank)
                samples += try await Self.refusals(bank)
                let document = try await bank.endpoint.send(HTTPRequest("GET", "/openapi.json"))
                let interpreter = try Python.interpreter(
                    importing: "openapi_spec_validator", package: "openapi-spec-validator")
                let input = Self.json(samples, document: document.body)
                let output = try await blocking {
                    try Python.run(Self.script, input: input, interpreter: interpreter)
                }
                #expect(String(decoding: output, as: UTF8.self) == "ok\n")
                let seen = Set(samples.map(\.answer.status))
                #expect(
                    seen.isSuperset(of: [
                        200, 201, 204, 304, 400, 401, 402, 403, 404, 408, 409, 410, 413, 414, 415,
                        417, 422, 431, 501, 505,
                    ]))
            }
        }

        private static let transfersPath = "/api/transfers"
        private static let keyPath = "/api/transfers/by-key/{key}"

        private static func transfers(_ bank: TestBank) async throws -> [Sample] {
            let server = bank.endpoint
            var samples: [Sample] = []
            let (key, refusedKey, revokedKey, flyingKey) = (newKey(), newKey(), newKey(), newKey())
            let rich = Payment().with {
                $0.remittance = "Invoice 42"
                $0.endToEnd = "INV-42"
                $0.confirmedAt = "2026-11-30T14:02:11Z"
            }
            let pay = HTTPRequest.payment(rich, key: key, token: server.token)
            func send(_ request: HTTPRequest, _ path: String = transfersPath) async throws {
                _ = try await record(request, path, server, &samples)
            }
            try await send(pay)
            try await send(pay.with("Prefer", "wait=3"))
            try await send(
                .payment(rich.with { $0.amount = "50.01" }, key: key, token: server.token))
            let refused = rich.with { $0.amount = "99999.00" }
            try await send(.payment(refused, key: refusedKey, token: server.token))
            try await send(.payment(refused, key: refusedKey, token: server.token))
            for change in [
                rich.with { $0.debtor = IBANs.bob }, rich.with { $0.creditor = IBANs.alice },
                rich.with { $0.currency = "JPY" }, rich.with { $0.amount = "1.234" },
            ] {
                try await send(.payment(change, key: newKey(), token: server.token))
            }
            try await send(.revocation(revokedKey, token: server.token), keyPath)
            try await send(.payment(rich, key: revokedKey, token: server.token))
            for key in [key, refusedKey] {
                try await send(.revocation(key, token: server.token), keyPath)
            }
            let lock = try bank.database()
            try lock.takeWriteLock()
            async let flying = server.pay(rich, key: flyingKey)
            try await bank.waitForInFlight(1)
            try await send(.payment(rich, key: flyingKey, token: server.token))
            try await send(.revocation(flyingKey, token: server.token), keyPath)
            try await send(.byKey(flyingKey, token: server.token), keyPath)
            try lock.releaseWriteLock()
            _ = try await flying
            for key in [key, refusedKey, revokedKey, newKey()] {
                let look = HTTPRequest.byKey(key, token: server.token)
                let found = try await record(look, keyPath, server, &samples)
                try await send(look.with(method: "HEAD"), keyPath)
                try await send(look.with("If-None-Match", found["ETag"] ?? "*"), keyPath)
            }
            // Its answer's bytes are dropped.
            bank.clock.move(seconds: 91 * 86400)
            let late = HTTPRequest.payment(rich, key: key, token: bank.token("alice"))
            try #require(try await eventually { try server.exchange(late).status == 410 })
            try await send(late)
            return samples
        }

        private static func reads(_ bank: TestBank) async throws -> [Sample] {
            let server = bank.endpoint
            var samples: [Sample] = []
            func send(_ target: String, _ path: String, method: String = "GET") async throws
                -> HTTPAnswer
            {
                try await record(
                    .get(target, token: server.token).with(method: method), path, server, &samples)
            }
            let list = try await send("/api/transfers?limit=1", transfersPath)
            let cursor = list.json?["cursor"]?.string ?? ""
            _ = try await send("/api/transfers?limit=1&cursor=\(cursor)", transfersPath)
            _ = try await send("/api/transfers?status=rejected", transfersPath)
            _ = try await send("/api/transfers?status=nonsense", transfersPath)
            let transfer = list.json?["transfers"]?.elements.first { _ in true }
            let id = try #require(transfer?["transferId"]?.string)
            let accounts = try await send("/api/accounts", "/api/accounts")
            let account = try #require(accounts.accounts.first?["accountId"]?.string)
            for (path, id) in [
                ("/api/transfers/{transferId}", id), ("/api/transfers/{transferId}", newKey()),
                ("/api/accounts/{accountId}", account), ("/api/accounts/{accountId}", newKey()),
                ("/api/accounts/{accountId}", "none"), (keyPath, "nonsense"),
            ] {
                let start = path.prefix { $0 != "{" }
                for method in ["GET", "HEAD", "OPTIONS"] {
                    _ = try await send(start + id, path, method: method)
                }
                _ = try await send(start + id + "?unknown=1", path)
            }
            for path in [transfersPath, "/api/accounts", "/openapi.json", "/docs"] {
                for method in ["GET", "HEAD", "OPTIONS"] {
                    _ = try await send(path, path, method: method)
                }
                _ = try await send(path + "?unknown=1", path)
            }
            for method in ["GET", "HEAD", "OPTIONS"] {
                _ = try await send("/problems/in_flight", "/problems/{code}", method: method)
            }
            _ = try await send("/problems/in_flight?unknown=1", "/problems/{code}")
            _ = try await send("/problems/none", "/problems/{code}")
            for path in ["/openapi.json", "/docs"] {
                let known = HTTPRequest("GET", path, fields: [("If-None-Match", "*")])
                _ = try await record(known, path, server, &samples)
            }
            return samples
        }

        private static func refusals(_ bank: TestBank) async throws -> [Sample] {
            let server = bank.endpoint
            var samples: [Sample] = []
            let pay = HTTPRequest.payment(Payment(), key: newKey(), token: server.token)
            let bodyless = pay.with("Content-Length", "400").with(framing: .asWritten)
            let long = String(repeating: "x", count: 9000)
            for request in [
                pay.with("Idempotency-Key", nil), pay.with("Idempotency-Key", "x"),
                pay.with(body: "{}"), pay.with(body: "["), pay.with("Authorization", nil),
                pay.with("Authorization", "Bearer x"),
                pay.with("Authorization", "Bearer \(bank.token("alice", expiresIn: -60))"),
                pay.with("Authorization", "Bearer \(bank.token("alice", scope: "accounts:read"))"),
                pay.with("Content-Type", "text/plain"), pay.with("Host", "a b"),
                pay.with(body: String(repeating: " ", count: 17_000)),
                pay.with("X-Long", long + long), pay.with(target: "/api/transfers?x=" + long),
                pay.with("Expect", "something"),
                pay.with("Transfer-Encoding", "gzip")
                    .with(framing: .asWritten), bodyless,
            ] {
                _ = try await record(request, transfersPath, server, &samples)
            }
            let old = try await blocking {
                let client = try HTTPClient(port: server.port)
                defer { client.close() }
                client.send("GET /api/transfers HTTP/3.0\r\nHost: test\r\n\r\n")
                return try client.receive()
            }
            samples.append(Sample(method: "GET", path: transfersPath, answer: old))
            return samples
        }

        @Test(
            "a method that a path does not have is 405 with Allow, and no body of that method runs")
        func otherMethods() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                for (target, allow) in [
                    ("/api/transfers", "GET, HEAD, POST, OPTIONS"),
                    ("/api/transfers/by-key/\(newKey())", "GET, HEAD, DELETE, OPTIONS"),
                    ("/api/transfers/\(newKey())", "GET, HEAD, OPTIONS"),
                    ("/api/accounts", "GET, HEAD, OPTIONS"), ("/docs", "GET, HEAD, OPTIONS"),
                    ("/openapi.json", "GET, HEAD, OPTIONS"),
                    ("/problems/in_flight", "GET, HEAD, OPTIONS"),
                ] {
                    for method in ["PUT", "PATCH", "TRACE", "PROPFIND", "get"] {
                        let answer = try await server.send(
                            .get(target, token: server.token).with(method: method))
                        expectProblem(answer, 405, "method_not_allowed", retry: "no")
                        #expect(answer["Allow"] == allow)
                    }
                }
            }
        }

        @Test("the document and the page need no token, may be cached and say what they are")
        func documentation() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let document = try await server.send(HTTPRequest("GET", "/openapi.json"))
                #expect(document.status == 200)
                #expect(document["Content-Type"] == "application/json")
                #expect(document["Cache-Control"] == "public, max-age=300")
                #expect(document.json?["openapi"]?.string == "3.1.0")
                let page = try await server.send(HTTPRequest("GET", "/docs"))
                #expect(page.status == 200)
                #expect(page["Content-Type"] == "text/html; charset=utf-8")
                #expect(page["X-Content-Type-Options"] == "nosniff")
                let policy = page["Content-Security-Policy"] ?? ""
                #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
                // Nothing comes from elsewhere, and nothing runs.
                for word in ["<script", "<img", "src=", "@import", "url(", "style=\""] {
                    #expect(!page.text.contains(word))
                }
                for answer in [document, page] {
                    let tag = try #require(answer["ETag"])
                    let target =
                        answer.status == 200 && answer.json == nil ? "/docs" : "/openapi.json"
                    let same = try await server.send(
                        HTTPRequest("GET", target, fields: [("If-None-Match", tag)]))
                    #expect(same.status == 304)
                    #expect(same["ETag"] == tag)
                    #expect(same["Cache-Control"] == "public, max-age=300")
                }
            }
        }

        @Test("the type of an error answer leads to its explanation")
        func problemTypes() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let missing = try await server.send(HTTPRequest("GET", "/nowhere"))
                let type = try #require(missing.json?["type"]?.string)
                let answer = try await server.send(HTTPRequest("GET", type))
                #expect(answer.status == 303)
                let place = try #require(answer["Location"])
                let parts = place.split(separator: "#")
                let page = try await server.send(HTTPRequest("GET", String(parts[0])))
                #expect(page.text.contains("id=\"\(parts[1])\""))
                let other = try await server.send(HTTPRequest("GET", "/problems/nothing"))
                #expect(other.status == 404)
            }
        }

        /// Prints `ok`, or what does not fit.
        private static let script = #"""
            import json, sys
            from jsonschema import Draft202012Validator
            from referencing import Registry
            from referencing.jsonschema import DRAFT202012
            given = json.load(open(sys.argv[1], encoding="utf-8"))
            document, faults = given["document"], []
            registry = Registry().with_resource("urn:api", DRAFT202012.create_resource(document))
            own = {"content-length", "content-type", "connection"}
            def resolve(value, pointer):
                while "$ref" in value:
                    pointer = value["$ref"][1:]
                    value = document
                    for name in pointer[1:].split("/"):
                        value = value[name]
                return value, pointer
            def step(name):
                return "/" + name.replace("~", "~0").replace("/", "~1") \
                    .replace("{", "%7B").replace("}", "%7D")
            def check(value, pointer, where):
                validator = Draft202012Validator(
                    {"$ref": "urn:api#" + pointer}, registry=registry,
                    format_checker=Draft202012Validator.FORMAT_CHECKER)
                faults.extend(f"{where}: {e.json_path}: {e.message}"
                              for e in validator.iter_errors(value))
            for sample in given["samples"]:
                path, method, status = sample["path"], sample["method"], str(sample["status"])
                where = f"{method} {path} {status} {sample['body'][:200]}"
                responses = document["paths"][path][method]["responses"]
                key = status if status in responses else status[0] + "XX"
                if key not in responses:
                    faults.append(where + ": no such answer")
                    continue
                pointer = f"/paths{step(path)}/{method}/responses/{key}"
                response, pointer = resolve(responses[key], pointer)
                fields = dict(zip(sample["fields"][::2], sample["fields"][1::2]))
                described = {}
                for name, header in response.get("headers", {}).items():
                    header, at = resolve(header, pointer + "/headers" + step(name))
                    described[name.lower()] = at
                    if name.lower() in fields:
                        check(fields[name.lower()], at + "/schema", where + " " + name)
                    elif header.get("required"):
                        faults.append(f"{where}: {name} is missing")
                # What belongs to one status only is not repeated for the answers without a body.
                if not key.endswith("XX"):
                    faults.extend(f"{where}: {name} is not described"
                                  for name in fields.keys() - described.keys() - own)
                content = response.get("content", {})
                if not content:
                    if sample["body"]:
                        faults.append(where + ": a body")
                    continue
                media = fields.get("content-type", "").split(";")[0]
                if media not in content:
                    faults.append(f"{where}: {media} is not described")
                elif media.endswith("json"):
                    check(json.loads(sample["body"]), pointer + "/content" + step(media) + "/schema",
                          where)
            print("\n".join(faults) or "ok")
            """#
    }
}
