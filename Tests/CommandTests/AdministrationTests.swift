import Foundation
import Glibc
import TestSupport
import Testing

extension DatabaseTests {
    @Suite(.serialized, .timeLimit(.minutes(5)))
    struct AdministrationTests {
        let folder: Folder
        let database: String

        init() throws {
            folder = try Folder()
            database = folder.file("bank.db")
        }

        private func makeDemo() throws {
            #expect(try DemoServer(database: database).stop().status == 0)
        }

        @Test("A freeze beside a running server holds from the next attempt on until the unfreeze")
        func freeze() throws {
            let demo = try DemoServer(database: database)
            let iban = ["--database", database, "--iban", "de89 3704 0044 0532 0130 00"]
            let refusedKey = UUID().uuidString
            #expect(try demo.transfer(key: UUID().uuidString).status == 201)

            let frozen = try Program(["account", "freeze"] + iban).wait()
            #expect(frozen.status == 0)
            #expect(frozen.out.contains("frozen"))
            let refused = try demo.transfer(key: refusedKey)
            #expect(refused.status == 402)
            #expect(refused.body.contains("\"code\":\"account_frozen\""))

            let id = demo.ready.customers[0].accounts[0].accountId
            let released = try Program.run(
                "account", "unfreeze", "--database", database, id, "--json")
            #expect(released.status == 0)
            #expect(released.out.contains("\"status\":\"active\""))
            #expect(try demo.transfer(key: UUID().uuidString).status == 201)
            // What was refused stays refused.
            #expect(try demo.transfer(key: refusedKey).body == refused.body)
        }

        @Test("A database with a second hard link is read, and written by no command")
        func hardLink() throws {
            try makeDemo()
            let other = folder.file("other.db")
            #expect(link(database, other) == 0)
            let iban = ["--iban", "DE89370400440532013000"]
            for path in [database, other] {
                for words in [
                    ["account", "list"], ["account", "show"] + iban, ["customer", "list"],
                    ["revocation", "list"], ["verify"], ["token", "--customer", "alice"],
                ] {
                    let read = try Program(words + ["--database", path]).wait()
                    #expect(read.status == 0, "\(words) \(read.err)")
                }
                for words in [
                    ["account", "freeze"] + iban, ["customer", "restrict", "--customer", "alice"],
                    ["customer", "revoke", "--customer", "alice"],
                    ["revocation", "add", "--token", "x"],
                    ["revocation", "remove", "--token", "x"],
                ] {
                    let written = try Program(words + ["--database", path]).wait()
                    #expect(written.status == 65, "\(words) \(written.err)")
                    #expect(written.err.contains("hard link"), "\(written.err)")
                }
            }
            let copy = folder.file("copy.db")
            #expect(try Program.run("backup", "--database", other, "--to", copy).status == 0)
            #expect(unlink(other) == 0)
            #expect(
                try Program(["account", "freeze", "--database", database] + iban).wait().status == 0
            )
            #expect(try Program.run("verify", "--database", copy).status == 0)
        }

