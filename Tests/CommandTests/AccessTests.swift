import Foundation
import Glibc
import TestSupport
import Testing

extension DatabaseTests {
    @Suite(.serialized, .timeLimit(.minutes(5)))
    struct AccessTests {
        let folder: Folder
        let database: String

        init() throws {
            folder = try Folder()
            database = folder.file("bank.db")
        }

        private func run(_ words: String...) throws -> Ending {
            try Program(Array(words[..<2]) + ["--database", database] + words[2...]).wait()
        }

        private func json(_ ending: Ending) throws -> [String: Any] {
            #expect(ending.status == 0, "\(ending.err)")
            return try #require(
                JSONSerialization.jsonObject(with: Data(ending.out.utf8)) as? [String: Any])
        }

        @Test("A revoked customer gets 401 before any replay, within seconds, until the release")
        func revoke() throws {
            let demo = try DemoServer(database: database)
            let key = UUID().uuidString
            let first = try demo.transfer(key: key)
            #expect(first.status == 201)

            let revoked = try json(run("customer", "revoke", "--customer", "alice", "--json"))
            #expect(revoked["revokedAt"] is String)
            #expect(revoked["restricted"] as? Bool == false)
            #expect(try eventually { try demo.transfer(key: key).status == 401 })
            let refused = try demo.transfer(key: key)
            #expect(refused.body.contains("\"code\":\"token_revoked\""))
            #expect(!refused.head.contains("Idempotent-Replayed"))
            #expect(
                try demo.request("GET /api/accounts", token: demo.token("alice")).status == 401)
            // Nobody else is.
            #expect(try demo.request("GET /api/accounts", token: demo.token("bob")).status == 200)

