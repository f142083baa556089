import Store
import StoreTestSupport
import TestSupport
import Testing

@testable import SQLiteStore

extension DatabaseTests {
    @Suite("The schema of SQLite")
    struct SchemaTests {
        private static let original = Result {
            let bank = try SQLiteBank()
            try BusyBank.fill(bank.store, bank.clock)
            return bank
        }

        private static let outcome = """
            customer_id, randomblob(16), kind, fingerprint, fingerprint_version, transfer_id,
            status_code, content_type, body, received_at, committed_at FROM outcomes LIMIT 1
            """

        /// A list of three or more values in a check costs a temporary table for each row.
        @Test("No row is checked by way of a temporary table, except where access is taken away")
        func plainChecks() throws {
            let raw = try Self.original.get().raw()
            var costly: [String] = []
            for table in try raw.rows(
                "SELECT name FROM pragma_table_list WHERE type = 'table'"
                    + " AND name NOT LIKE 'sqlite%' ORDER BY name")
            {
                let name = String(table[0].dropFirst().dropLast())
                let columns = try raw.rows("SELECT name FROM pragma_table_info('\(name)')").count
                let values = Array(repeating: "?", count: columns).joined(separator: ", ")
                let program = try raw.rows("EXPLAIN INSERT INTO \(name) VALUES (\(values))")
                if program.contains(where: { $0[1] == "'OpenEphemeral'" }) { costly.append(name) }
            }
            #expect(costly == ["revocations"])
        }

        @Test(
            "The schema itself refuses rows that no ledger may have",
            arguments: [
                "INSERT INTO outcomes SELECT NULL, customer_id, idempotency_key, "
                    + outcome.split(separator: ",").dropFirst(2).joined(separator: ","),
                "INSERT INTO outcomes SELECT NULL, \(outcome.replacing("kind", with: "4"))",
                "INSERT INTO outcomes SELECT NULL, \(outcome.replacing("kind", with: "9"))",
                "INSERT INTO outcomes SELECT NULL, \(outcome.replacing("status_code", with: "503"))",
                "UPDATE outcomes SET fingerprint = NULL WHERE outcome_id = 1",
                "UPDATE outcomes SET transfer_id = NULL WHERE outcome_id = 1",
                "UPDATE accounts SET balance = -1",
                "UPDATE accounts SET used_today = -1",
                "UPDATE accounts SET status = 3",
                "UPDATE accounts SET status = -1",
                "UPDATE postings SET ledger_account = 3, account_id = NULL WHERE posting_id = 1",
                "UPDATE postings SET ledger_account = -1, account_id = NULL WHERE posting_id = 1",
                "UPDATE accounts SET balance = 'much'",
                "INSERT INTO account_ibans SELECT iban, customer_id, account_id FROM account_ibans",
                "INSERT INTO account_ibans VALUES ('DE00', 'nobody', zeroblob(16))",
                "UPDATE transfers SET amount = 0",
                "UPDATE transfers SET state = 10",
                "UPDATE transfers SET posting_id = NULL WHERE state = 1",
                "UPDATE transfers SET return_posting_id = NULL WHERE state = 5",
                "UPDATE transfers SET return_posting_id = 1 WHERE state = 4",
                "UPDATE postings SET amount = 0 WHERE posting_id = 1",
                "UPDATE postings SET account_id = NULL WHERE posting_id = 1",
                "UPDATE postings SET previous_posting_id = posting_id",
                "UPDATE credits SET posting_id = NULL WHERE decision = 1",
                "UPDATE credits SET reason = NULL WHERE decision = 2",
                "INSERT INTO credits SELECT * FROM credits LIMIT 1",
                "UPDATE events SET previous_sequence = sequence",
                "INSERT INTO events SELECT * FROM events LIMIT 1",
            ])
        func refused(sql: String) throws {
            let bank = try Self.original.get()
            let connection = try Connection(path: bank.path, mode: .existing)
            try connection.execute("BEGIN IMMEDIATE")
            let error = #expect(throws: SQLiteError.self) { try connection.execute(sql) }
            guard case .constraint? = error?.storeError() else {
                Issue.record("not a constraint: \(String(describing: error))")
                return
            }
        }

        @Test(
            "Every connection commits durably, in the log, and leaves checkpoints to their thread")
        func settings() throws {
            let bank = try SQLiteBank()
            for mode in [Connection.Mode.existing, .readOnly] {
                let connection = try Connection(path: bank.path, mode: mode)
                #expect(try connection.integer("PRAGMA synchronous") == 2)
                #expect(try connection.text("PRAGMA journal_mode") == "wal")
                #expect(try connection.integer("PRAGMA foreign_keys") == 1)
                #expect(try connection.integer("PRAGMA wal_autocheckpoint") == 0)
                #expect(try connection.integer("PRAGMA query_only") == (mode == .readOnly ? 1 : 0))
            }
        }

        @Test("A reader's connection cannot write")
        func readOnly() throws {
            let bank = try SQLiteBank()
            let connection = try Connection(path: bank.path, mode: .readOnly)
            #expect(throws: SQLiteError.self) {
                try connection.execute("INSERT INTO settings VALUES ('x', x'00')")
            }
        }
    }
}
