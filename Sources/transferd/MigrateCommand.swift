import Bank
import Configuration
import Glibc
import Platform
import SQLiteStore
import Store

/// `transferd migrate`
enum MigrateCommand {
    static func run(_ invocation: Invocation) throws {
        let role = invocation["runtime-role"]
        let database = try invocation.database()
        guard case .sqlite(let path) = database else {
            return try report(
                database.migrate(runtimeRole: role, clock: SystemWallClock()), database)
        }
        guard role == nil else {
            throw UsageError(
                "An SQLite file has no roles: leave --runtime-role out.", invocation.command)
        }
        // Nobody else shall read a bank's books.
        umask(0o077)
        let lock: DatabaseLock
        do { lock = try ServerProcess.takeLock(path, role: "transferd migrate") } catch let held
            as DatabaseLock.Held
        {
            // A server has it: that is well as long as there is nothing to do.
            guard (try? Migrator.check(path: path)) != nil else { throw held }
            return try Terminal.out("\(path) is up to date; a server is running on it.\n")
        }
        Terminal.progress("migrating \(path) …")
        defer { Terminal.progress("") }
        let migrated = try database.migrate(clock: SystemWallClock())
        Terminal.progress("")
        try report(migrated, database)
        withExtendedLifetime(lock) {}
    }

    private static func report(_ report: MigrationReport, _ database: Database) throws {
        let applied = report.applied.map { "applied \($0)\n" }.joined()
        try Terminal.out(applied + "\(database) is up to date: \(report.current) migrations.\n")
    }
}
