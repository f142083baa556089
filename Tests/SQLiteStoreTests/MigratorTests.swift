import Foundation
import Migrations
import SQLiteStore
import Store
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests {
    @Suite("Migrations of SQLite")
    struct MigratorTests {
        private let folder: TemporaryFolder
        private let clock = ManualClock()
        private var path: String { folder.file("bank.db") }

        init() throws { folder = try TemporaryFolder() }

        private func migrate(create: Bool = true) throws -> MigrationReport {
            try Migrator.migrate(path: path, create: create, clock: clock)
        }

        /// What the refusal says; nil without one.
        private func refusal(_ body: () throws -> Void) throws -> String? {
            do {
                try body()
                return nil
            } catch let error as StoreError {
                guard case .unusable(let text) = error else { throw error }
                return text
            }
        }

        @Test("The list of steps is the folder's, in order and to the byte")
        func folderAndList() throws {
            let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Migrations/sqlite").standardized
            let files = try FileManager.default.contentsOfDirectory(atPath: sources.path).sorted()
            let listed = Migrations.sqlite.map { step in
                String(repeating: "0", count: 4 - "\(step.number)".count) + "\(step.number)_"
                    + step.name + ".sql"
            }
            #expect(files == listed)
            #expect(Migrations.sqlite.map(\.number) == Array(1...Migrations.sqlite.count))
            for (file, step) in zip(files, Migrations.sqlite) {
                let data = try Data(contentsOf: sources.appendingPathComponent(file))
                #expect(Array(data) == step.sql)
            }
        }

        @Test("A new file gets every step, and a second run nothing")
        func fresh() throws {
            let first = try migrate()
            #expect(first.applied == ["0001 initial", "0002 revocations", "0003 plain_checks"])
            #expect(first.current == Migrations.sqlite.count)
            let before = try RawDatabase(path).rows("SELECT * FROM schema_migrations")
            clock.advance(seconds: 5)
            let second = try migrate()
            #expect(second.applied == [])
            #expect(second.current == Migrations.sqlite.count)
            #expect(try RawDatabase(path).rows("SELECT * FROM schema_migrations") == before)
            try Migrator.check(path: path)
        }

        @Test("Those who migrate one new file at once apply each step once")
        func race() throws {
            let (path, clock) = (path, clock)
            let threads = (0..<4).map { _ in
                OnThread { Result { try Migrator.migrate(path: path, create: true, clock: clock) } }
            }
            let reports = try threads.map { try $0.value().get() }
            #expect(
                reports.flatMap(\.applied) == [
                    "0001 initial", "0002 revocations", "0003 plain_checks",
                ])
            try Migrator.check(path: path)
        }

        @Test("A file that is not there is not made by chance")
        func notCreated() throws {
            let text = try refusal { _ = try migrate(create: false) }
            #expect(text?.contains("cannot open the database \(path)") == true)
            #expect(!FileManager.default.fileExists(atPath: path))
        }

        @Test("A step whose text has changed since is refused")
        func changed() throws {
            _ = try migrate()
            try RawDatabase(path).run("UPDATE schema_migrations SET checksum = zeroblob(32)")
            for attempt in [{ _ = try migrate() }, { try Migrator.check(path: path) }] {
                let text = try refusal(attempt)
                #expect(text?.contains("is not the one that this program has") == true)
            }
        }

        @Test("A database of a newer program is refused, and what to do is told")
        func newer() throws {
            _ = try migrate()
            let next = Migrations.sqlite.count + 1
            try RawDatabase(path).run(
                "INSERT INTO schema_migrations VALUES (\(next), 'later', zeroblob(32), 0)")
            for attempt in [{ _ = try migrate() }, { try Migrator.check(path: path) }] {
                let text = try refusal(attempt)
                #expect(text?.contains("is newer than this program") == true)
                #expect(text?.contains("\(next) later") == true)
            }
        }

        @Test("A database that lacks a step is not served")
        func older() throws {
            _ = try migrate()
            try RawDatabase(path).run("DELETE FROM schema_migrations")
            let text = try refusal { try Migrator.check(path: path) }
            #expect(text?.contains("is older than this program") == true)
            #expect(text?.contains("0 of \(Migrations.sqlite.count)") == true)
        }

        @Test("A database of another program is refused and left as it was")
        func foreign() throws {
            try RawDatabase(path).run(
                "CREATE TABLE songs (title TEXT); INSERT INTO songs VALUES ('x')")
            for attempt in [{ _ = try migrate() }, { try Migrator.check(path: path) }] {
                let text = try refusal(attempt)
                #expect(text?.contains("another program") == true)
            }
            #expect(try RawDatabase(path).rows("SELECT name FROM sqlite_schema") == [["'songs'"]])
        }

        @Test("A step that fails leaves no trace of any")
        func failing() throws {
            // A table of ours is there already, and the record says that no step was made.
            try RawDatabase(path).run(
                """
                CREATE TABLE schema_migrations (number INTEGER NOT NULL PRIMARY KEY,
                    name TEXT NOT NULL, checksum BLOB NOT NULL, applied_at INTEGER NOT NULL) STRICT;
                CREATE TABLE transfers (x)
                """)
            #expect(throws: StoreError.self) { try migrate() }
            let names = try RawDatabase(path).rows("SELECT name FROM sqlite_schema ORDER BY name")
            #expect(names == [["'schema_migrations'"], ["'transfers'"]])
            #expect(try RawDatabase(path).integer("SELECT count(*) FROM schema_migrations") == 0)
        }

        @Test("A file that is no database is refused and left as it was")
        func notADatabase() throws {
            let bytes = Data(repeating: 0x41, count: 5000)
            try bytes.write(to: URL(fileURLWithPath: path))
            for attempt in [{ _ = try migrate() }, { try Migrator.check(path: path) }] {
                let text = try refusal(attempt)
                #expect(text?.contains("is not an SQLite database") == true)
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        }

        @Test("A folder that is not there is told")
        func noFolder() throws {
            let lost = folder.file("nowhere/bank.db")
            let text = try refusal {
                _ = try Migrator.migrate(path: lost, create: true, clock: clock)
            }
            #expect(text?.contains("Check that the folder exists") == true)
        }
    }
}
