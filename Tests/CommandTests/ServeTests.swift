import Foundation
import Glibc
import TestSupport
import Testing

extension DatabaseTests {
    @Suite(.serialized, .timeLimit(.minutes(5)))
    struct ServeTests {
        let folder: Folder
        let database: String

        init() throws {
            folder = try Folder()
            database = folder.file("bank.db")
        }

        static let secret = [
            "TRANSFERD_TOKENS_HS256_SECRET": "0123456789abcdef0123456789abcdef"
        ]

        func configuration(_ more: String = "") throws -> String {
            try folder.write(
                """
                {
                    // Any free ports.
                    server: {port: 0}, operations: {port: 0},
                    database: {path: "\(database)"},
                    tokens: {issuer: "issuer", audience: "bank", algorithms: ["HS256"]},
                    \(more)
                }
                """, to: "my.json5")
        }

        /// The ready line of a server, which has all its ports open by then.
        func ready(_ program: Program) throws -> [String: Any] {
            // Standard error is a file: look again until the line is there or the server is not.
            while kill(program.process, 0) == 0 {
                for line in program.errors.split(separator: "\n")
                where line.contains("server.ready") {
                    let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                    return try #require(object as? [String: Any])
                }
                if program.errors.hasPrefix("transferd:") { break }
                sched_yield()
            }
            throw DemoServer.UnexpectedEnd(message: program.wait().err)
        }

