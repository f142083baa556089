import Foundation
import Migrations
import Platform
import PostgresStore
import Store
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests {
    @Suite("Migrations on PostgreSQL")
    struct PostgresMigratorTests {
        @Test("The list of migrations is the folder's")
        func list() throws {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Migrations/postgres").standardized
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { $0.first?.isNumber == true }.sorted()
            let listed = Migrations.postgres.map { step in
                String(format: "%04d_%@.sql", step.number, step.name)
            }
            #expect(files == listed)
            #expect(Migrations.postgres.map(\.number) == Array(1...Migrations.postgres.count))
            for (file, step) in zip(files, Migrations.postgres) {
                let text = try Data(contentsOf: folder.appendingPathComponent(file))
                #expect(step.sql == [UInt8](text))
            }
        }

        /// A database without a schema, as its owner sees it.
        private func empty() throws -> PostgresDatabase {
            let database = try PostgresDatabase()
            database.discard()
            try database.raw().run("DROP SCHEMA transferd CASCADE")
            return database
        }

        private func owner(_ database: PostgresDatabase) throws -> PostgresAddress {
            try database.administrator.with("user", PostgresCluster.owner)
        }

        @Test("Processes that start together migrate once")
        func together() throws {
            let database = try empty()
            let address = try owner(database)
            let start = Gate()
            let threads = (0..<4).map { _ in
                OnThread { () -> Result<[String], StoreError> in
                    start.wait()
                    do throws(StoreError) {
                        return .success(
                            try PostgresMigrator.migrate(address, clock: ManualClock()).applied)
                    } catch { return .failure(error) }
                }
            }
            start.open()
            let applied = try threads.map { try $0.value().get() }
            #expect(applied.filter { !$0.isEmpty } == [["0001 ledger"]])
            try PostgresMigrator.check(address)
        }

        @Test("What this program does not know is refused, with what to do")
        func refusals() throws {
            let database = try empty()
            let address = try owner(database)
            func text(_ body: () throws -> Void) -> String {
                let error = #expect(throws: StoreError.self) { try body() }
                guard case .unusable(let text)? = error else {
                    return "\(String(describing: error))"
                }
                return text
            }
            let migrate = { _ = try PostgresMigrator.migrate(address, clock: ManualClock()) }
            #expect(text { try PostgresMigrator.check(address) }.contains("0 of 1 migrations"))
            let raw = try database.raw()
            try raw.run("CREATE SCHEMA transferd AUTHORIZATION \(PostgresCluster.owner)")
            try raw.run("CREATE TABLE transferd.other (n int)")
            #expect(text(migrate).contains("another program's"))
            try raw.run("DROP TABLE transferd.other")
            try migrate()
            try raw.run("UPDATE transferd.schema_migrations SET name = 'other'")
            #expect(text(migrate).contains("is not the one that this program has"))
            try raw.run("UPDATE transferd.schema_migrations SET name = 'ledger'")
            try raw.run(
                "INSERT INTO transferd.schema_migrations VALUES (2, 'later', '\\x00', now())")
            #expect(text(migrate).contains("is newer than this program"))
            #expect(text { try PostgresMigrator.check(address) }.contains("newer"))
        }

        @Test("A server that does not keep what it acknowledges is refused")
        func unsafe() throws {
            let database = try PostgresDatabase()
            let latin = "latin_" + database.name
            let raw = try database.raw()
            try raw.run(
                """
                CREATE DATABASE \(latin) TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'
                """)
            defer { _ = try? raw.run("DROP DATABASE \(latin) WITH (FORCE)") }
            let address = try database.administrator.database(latin)
            let error = #expect(throws: StoreError.self) { try PostgresMigrator.check(address) }
            #expect(error?.description.contains("LATIN1") == true)
        }

        @Test(
            "An address is told without its password",
            arguments: [
                "postgresql://user:secret@host:5433/bank?sslmode=require",
                "postgres://user:secret@host:5433/bank",
            ])
        func address(text: String) throws {
            let address = try PostgresAddress(text)
            #expect("\(address)" == "PostgreSQL bank on host:5433 as user")
            #expect(PostgresAddress.isAddress(text))
            #expect(
                try address.with("user", "o'neil \\ x").with("port", "1").description
                    == "PostgreSQL bank on host:1 as o'neil \\ x")
            #expect(throws: PostgresAddress.Malformed.self) {
                try PostgresAddress("postgresql://host/bank?nonsense=1")
            }
        }
    }
}
