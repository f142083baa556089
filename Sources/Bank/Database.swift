package import Platform
package import PostgresStore
import SQLiteStore
package import Store

/// Where a bank's books are: an SQLite file, or a PostgreSQL database that replicas share. Its
/// description holds no password.
package enum Database: Sendable, CustomStringConvertible {
    /// The path of the file.
    case sqlite(String)
    case postgres(PostgresAddress)

    /// A URL that begins with `postgresql://` or `postgres://` is an address, all else a path.
    package init(_ text: String) throws(PostgresAddress.Malformed) {
        self =
            PostgresAddress.isAddress(text) ? .postgres(try PostgresAddress(text)) : .sqlite(text)
    }

    package var description: String {
        switch self {
        case .sqlite(let path): path
        case .postgres(let address): address.description
        }
    }

    /// What commands beside a server work with.
    package var backOffice: any BackOffice {
        switch self {
        case .sqlite(let path): Administration(path: path)
        case .postgres(let address): PostgresAdministration(address: address)
        }
    }

    /// Throws unless the database has exactly the steps that this program knows.
    package func check() throws(StoreError) {
        switch self {
        case .sqlite(let path): try Migrator.check(path: path)
        case .postgres(let address): try PostgresMigrator.check(address)
        }
    }

    /// Applies what is missing. A file that is not there is made; a PostgreSQL database is not.
    package func migrate(
        runtimeRole: String? = nil, clock: any WallClock
    ) throws(StoreError) -> MigrationReport {
        switch self {
        case .sqlite(let path): try Migrator.migrate(path: path, create: true, clock: clock)
        case .postgres(let address):
            try PostgresMigrator.migrate(address, runtimeRole: runtimeRole, clock: clock)
        }
    }

    /// Proves the ledger from its rows. `progress` gets the name of a check and its rows so far.
    package func verify(
        structure: Bool = false, progress: @escaping (String, Int) -> Void = { _, _ in }
    ) throws(StoreError) -> VerificationReport {
        switch self {
        case .sqlite(let path):
            try Verifier.verify(path: path, structure: structure, progress: progress)
        case .postgres(let address): try PostgresVerifier.verify(address, progress: progress)
        }
    }

    /// The store for the short transactions of a command beside a server, or of a test.
    package func store(_ parts: Bank.Parts) -> any TransferStore {
        switch self {
        case .sqlite(let path): SQLiteStore(path: path, environment: Bank.environment(parts))
        case .postgres(let address):
            PostgresStore(address: address, environment: Bank.postgresEnvironment(parts))
        }
    }
}