        @Test("Accounts are listed and shown for people and for programs")
        func accounts() throws {
            try makeDemo()
            let text = try Program.run("account", "list", "--database", database)
            #expect(text.status == 0)
            #expect(text.out.split(separator: "\n").count == 5)
            #expect(text.out.contains("DE89370400440532013000"))
            let json = try Program.run(
                "account", "list", "--database", database, "--customer", "alice", "--json")
            let list = try #require(
                JSONSerialization.jsonObject(with: Data(json.out.utf8)) as? [String: [Any]])
            #expect(list["accounts"]?.count == 2)
            let shown = try Program.run(
                "account", "show", "--database", database, "--iban", "DE89370400440532013000",
                "--json")
            let account = try #require(
                JSONSerialization.jsonObject(with: Data(shown.out.utf8)) as? [String: Any])
            #expect(account["balance"] as? String == "10000.00")
            #expect(account["status"] as? String == "active")
        }

        @Test(
            "An account that cannot be found is told what to type",
            arguments: [
                (["--iban", "FR7630006000011234567890189"], 1, "account list"),
                (["0193a5c4-8f7e-7b1a-9d3e-2f6c1a0b4d5e"], 1, "account list"),
                (["--iban", "DE00370400440532013000"], 2, "check digits"),
                (["DE89370400440532013000"], 2, "--iban"),
                ([], 2, "--iban IBAN"),
            ] as [([String], Int32, String)])
        func missingAccount(selection: [String], status: Int32, advice: String) throws {
            try makeDemo()
            for verb in ["show", "freeze"] {
                let ending = try Program(
                    ["account", verb, "--database", database] + selection
                ).wait()
                #expect(ending.status == status)
                #expect(ending.err.contains(advice))
            }
        }

        @Test("token prints one JWT that the demo accepts, with the scopes that were asked for")
        func token() throws {
            let demo = try DemoServer(database: database)
            let made = try Program.run(
                "token", "--database", database, "--customer", "bob", "--scope", "accounts:read")
            #expect(made.status == 0)
            #expect(made.err.isEmpty)
            let token = made.out.trimmingCharacters(in: .newlines)
            #expect(made.out == token + "\n")
            let accounts = try demo.request("GET /api/accounts", token: token)
            #expect(accounts.status == 200)
            #expect(accounts.body.contains("FR1420041010050500013M02606"))
            #expect(try demo.transfer(key: UUID().uuidString, token: token).status == 403)
            let expired = try Program.run(
                "token", "--database", database, "--customer", "bob", "--expires-in", "-600")
            let answer = try demo.request(
                "GET /api/accounts", token: expired.out.trimmingCharacters(in: .newlines))
            #expect(answer.status == 401)
            #expect(answer.body.contains("token_expired"))
        }

        @Test("A token of nobody is made, and who there is is told")
        func tokenOfNobody() throws {
            try makeDemo()
            let slip = try Program.run("token", "--database", database, "--customer", "alicce")
            #expect(slip.status == 0)
            #expect(slip.out.split(separator: ".").count == 3)
            #expect(
                slip.err == "transferd: no customer alicce here; there are alice, bob, carol.\n")
        }

        @Test("token refuses a file that is not a demo's, and a scope that there is not")
        func noToken() throws {
            #expect(try Program.run("migrate", "--database", database).status == 0)
            let ending = try Program.run("token", "--database", database, "--customer", "alice")
            #expect(ending.status == 65)
            #expect(ending.out.isEmpty)
            #expect(ending.err.contains("transferd demo"))
            let scope = try Program.run(
                "token", "--database", database, "--customer", "alice", "--scope", "account:read")
            #expect(scope.status == 2)
            #expect(scope.err.contains("accounts:read"))
        }

        @Test("migrate makes a database, and again changes nothing, also beside a server")
        func migrate() throws {
            let first = try Program.run("migrate", "--database", database)
            #expect(first.status == 0)
            #expect(first.out.contains("applied 0001 initial"))
            let second = try Program.run("migrate", "--database", database)
            #expect(second.status == 0)
            #expect(!second.out.contains("applied"))
            let demo = try DemoServer(database: database)
            #expect(try Program.run("migrate", "--database", database).status == 0)
            #expect(try demo.transfer(key: UUID().uuidString).status == 201)
        }

        @Test("verify lists its checks with rows, and ends with 1 when it finds damage")
        func verify() throws {
            let demo = try DemoServer(database: database)
            #expect(try demo.transfer(key: UUID().uuidString).status == 201)
            let online = try Program.run("verify", "--database", database)
            #expect(online.status == 0)
            #expect(online.out.contains("account balances"))
            #expect(demo.stop().status == 0)

            try execute(
                "UPDATE accounts SET balance = balance + 1 WHERE currency = 'EUR'", database)
            let damaged = try Program.run("verify", "--database", database, "--structure")
            #expect(damaged.status == 1)
            #expect(damaged.out.contains("damage: account balances"))
            #expect(damaged.out.contains("file structure"))
            #expect(damaged.err.contains("damages were found"))
            let json = try Program.run("verify", "--database", database, "--json")
            #expect(json.status == 1)
            let report = try #require(
                JSONSerialization.jsonObject(with: Data(json.out.utf8)) as? [String: Any])
            #expect(report["sound"] as? Bool == false)
            #expect((report["damages"] as? [String])?.isEmpty == false)
        }

        static let readers: [[String]] = [
            ["account", "list"], ["token", "--customer", "alice"], ["verify"],
        ]

        @Test("Commands beside a server make no file where there is none", arguments: readers)
        func noFile(command: [String]) throws {
            let ending = try Program(command + ["--database", database]).wait()
            #expect(ending.status == 66)
            #expect(ending.err.contains("transferd migrate --database"))
            #expect(!FileManager.default.fileExists(atPath: database))
        }

        @Test(
            "A file that is no database is refused by every command",
            arguments: readers + [["migrate"], ["demo", "--port", "0"]])
        func notADatabase(command: [String]) throws {
            let text = String(repeating: "This is no database. ", count: 100)
            _ = try folder.write(text, to: "bank.db")
            let ending = try Program(command + ["--database", database]).wait()
            #expect(ending.status == 65)
            #expect(ending.err.contains("is not an SQLite database"))
            #expect(try String(contentsOfFile: database, encoding: .utf8) == text)
        }

        @Test(
            "A damaged table of migrations is refused by every command",
            arguments: readers + [["migrate"], ["demo", "--port", "0"]])
        func damagedMigrations(command: [String]) throws {
            #expect(try Program.run("migrate", "--database", database).status == 0)
            try execute("UPDATE schema_migrations SET checksum = zeroblob(32)", database)
            let ending = try Program(command + ["--database", database]).wait()
            #expect(ending.status == 65)
            #expect(ending.err.contains("migration 1 initial"))
        }

        @Test("A database of a newer program is refused")
        func newer() throws {
            #expect(try Program.run("migrate", "--database", database).status == 0)
            try execute(
                "INSERT INTO schema_migrations VALUES (99999, 'later', zeroblob(32), 0)", database)
            let ending = try Program.run("demo", "--port", "0", "--database", database)
            #expect(ending.status == 65)
            #expect(ending.err.contains("newer than this program"))
        }

        /// Root may write anywhere, so it becomes nobody for this; impossible where nobody cannot
        /// reach the program.
        static let unprivileged: [String]? = {
            guard geteuid() == 0 else { return [] }
            let prefix = [
                "/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
            ]
            let ending = try? Program.run("--version", prefix: prefix)
            return ending?.status == 0 ? prefix : nil
        }()

        @Test(
            "A folder that may not be written is told as such",
            .enabled(if: unprivileged != nil), arguments: [["migrate"], ["demo", "--port", "0"]])
        func readOnlyFolder(command: [String]) throws {
            chmod(folder.path, 0o555)
            let ending = try Program(
                command + ["--database", database], prefix: Self.unprivileged ?? []
            ).wait()
            #expect(ending.status == 66)
            #expect(ending.err.contains("may write in it"))
        }

        @Test("What the server writes is for its user's eyes only")
        func permissions() throws {
            let demo = try DemoServer(database: database)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                var status = stat()
                #expect(stat(folder.file(name), &status) == 0)
                #expect(status.st_mode & 0o077 == 0, "\(name)")
            }
            #expect(demo.stop().status == 0)
        }
    }
}
