import Crypto
package import Migrations

/// What a database says has been done to it, held against what this program would do.
package enum MigrationHistory {
    /// Why this program must not touch the database; nil where `recorded` is how `known` begins.
    package static func fault(
        _ recorded: [AppliedMigration], known: [Migration], database: String
    ) -> String? {
        for (index, entry) in recorded.enumerated() {
            guard index < known.count else {
                return "the database \(database) is newer than this program: it has migration "
                    + "\(entry.number) \(entry.name). Start the newer program, or restore a "
                    + "backup from before that migration."
            }
            let step = known[index]
            guard step.number == entry.number, step.name == entry.name,
                SHA256.digest(step.sql).bytes == entry.checksum
            else {
                return "migration \(entry.number) \(entry.name) of the database \(database) is not "
                    + "the one that this program has. Start the program that made this database, "
                    + "or restore a backup."
            }
        }
        return nil
    }

    /// "0001 initial", as reports have it.
    package static func title(_ step: Migration) -> String {
        let number = String(step.number)
        return String(repeating: "0", count: 4 - number.count) + number + " " + step.name
    }
}

/// What a migration did.
package struct MigrationReport: Sendable {
    /// Titles in the order of application.
    package let applied: [String]
    /// Steps that the database has in all.
    package let current: Int

    package init(applied: [String], current: Int) {
        self.applied = applied
        self.current = current
    }
}

/// A step that was applied.
package struct AppliedMigration: Sendable {
    package let number: Int
    package let name: String
    /// SHA-256 of its text.
    package let checksum: [UInt8]

    package init(number: Int, name: String, checksum: [UInt8]) {
        self.number = number
        self.name = name
        self.checksum = checksum
    }
}