            #expect(try run("customer", "release", "--customer", "alice").status == 0)
            #expect(try eventually { try demo.transfer(key: key).status == 201 })
            #expect(try demo.transfer(key: key).body == first.body)
        }

        @Test("A restricted customer sees and replays, executes nothing new, until the release")
        func restrict() throws {
            let demo = try DemoServer(database: database)
            let (key, refusedKey) = (UUID().uuidString, UUID().uuidString)
            let first = try demo.transfer(key: key)
            let restricted = try json(run("customer", "restrict", "--customer", "alice", "--json"))
            #expect(restricted["restricted"] as? Bool == true)
            #expect(restricted["revokedAt"] is NSNull)
            let replay = try demo.transfer(key: key)
            #expect(replay.status == 201)
            #expect(replay.head.contains("Idempotent-Replayed: true"))
            #expect(replay.body == first.body)
            // The next attempt, not the next second.
            let refused = try demo.transfer(key: refusedKey)
            #expect(refused.status == 402)
            #expect(refused.body.contains("\"code\":\"customer_restricted\""))
            #expect(
                try demo.request("GET /api/accounts", token: demo.token("alice")).status == 200)

            #expect(try run("customer", "release", "--customer", "alice").status == 0)
            #expect(try demo.transfer(key: UUID().uuidString).status == 201)
            #expect(try demo.transfer(key: refusedKey).body == refused.body)
            #expect(try Program.run("verify", "--database", database).status == 0)
        }

        @Test("release lifts both, and customer list tells who is what")
        func list() throws {
            #expect(try DemoServer(database: database).stop().status == 0)
            for verb in ["restrict", "revoke", "revoke", "restrict"] {
                #expect(try run("customer", verb, "--customer", "bob").status == 0)
            }
            let customers = try #require(
                try json(run("customer", "list", "--json"))["customers"] as? [[String: Any]])
            #expect(customers.map { $0["customer"] as? String } == ["alice", "bob", "carol"])
            #expect(customers.map { $0["accounts"] as? Int } == [2, 1, 1])
            #expect(customers.map { $0["restricted"] as? Bool } == [false, true, false])
            #expect(customers.map { $0["revokedAt"] is String } == [false, true, false])
            let text = try run("customer", "list")
            #expect(text.out.split(separator: "\n").count == 4)
            #expect(text.out.contains("since 20"))
            let released = try json(run("customer", "release", "--customer", "bob", "--json"))
            #expect(released["restricted"] as? Bool == false)
            #expect(released["revokedAt"] is NSNull)
            #expect(try run("customer", "release", "--customer", "bob").status == 0)
        }

        @Test("A customer who is not known can be revoked, which is said, and not be restricted")
        func unknown() throws {
            #expect(try Program.run("migrate", "--database", database).status == 0)
            for verb in ["restrict", "release"] {
                let ending = try run("customer", verb, "--customer", "nobody")
                #expect(ending.status == 1)
                #expect(ending.err.contains("customer list"))
            }
            let revoked = try run("customer", "revoke", "--customer", "nobody")
            #expect(revoked.status == 0)
            #expect(revoked.err.contains("No customer nobody is known"))
            #expect(try run("revocation", "list").out.contains("nobody"))
            #expect(try run("customer", "release", "--customer", "nobody").status == 0)
            #expect(try run("revocation", "list").out.split(separator: "\n").count == 1)
        }

        @Test("One token is refused within seconds, its customer's others are not")
        func oneToken() throws {
            let demo = try DemoServer(database: database)
            let other = try Program.run("token", "--database", database, "--customer", "alice")
                .out.trimmingCharacters(in: .newlines)
            let id = try #require(Self.claim("jti", of: other))
            #expect(try run("revocation", "add", "--token", id).status == 0)
            #expect(
                try eventually {
                    try demo.request("GET /api/accounts", token: other).status == 401
                })
            #expect(
                try demo.request("GET /api/accounts", token: demo.token("alice")).status == 200)
            #expect(try run("revocation", "remove", "--token", id).status == 0)
            #expect(
                try eventually {
                    try demo.request("GET /api/accounts", token: other).status == 200
                })
        }

        private static func claim(_ name: String, of token: String) -> String? {
            var text = String(token.split(separator: ".")[1])
                .replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            while text.utf8.count % 4 > 0 { text += "=" }
            let claims = Data(base64Encoded: text).flatMap {
                try? JSONSerialization.jsonObject(with: $0) as? [String: Any]
            }
            return claims?[name] as? String
        }

        @Test("Revocations are added once, listed by kind, and removed once")
        func revocations() throws {
            #expect(try Program.run("migrate", "--database", database).status == 0)
            for flag in ["--customer", "--session", "--token"] {
                #expect(try run("revocation", "add", flag, "same").status == 0)
            }
            let again = try run("revocation", "add", "--session", "same")
            #expect(again.status == 0)
            #expect(again.out.contains("already"))
            let all = try #require(
                try json(run("revocation", "list", "--json"))["revocations"] as? [[String: Any]])
            #expect(all.map { $0["kind"] as? String } == ["token", "session", "customer"])
            let one = try #require(
                try json(run("revocation", "list", "--session", "same", "--json"))["revocations"]
                    as? [[String: Any]])
            #expect(one.map { $0["kind"] as? String } == ["session"])
            let removed = try run("revocation", "remove", "--session", "same")
            #expect(removed.status == 0)
            #expect(
                removed.out == "Tokens of the session same are accepted again within seconds.\n")
            let gone = try run("revocation", "remove", "--session", "same")
            #expect(gone.status == 1)
            #expect(gone.err.contains("revocation list"))
            #expect(try run("revocation", "list").out.split(separator: "\n").count == 3)
        }

        @Test(
            "A revocation names exactly one thing that a token can say",
            arguments: [
                ([], "Name one"), (["--token", "a", "--session", "b"], "Name one"),
                (["--token", String(repeating: "a", count: 257)], "256 bytes"),
                (["--customer", String(repeating: "a", count: 65)], "64 printable"),
            ])
        func wrong(flags: [String], advice: String) throws {
            #expect(try Program.run("migrate", "--database", database).status == 0)
            for verb in ["add", "remove"] {
                let ending = try Program(
                    ["revocation", verb, "--database", database] + flags
                ).wait()
                #expect(ending.status == 2)
                #expect(ending.err.contains(advice))
            }
        }
    }
}
