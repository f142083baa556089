import Bank
import CLinux
import Configuration
import Glibc
import Ledger
import Platform
import PostgresStore
import SQLiteStore
import Store

extension Invocation {
    /// The database that --database names, or `usual`.
    func database(usual: String = "") throws(UsageError) -> Database {
        let text = self["database"] ?? usual
        do throws(PostgresAddress.Malformed) { return try Database(text) } catch {
            throw UsageError("--database is no address that libpq can read: \(error)", command)
        }
    }

    /// The same for a command that works on files.
    func databaseFile() throws -> String {
        guard case .sqlite(let path) = try database() else {
            throw UsageError(
                "This works on SQLite files. For PostgreSQL use its own tools, such as "
                    + "pg_basebackup with an archive of its log.", command)
        }
        return path
    }
}

/// A database as commands beside a server see it.
enum DatabaseFile {
    /// Throws unless there is a database of this program's version.
    static func require(_ database: Database) throws {
        guard case .sqlite(let path) = database else { return try database.check() }
        try require(path)
    }

    /// Throws unless there is a file of this program's version at `path`.
    static func require(_ path: String) throws {
        let descriptor = FileDescriptor(owning: cl_open(path, O_RDONLY, 0))
        guard descriptor.number >= 0 else {
            let reason = String(cString: strerror(errno))
            throw CommandError(
                .noInput,
                "Cannot open the database \(path): \(reason). Make one with `transferd migrate "
                    + "--database \(shellQuoted(path))` or `transferd demo --database "
                    + "\(shellQuoted(path))`.")
        }
        descriptor.close()
        try Migrator.check(path: path)
    }

    /// The store for a short transaction of our own beside a server. The policy of transfers does
    /// not matter to it, because it makes none; nor do tokens.
    static func store(_ database: Database) throws -> any TransferStore {
        let random = SystemRandomBytes()
        return database.store(
            Bank.Parts(
                policy: ServeConfiguration().transferPolicy,
                verifier: try DemoBank.verifier(secret: random.bytes(32)),
                calendar: try ZonedCalendar(zone: "UTC"), log: Log(level: .error),
                metrics: MetricsRegistry(), onMediumFailure: {}))
    }
}
