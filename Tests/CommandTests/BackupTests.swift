import Foundation
import Glibc
import TestSupport
import Testing

extension DatabaseTests {
    @Suite(.serialized, .timeLimit(.minutes(5)))
    struct BackupTests {
        let folder: Folder
        let database: String
        let copy: String

        init() throws {
            folder = try Folder()
            database = folder.file("bank.db")
            copy = folder.file("copy.db")
        }

        private func backup(_ more: String...) throws -> Ending {
            try Program(["backup", "--database", database, "--to", copy] + more).wait()
        }

        private func restore(to target: String, _ more: String...) throws -> Ending {
            try Program(["restore", "--from", copy, "--to", target] + more).wait()
        }

        /// What is in the folder beside `names`.
        private func others(_ names: String...) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { !names.contains($0) }.sorted()
        }

        @Test("A backup beside a running server is sound, and a bank restored from it replays")
        func roundTrip() throws {
            let key = UUID().uuidString
            let demo = try DemoServer(database: database)
            let first = try demo.transfer(key: key)
            let made = try backup("--json")
            #expect(made.status == 0)
            #expect(made.err.isEmpty)
            #expect(made.out.contains("\"verified\":true"))
            // The server went on, and what it did later is not in the copy.
            let later = UUID().uuidString
            #expect(try demo.transfer(key: later).status == 201)
            let token = demo.token("alice")
            #expect(demo.stop().status == 0)
            #expect(try others("bank.db", "bank.db.lock") == ["copy.db"])
            #expect(try Program.run("verify", "--structure", "--database", copy).status == 0)

            let target = folder.file("restored.db")
            #expect(try restore(to: target).status == 0)
            let again = try DemoServer(database: target)
            let replay = try again.transfer(key: key, token: token)
            #expect(replay.head.contains("Idempotent-Replayed: true"))
            #expect(replay.body == first.body)
            #expect(
                try again.request("GET /api/transfers/by-key/\(later)", token: token).status == 404)
        }

        @Test("A copy that is there is replaced with --force only")
        func overwrite() throws {
            #expect(try DemoServer(database: database).stop().status == 0)
            _ = try folder.write("something else", to: "copy.db")
            let refused = try backup()
            #expect(refused.status == 1)
            #expect(refused.err.contains("--force"))
            #expect(try String(contentsOfFile: copy, encoding: .utf8) == "something else")
            #expect(
                try others("bank.db", "bank.db.lock", "bank.db-wal", "bank.db-shm") == ["copy.db"])
            #expect(try backup("--force").status == 0)
            #expect(try Program.run("verify", "--database", copy).status == 0)
            // A log that a reader has left beside the old copy is not taken for the new one's.
            #expect(try backup("--force").status == 0)
            #expect(try Program.run("verify", "--database", copy).status == 0)
            #expect(try backup("--force").status == 0)
            #expect(try others("bank.db", "bank.db.lock") == ["copy.db"])
        }

        @Test("A database that a server works on is neither a backup's nor a restore's target")
        func servedTarget() throws {
            let demo = try DemoServer(database: database)
            #expect(try backup().status == 0)
            let same = try Program.run(
                "backup", "--database", database, "--to", database, "--force")
            #expect(same.status == 1)
            #expect(same.err.contains("one file"))
            for command in [
                ["backup", "--database", copy, "--to", database, "--force"],
                ["restore", "--from", copy, "--to", database, "--force"],
            ] {
                let ending = try Program(command).wait()
                #expect(ending.status == 69)
                #expect(ending.err.contains("process \(demo.program.process)"))
                #expect(ending.err.contains("--to"))
            }
            #expect(try demo.transfer(key: UUID().uuidString).status == 201)
            #expect(demo.stop().status == 0)
            #expect(try Program.run("verify", "--database", database).status == 0)
        }

        @Test("A damaged database gives no backup, and nothing is left of the attempt")
        func damagedSource() throws {
            #expect(try DemoServer(database: database).stop().status == 0)
            try execute(
                "UPDATE accounts SET balance = balance + 1 WHERE currency = 'EUR'", database)
            let ending = try backup()
            #expect(ending.status == 1)
            #expect(ending.err.contains("account balances"))
            #expect(ending.err.contains("transferd verify"))
            #expect(
                try others("bank.db", "bank.db.lock", "bank.db-wal", "bank.db-shm").isEmpty)
        }

        @Test("A backup whose pages are damaged is not restored, whatever stands at the target")
        func damagedBackup() throws {
            #expect(try DemoServer(database: database).stop().status == 0)
            #expect(try backup().status == 0)
            let handle = try FileHandle(forUpdating: URL(filePath: copy))
            // The second page, and all that follow but the first.
            try handle.seek(toOffset: 4096)
            try handle.write(contentsOf: Data(repeating: 0xAB, count: 3 * 4096))
            try handle.close()
            let before = try Data(contentsOf: URL(filePath: database))
            let ending = try restore(to: database, "--force")
            #expect(ending.status == 1 || ending.status == 65)
            #expect(ending.err.contains("damaged"))
            #expect(try Data(contentsOf: URL(filePath: database)) == before)
            let text = try folder.write(String(repeating: "no database ", count: 500), to: "t.db")
            let none = try Program.run("restore", "--from", text, "--to", folder.file("x.db"))
            #expect(none.status == 65)
            #expect(!FileManager.default.fileExists(atPath: folder.file("x.db")))
        }

        @Test("A database that is there is replaced with --force only, and kept beside")
        func replace() throws {
            let demo = try DemoServer(database: database)
            #expect(try backup().status == 0)
            #expect(try demo.transfer(key: UUID().uuidString).status == 201)
            #expect(demo.stop().status == 0)
            let before = try Data(contentsOf: URL(filePath: database))
            let refused = try restore(to: database)
            #expect(refused.status == 1)
            #expect(refused.err.contains("--force"))
            #expect(try Data(contentsOf: URL(filePath: database)) == before)

            let ending = try restore(to: database, "--force", "--json")
            #expect(ending.status == 0)
            let report = try #require(
                JSONSerialization.jsonObject(with: Data(ending.out.utf8)) as? [String: Any])
            let kept = try #require(report["kept"] as? String)
            #expect(kept.hasPrefix(database + ".before-restore-"))
            #expect(try Data(contentsOf: URL(filePath: kept)) == before)
            #expect(
                try others("bank.db", "bank.db.lock", "copy.db")
                    == [URL(filePath: kept).lastPathComponent])
            let again = try DemoServer(database: database)
            #expect(again.ready.customers[0].accounts[0].balance == "10000.00")
        }

        @Test("A link to a database stays one: the file that it leads to is replaced")
        func link() throws {
            let demo = try DemoServer(database: database)
            #expect(try backup().status == 0)
            let name = folder.file("link.db")
            try FileManager.default.createSymbolicLink(
                atPath: name, withDestinationPath: database)
            // By its other name a server has it all the same.
            #expect(try restore(to: name, "--force").status == 69)
            #expect(try demo.transfer(key: UUID().uuidString).status == 201)
            #expect(demo.stop().status == 0)
            #expect(try restore(to: name, "--force").status == 0)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: name) == database)
            let again = try DemoServer(database: database)
            #expect(again.ready.customers[0].accounts[0].balance == "10000.00")
        }

        @Test("A target that is damaged is replaced too, and kept with its log")
        func damagedTarget() throws {
            let demo = try DemoServer(database: database)
            #expect(try backup().status == 0)
            demo.program.signal(SIGKILL)
            #expect(demo.program.wait().status == 128 + SIGKILL)
            let log = try Data(contentsOf: URL(filePath: database + "-wal"))
            let text = String(repeating: "This was a database. ", count: 100)
            _ = try folder.write(text, to: "bank.db")
            let ending = try restore(to: database, "--force")
            #expect(ending.status == 0, "\(ending.err)")
            let kept = try #require(
                ending.out.split(whereSeparator: { " \n".contains($0) })
                    .first { $0.contains(".before-restore-") }
            ).trimmingCharacters(in: ["."])
            #expect(try String(contentsOfFile: kept, encoding: .utf8) == text)
            #expect(try Data(contentsOf: URL(filePath: kept + "-wal")) == log)
            #expect(try Program.run("verify", "--database", database).status == 0)
        }

        @Test("A log without its database is not made another database's")
        func orphanedLog() throws {
            #expect(try DemoServer(database: database).stop().status == 0)
            #expect(try backup().status == 0)
            let target = folder.file("target.db")
            _ = try folder.write("a log", to: "target.db-wal")
            let ending = try restore(to: target)
            #expect(ending.status == 1)
            #expect(ending.err.contains("target.db-wal"))
            #expect(!FileManager.default.fileExists(atPath: target))
        }

        @Test("Files that are missing and folders that are not there are told as such")
        func missing() throws {
            #expect(try backup().status == 66)
            #expect(try restore(to: database).status == 66)
            #expect(try DemoServer(database: database).stop().status == 0)
            let nowhere = try Program.run(
                "backup", "--database", database, "--to", folder.file("none/copy.db"))
            #expect(nowhere.status == 66)
            #expect(nowhere.err.contains("folder exists"))
            #expect(try backup().status == 0)
            let target = try restore(to: folder.file("none/bank.db"))
            #expect(target.status == 66)
            #expect(target.err.contains("folder exists"))
        }

        @Test("What is no database is not restored, in verify's words, and nothing is left of it")
        func noDatabase() throws {
            let text = try folder.write("# Not a backup\n", to: "README.md")
            let target = folder.file("target.db")
            let restored = try Program.run("restore", "--from", text, "--to", target)
            let verified = try Program.run("verify", "--database", text)
            #expect(restored.status == 65)
            #expect(restored.err.contains("is not an SQLite database"))
            #expect(restored.status == verified.status)
            #expect(restored.err == verified.err)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["README.md"])
        }

        @Test("A backup is for its user's eyes only")
        func permissions() throws {
            #expect(try DemoServer(database: database).stop().status == 0)
            #expect(try backup().status == 0)
            #expect(try restore(to: folder.file("restored.db")).status == 0)
            for name in try others() {
                var status = stat()
                #expect(stat(folder.file(name), &status) == 0)
                #expect(status.st_mode & 0o077 == 0, "\(name)")
            }
        }
    }
}
