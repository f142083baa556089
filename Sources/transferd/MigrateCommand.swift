import Configuration
import Glibc
import Platform
import SQLiteStore
import Store

/// `transferd migrate`
enum MigrateCommand {
    static func run(_ invocation: Invocation) throws {
        let path = invocation["database"] ?? ""
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
        let report = try Migrator.migrate(path: path, create: true, clock: SystemWallClock())
        Terminal.progress("")
        let applied = report.applied.map { "applied \($0)\n" }.joined()
        try Terminal.out(applied + "\(path) is up to date: \(report.current) migrations.\n")
        withExtendedLifetime(lock) {}
    }
}
