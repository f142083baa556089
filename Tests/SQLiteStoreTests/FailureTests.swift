import Foundation
import Ledger
import Platform
import Store
import StoreTestSupport
import TestSupport
import Testing

@testable import SQLiteStore

extension DatabaseTests {
    @Suite("SQLite when things break")
    struct FailureTests {
        private func pay(_ number: Int, _ value: String = "1.00") -> Command {
            .transfer(
                transfer(customer(1), key(number), intent(from: iban(1), to: iban(2), value)))
        }

        @Test("A writer that dies between its rows and its commit leaves nothing (Scenario 7)")
        func dropped() throws {
            let bank = try SQLiteBank()
            try BusyBank.fill(bank.store, bank.clock)
            let before = try bank.raw().dump()
            do {
                let connection = try Connection(path: bank.path, mode: .existing)
                let commands = [pay(100)]
                try connection.execute("BEGIN IMMEDIATE")
                let loader = try BatchLoader(connection)
                _ = try loader.load(commands)
                var ids = UUIDv7Generator(random: SeededRandomBytes(seed: 3))
                let now = bank.clock.now()
                let plan = Planner.plan(
                    commands, rows: &loader.rows, policy: testPolicy, now: now,
                    today: UTCDays().day(of: now), ids: &ids)
                let outcome = StoredOutcome(
                    kind: .executed, statusCode: 201, contentType: .json, body: [1],
                    transfer: plan.transfers.first?.id,
                    fingerprint: intent(from: iban(1), to: iban(2), "1.00").fingerprint,
                    receivedAt: now)
                try RowWriter(connection).write(plan, [outcome], commands, at: now)
                // Seen from inside, it is all there.
                #expect(
                    try connection.integer("SELECT count(*) FROM outcomes")
                        == Int64(try #require(before["outcomes"]?.count)) + 1)
            }
            #expect(try bank.raw().dump() == before)
            let writer = try bank.store.makeWriter()
            guard case .outcome(_, replayed: false)? = try writer.commit([pay(100)]).first else {
                Issue.record("the key was not free")
                return
            }
            #expect(try Verifier.verify(path: bank.path).damages == [])
        }

        @Test("Nothing is acknowledged in a file that was deleted or replaced")
        func fileGone() throws {
            let bank = try SQLiteBank()
            try BusyBank.fill(bank.store, bank.clock)
            let writer = try bank.store.makeWriter()
            let reader = try bank.store.makeReader()
            let away = bank.path + ".away"
            #expect(rename(bank.path, away) == 0)
            #expect(throws: StoreError.self) { try writer.commit([pay(200)]) }
            #expect(throws: StoreError.self) { try reader.accounts(of: customer(1)) }
            #expect(throws: StoreError.self) { try bank.store.makeWriter() }
            // Another file in its place is not served either.
            _ = try Migrator.migrate(path: bank.path, create: true, clock: bank.clock)
            #expect(throws: StoreError.self) { try bank.store.makeWriter() }
            for name in [bank.path, bank.path + "-wal", bank.path + "-shm"] { unlink(name) }
            // Back in its place it goes on, and nothing had been executed.
            #expect(rename(away, bank.path) == 0)
            guard case .outcome(_, replayed: false)? = try writer.commit([pay(200)]).first else {
                Issue.record("the key was not free")
                return
            }
        }

        /// Overwrites the root page of `table` in a file that nobody has open.
        private func corrupt(_ table: String, of path: String) throws {
            let page: Int
            do {
                let raw = try RawDatabase(path)
                _ = try raw.rows("PRAGMA wal_checkpoint(TRUNCATE)")
                page = try raw.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'")
            }
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            try file.seek(toOffset: UInt64(page - 1) * 4096)
            try file.write(contentsOf: Data(repeating: 0xFF, count: 4096))
            try file.close()
        }

        private func counts(_ path: String) throws -> [Int] {
            let raw = try RawDatabase(path)
            return try ["transfers", "outcomes", "events", "outbox", "customers"].map {
                try raw.integer("SELECT count(*) FROM \($0)")
            }
        }

        @Test(
            "A damaged page makes the database unusable, and nothing is written by half",
            arguments: ["accounts", "postings"])
        func corrupt(table: String) throws {
            let bank = try SQLiteBank()
            try BusyBank.fill(bank.store, bank.clock)
            let before = try counts(bank.path)
            try corrupt(table, of: bank.path)
            let error = #expect(throws: StoreError.self) {
                try bank.store.makeWriter().commit([pay(100)])
            }
            guard case .unusable? = error else {
                Issue.record("not unusable: \(String(describing: error))")
                return
            }
            #expect(try counts(bank.path) == before)
            // Verification tells it as damage, with or without a look at the pages.
            for structure in [false, true] {
                let report = try Verifier.verify(path: bank.path, structure: structure)
                #expect(report.damages.last?.hasPrefix("file structure: ") == true)
            }
        }

        @Test("An index that misses rows is found by a look at the structure only")
        func index() throws {
            let bank = try SQLiteBank()
            try BusyBank.fill(bank.store, bank.clock)
            let raw = try bank.raw()
            try raw.run(
                """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = 'CREATE INDEX outbox_book ON outbox (outbox_id) '
                    || 'WHERE connector = 2' WHERE name = 'outbox_book'
                """)
            #expect(try Verifier.verify(path: bank.path).isSound)
            let report = try Verifier.verify(path: bank.path, structure: true)
            #expect(report.damages.contains { $0.contains("outbox_book") })
        }

        @Test("A value that is none is told as corruption, not guessed")
        func unreadable() throws {
            let bank = try SQLiteBank()
            try BusyBank.fill(bank.store, bank.clock)
            try bank.raw().run(
                """
                PRAGMA ignore_check_constraints = ON;
                UPDATE accounts SET currency = 'XXQ' WHERE iban = '\(iban(1).text)'
                """)
            let reader = try bank.store.makeReader()
            let error = #expect(throws: StoreError.self) { try reader.accounts(of: customer(1)) }
            guard case .unusable(let text)? = error else {
                Issue.record("not unusable: \(String(describing: error))")
                return
            }
            #expect(text.contains("currency"))
            #expect(!text.contains("XXQ"))
        }
    }
}