        @Test("serve is ready with a log line, answers, and ends with 0 on SIGTERM")
        func serve() throws {
            let path = try configuration()
            let program = try Program(["serve", "--config", path], environment: Self.secret)
            let line = try ready(program)
            #expect(line["process"] as? Int == Int(program.process))
            let port = try #require(line["port"] as? Int)
            let answer = try Answer.to(
                "GET /api/accounts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", port: port)
            #expect(answer.status == 401)
            let operations = try #require(line["operationsPort"] as? Int)
            #expect(
                try Program.run(
                    "healthcheck", "--config", path,
                    environment: Self.secret.merging(
                        ["TRANSFERD_OPERATIONS_PORT": "\(operations)"]) { $1 }
                ).status == 0)
            #expect(
                try Program.run("healthcheck", "--url", "http://127.0.0.1:\(operations)/readyz")
                    .status == 0)
            program.signal(SIGTERM)
            let ending = program.wait()
            #expect(ending.status == 0)
            #expect(ending.out.isEmpty)
            for line in ending.err.split(separator: "\n") {
                #expect(throws: Never.self) {
                    try JSONSerialization.jsonObject(with: Data(line.utf8))
                }
            }
        }

        @Test("A terminal that goes away drains the server too")
        func hangUp() throws {
            // Under nohup it would be ignored, here and in the server.
            Glibc.signal(SIGHUP, SIG_DFL)
            let program = try Program(
                ["serve", "--config", try configuration()], environment: Self.secret)
            _ = try ready(program)
            program.signal(SIGHUP)
            let ending = program.wait()
            #expect(ending.status == 0)
            #expect(ending.err.contains("server.stopped"))
        }

        @Test("Where no file may grow, payments get 503, and go on when they may again")
        func fileSizeLimit() throws {
            let demo = try DemoServer(database: database)
            func limit(_ bytes: String) throws {
                _ = try Python.run(
                    """
                    import resource
                    resource.prlimit(
                        \(demo.program.process), resource.RLIMIT_FSIZE,
                        (\(bytes), resource.RLIM_INFINITY))
                    """)
            }
            let key = UUID().uuidString
            try limit("4096")
            let refused = try demo.transfer(key: key)
            #expect(refused.status == 503)
            #expect(refused.body.contains("store_unavailable"))
            #expect(
                try demo.request("GET /api/accounts", token: demo.token("alice")).status == 200)
            try limit("resource.RLIM_INFINITY")
            #expect(try eventually { try demo.transfer(key: key).status == 201 })
            #expect(demo.stop().status == 0)
            #expect(try Program.run("verify", "--database", database).status == 0)
        }

        @Test("A second signal ends a drain that waits, at once and not with 0")
        func secondSignal() throws {
            let program = try Program(
                [
                    "serve", "--config",
                    try configuration("drain: {readinessDelayMilliseconds: 3600000}"),
                ],
                environment: Self.secret)
            _ = try ready(program)
            program.signal(SIGTERM)
            while !program.errors.contains("server.draining") { sched_yield() }
            program.signal(SIGINT)
            #expect(program.wait().status == 128 + SIGINT)
        }

        @Test("--database overrides the file, and the environment overrides its settings")
        func overrides() throws {
            let other = folder.file("other.db")
            let program = try Program(
                ["serve", "--config", try configuration(), "--database", other],
                environment: Self.secret.merging(["TRANSFERD_SERVER_ADDRESS": "127.0.0.2"]) { $1 })
            let line = try ready(program)
            #expect(line["database"] as? String == other)
            #expect(line["address"] as? String == "127.0.0.2")
            program.signal(SIGINT)
            #expect(program.wait().status == 0)
            #expect(!FileManager.default.fileExists(atPath: database))
        }

        @Test(
            "A configuration that is refused ends with 78 and says what to do",
            arguments: [
                (["TRANSFERD_SERVER_PROT": "1"], "TRANSFERD_SERVER_PORT"),
                (["TRANSFERD_SERVER_PORT": "70000"], "0 to 65535"),
                (["TRANSFERD_TOKENS_HS256_SECRET": "short"], "32 bytes"),
                (["TRANSFERD_SERVER_CONNECTIONS": "1000000"], "ulimit"),
                (["TRANSFERD_SERVER_ADDRESS": "192.0.2.1"], "none of this machine's"),
            ])
        func refusedEnvironment(environment: [String: String], advice: String) throws {
            let ending = try Program.run(
                "serve", "--config", try configuration(),
                environment: Self.secret.merging(environment) { $1 })
            #expect(ending.status == 78)
            #expect(ending.err.contains(advice))
        }

        @Test(
            "A key set that is missing, empty or no key set is refused with what to do",
            arguments: [
                (nil, "cannot be read"), ("", "is empty"), ("keys", "not strict JSON"),
                ("{\"keys\":[]}", "no key"),
                ("{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"}]}", "publish public keys only"),
            ] as [(String?, String)])
        func keySets(text: String?, advice: String) throws {
            if let text { _ = try folder.write(text, to: "jwks.json") }
            let ending = try Program.run(
                "serve", "--config", try configuration(),
                environment: [
                    "TRANSFERD_TOKENS_ALGORITHMS": "ES256",
                    "TRANSFERD_TOKENS_JWKS_FILE": folder.file("jwks.json"),
                ])
            #expect(ending.status == 78)
            #expect(ending.err.contains(advice))
            #expect(ending.err.contains("jwks_uri"))
        }

        @Test("HS256 without being named, or without a secret, is refused")
        func sharedSecret() throws {
            let path = try configuration()
            let none = try Program.run("serve", "--config", path)
            #expect(none.status == 78)
            #expect(none.err.contains("TRANSFERD_TOKENS_HS256_SECRET"))
            let unnamed = try Program.run(
                "serve", "--config", path,
                environment: Self.secret.merging([
                    "TRANSFERD_TOKENS_ALGORITHMS": "ES256", "TRANSFERD_TOKENS_JWKS_FILE": "x",
                ]) { $1 })
            #expect(unnamed.status == 78)
            #expect(unnamed.err.contains("does not name HS256"))
        }

        @Test("A secret's file is read without its last newline")
        func secretFile() throws {
            let file = try folder.write(String(repeating: "x", count: 31) + "\n", to: "secret")
            let path = try configuration()
            let short = try Program.run(
                "serve", "--config", path,
                environment: ["TRANSFERD_TOKENS_HS256_SECRET_FILE": file])
            #expect(short.status == 78)
            _ = try folder.write(String(repeating: "x", count: 32) + "\n", to: "secret")
            let program = try Program(
                ["serve", "--config", path],
                environment: ["TRANSFERD_TOKENS_HS256_SECRET_FILE": file])
            _ = try ready(program)
            program.signal(SIGTERM)
            #expect(program.wait().status == 0)
        }

        @Test("token signs what serve accepts, with the configured secret, issuer and audience")
        func configuredToken() throws {
            let path = try configuration()
            let file = try folder.write(String(repeating: "x", count: 32) + "\n", to: "secret")
            let environment = ["TRANSFERD_TOKENS_HS256_SECRET_FILE": file]
            let program = try Program(["serve", "--config", path], environment: environment)
            let port = try #require(try ready(program)["port"] as? Int)
            let made = try Program.run(
                "token", "--config", path, "--customer", "alice", environment: environment)
            #expect(made.status == 0)
            #expect(made.err.isEmpty)
            let token = made.out.trimmingCharacters(in: .newlines)
            let answer = try Answer.to(
                "GET /api/accounts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                    + "Authorization: Bearer \(token)\r\n\r\n", port: port)
            #expect(answer.status == 200)
            program.signal(SIGTERM)
            #expect(program.wait().status == 0)
        }

        @Test(
            "token says why it cannot sign for a configuration",
            arguments: [
                (["ALGORITHMS": "ES256", "JWKS_FILE": "x"], 78, "does not name HS256"),
                ([:], 78, "there is no secret"),
                (["HS256_SECRET": "short"], 78, "shorter than 32 bytes"),
                (["HS256_SECRET_FILE": "/nowhere"], 78, "umask 077"),
            ] as [([String: String], Int32, String)])
        func noConfiguredToken(tokens: [String: String], status: Int32, advice: String) throws {
            var environment: [String: String] = [:]
            for (name, value) in tokens { environment["TRANSFERD_TOKENS_" + name] = value }
            let ending = try Program.run(
                "token", "--config", try configuration(), "--customer", "alice",
                environment: environment)
            #expect(ending.status == status)
            #expect(ending.out.isEmpty)
            #expect(ending.err.contains(advice))
        }

        @Test(
            "At level debug a refused request's id leads to the reason, at info there is no line",
            arguments: ["debug", "info"])
        func refusals(level: String) throws {
            let path = try configuration()
            var environment = Self.secret
            environment["TRANSFERD_LOG_LEVEL"] = level
            let program = try Program(["serve", "--config", path], environment: environment)
            let ready = try ready(program)
            let port = try #require(ready["port"] as? Int)
            let made = try Program.run(
                "token", "--config", path, "--customer", "alice", environment: Self.secret)
            let token = made.out.trimmingCharacters(in: .newlines)
            let forged = String(token.dropLast(8)) + "AAAAAAAA"
            for (id, target, token) in [
                ("no-1", "/api/accounts", forged), ("no-2", "/nowhere", token),
                ("yes-1", "/api/accounts", token), ("no-3", "/problems/in_flight", token),
                ("no-4", "/api/transfers/none", token),
            ] {
                _ = try Answer.to(
                    "GET \(target) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                        + "X-Request-Id: \(id)\r\nAuthorization: Bearer \(token)\r\n\r\n",
                    port: port)
            }
            let metrics = try Answer.to(
                "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                port: try #require(ready["operationsPort"] as? Int))
            let name = "transferd_token_refusals_total{reason="
            #expect(metrics.body.contains(name + "\"signature\"} 1\n"))
            #expect(metrics.body.contains(name + "\"expired\"} 0\n"))
            program.signal(SIGTERM)
            let log = program.wait().err
            let lines = log.split(separator: "\n").map(String.init).compactMap { line -> String? in
                guard line.contains("request.answered") else { return nil }
                return line.components(separatedBy: #""requestId":"#).last
            }
            let expected = [
                #""no-1","status":401,"code":"token_invalid","token":"signature"}"#,
                #""no-2","status":404,"code":"not_found"}"#, #""no-3","status":303}"#,
                #""no-4","status":404,"code":"transfer_not_found"}"#,
            ]
            #expect(lines == (level == "debug" ? expected : []))
            #expect(!log.contains(token.prefix(20)))
        }

        @Test("A schema that is not up to date is refused where migrating is not allowed")
        func noMigration() throws {
            let path = try configuration()
            var environment = Self.secret
            environment["TRANSFERD_DATABASE_MIGRATE"] = "false"
            let missing = try Program.run("serve", "--config", path, environment: environment)
            #expect(missing.status == 66)
            #expect(missing.err.contains("transferd migrate"))
            #expect(try Program.run("migrate", "--database", database).status == 0)
            let program = try Program(["serve", "--config", path], environment: environment)
            _ = try ready(program)
            let second = try Program.run("serve", "--config", path, environment: environment)
            #expect(second.status == 69)
            #expect(second.err.contains("process \(program.process)"))
            program.signal(SIGTERM)
            #expect(program.wait().status == 0)
        }

        @Test("A configuration that cannot be read is told as such")
        func unreadable() throws {
            let ending = try Program.run("serve", "--config", folder.file("none.json5"))
            #expect(ending.status == 66)
            #expect(ending.err.contains("none.json5"))
        }

        @Test(
            "healthcheck fails where nobody answers, and needs one address",
            arguments: [
                (["--url", "http://127.0.0.1:1"], 1), (["--url", "ftp://127.0.0.1"], 2), ([], 2),
                (["--url", "http://127.0.0.1:1", "--config", "x"], 2),
                (["--url", "http://nowhere.invalid:80"], 1),
            ] as [([String], Int32)])
        func healthcheck(arguments: [String], status: Int32) throws {
            let ending = try Program(["healthcheck"] + arguments).wait()
            #expect(ending.status == status)
            #expect(!ending.err.isEmpty)
        }

        @Test("--version and help go to standard output, errors to standard error")
        func streams() throws {
            let version = try Program.run("--version")
            #expect(version.status == 0)
            #expect(version.out.hasPrefix("transferd "))
            #expect(try Program.run("help").out.contains("Exit codes"))
            let wrong = try Program.run("verfy", "--database", "x")
            #expect(wrong.status == 2)
            #expect(wrong.out.isEmpty)
            #expect(wrong.err.contains("`transferd verify`"))
        }
    }
}
