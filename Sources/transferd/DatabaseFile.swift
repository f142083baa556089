import API
import Bank
import CLinux
import Configuration
import Glibc
import Ledger
import Platform
import SQLiteStore
import Store

/// A database as commands beside a server see it.
enum DatabaseFile {
    /// Throws unless there is a database of this program's version at `path`.
    static func require(_ path: String) throws {
        let descriptor = FileDescriptor(owning: cl_open(path, O_RDONLY, 0))
        guard descriptor.number >= 0 else {
            let reason = String(cString: strerror(errno))
            throw CommandError(
                .noInput,
                "Cannot open the database \(path): \(reason). Make one with `transferd migrate "
                    + "--database \(path)` or `transferd demo --database \(path)`.")
        }
        descriptor.close()
        try Migrator.check(path: path)
    }

    /// The store for a short transaction of our own beside a server. The policy of transfers does
    /// not matter to it, because it makes none.
    static func store(_ path: String) throws -> SQLiteStore {
        SQLiteStore(
            path: path,
            environment: SQLiteStore.Environment(
                policy: ServeConfiguration().transferPolicy,
                calendar: try ZonedCalendar(zone: "UTC"),
                clock: SystemWallClock(), random: SystemRandomBytes(), renderer: OutcomeBytes()))
    }
}
