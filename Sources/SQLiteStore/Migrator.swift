import CSQLite
import Crypto
import Migrations
package import Platform
package import Store

/// Brings a database's schema up to date, or says why it cannot.
package enum Migrator {
    /// Applies what is missing, each step in one transaction with its record.
    ///
    /// Refuses a database that has a step which this program does not know, or one whose text
    /// differs from what was applied. `create` allows a new file.
    package static func migrate(
        path: String, create: Bool, clock: any WallClock
    ) throws(StoreError) -> MigrationReport {
        do throws(SQLiteError) {
            let connection = try Connection(path: path, mode: create ? .create : .existing)
            // Replicas that start together migrate once: the write lock decides who is first.
            try connection.execute("BEGIN IMMEDIATE")
            do throws(SQLiteError) {
                let report = try migrate(connection, path, clock)
                try connection.execute("COMMIT")
                return report
            } catch {
                if !connection.isAutocommit { try connection.execute("ROLLBACK") }
                throw error
            }
        } catch { throw openError(error, path) }
    }

    /// Throws unless the database has exactly the steps that this program knows.
    package static func check(path: String) throws(StoreError) {
        do throws(SQLiteError) {
            let connection = try Connection(path: path, mode: .readOnly)
            let known = try recorded(connection)
            try compare(known, path)
            if known.count < Migrations.sqlite.count {
                throw refusal(
                    "the database \(path) is older than this program: it has "
                        + "\(known.count) of \(Migrations.sqlite.count) migrations. "
                        + "Run `transferd migrate --database \(shellQuoted(path))` and start again."
                )
            }
        } catch { throw openError(error, path) }
    }

    private static func migrate(
        _ connection: Connection, _ path: String, _ clock: any WallClock
    ) throws(SQLiteError) -> MigrationReport {
        // Before anything is written: a database of another program stays as it was.
        let known = try recorded(connection)
        try compare(known, path)
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS schema_migrations (
                number     INTEGER NOT NULL PRIMARY KEY,
                name       TEXT    NOT NULL,
                -- SHA-256 of the step's text.
                checksum   BLOB    NOT NULL,
                applied_at INTEGER NOT NULL
            ) STRICT
            """)
        let record = try connection.prepare(
            "INSERT INTO schema_migrations (number, name, checksum, applied_at) VALUES (?, ?, ?, ?)"
        )
        var applied: [String] = []
        for step in Migrations.sqlite.dropFirst(known.count) {
            try connection.execute(String(decoding: step.sql, as: UTF8.self))
            record.bind(1, Int64(step.number))
            record.bind(2, step.name)
            record.bind(3, SHA256.digest(step.sql).bytes)
            record.bind(4, clock.now())
            try record.run()
            applied.append(MigrationHistory.title(step))
        }
        return MigrationReport(applied: applied, current: Migrations.sqlite.count)
    }

    private static func recorded(_ connection: Connection) throws(SQLiteError) -> [AppliedMigration]
    {
        let table = try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'"
        )
        guard table == 1 else {
            let others = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
            guard others == 0 else {
                throw refusal(
                    "this is a database of another program: it has tables but no "
                        + "schema_migrations. Name another file.")
            }
            return []
        }
        var found: [AppliedMigration] = []
        try connection.prepare(
            "SELECT number, name, checksum FROM schema_migrations ORDER BY number"
        ).eachRow { row throws(SQLiteError) in
            found.append(
                AppliedMigration(
                    number: Int(row.integer(0)), name: row.text(1), checksum: row.bytes(2)))
        }
        return found
    }

    private static func compare(_ recorded: [AppliedMigration], _ path: String)
        throws(SQLiteError)
    {
        if let fault = MigrationHistory.fault(
            recorded, known: Migrations.sqlite, database: path)
        {
            throw refusal(fault)
        }
    }

    private static func refusal(_ message: String) -> SQLiteError {
        SQLiteError(operation: "migrations", code: SQLITE_MISMATCH, message: message)
    }

    private static func openError(_ error: SQLiteError, _ path: String) -> StoreError {
        switch error.primaryCode {
        case SQLITE_MISMATCH where error.operation == "migrations":
            return .unusable(error.message)
        case SQLITE_NOTADB:
            return .unusable("\(path) is not an SQLite database. Name another file.")
        case SQLITE_CORRUPT:
            return .unusable(
                "the database \(path) is damaged (\(error.message)). Restore it from a backup.")
        case SQLITE_CANTOPEN:
            return .unusable(
                "cannot open the database \(path): \(error.message). Check that the folder exists "
                    + "and that this user may write in it.")
        case SQLITE_READONLY:
            return .unusable(
                "the database \(path) is read-only. Give this user the right to write the file "
                    + "and its folder.")
        case SQLITE_BUSY:
            return .unavailable(
                "the database \(path) is locked by another process. End it, or wait and try "
                    + "again.")
        default: return error.storeError()
        }
    }
}
