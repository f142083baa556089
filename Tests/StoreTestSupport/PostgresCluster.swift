import Foundation
import Platform
package import PostgresStore

/// The cluster that `make test` starts, and databases of single tests in it.
///
/// A database is a copy of a migrated template. One that a test has finished with is emptied and
/// given to the next test, because making one costs more than most tests.
package final class PostgresCluster: Sendable {
    package struct Missing: Error, CustomStringConvertible {
        package let description =
            "TRANSFERD_TEST_POSTGRES is not set, so there is no PostgreSQL to test on. Run "
            + "`make test`, or `.ci/with-postgres` before any other command."
    }

    /// Whoever may do no more than a server.
    package static let runtimeRole = "transferd_app"
    /// Owner of the schema.
    package static let owner = "transferd_owner"

    /// The superuser's address.
    package let administrator: PostgresAddress
    private let free = Guarded<[String]>([])

    private static let shared = Guarded<PostgresCluster?>(nil)

    /// The one of this run. Prepares it at the first call.
    package static func current() throws -> PostgresCluster {
        try shared.withLock { shared in
            if let shared { return shared }
            guard
                let text = ProcessInfo.processInfo.environment["TRANSFERD_TEST_POSTGRES"],
                !text.isEmpty
            else { throw Missing() }
            let made = try PostgresCluster(PostgresAddress(text))
            shared = made
            return made
        }
    }

    private init(_ administrator: PostgresAddress) throws {
        self.administrator = administrator
        let raw = try RawPostgres(administrator.text)
        for role in [Self.owner, Self.runtimeRole]
        where try raw.rows("SELECT 1 FROM pg_roles WHERE rolname = '\(role)'").isEmpty {
            try raw.run("CREATE ROLE \(role) LOGIN")
        }
        // Of a run before on the same cluster.
        for row in try raw.rows("SELECT datname FROM pg_database WHERE datname LIKE 'test_%'") {
            try raw.run("DROP DATABASE \(row[0].dropFirst().dropLast()) WITH (FORCE)")
        }
        try raw.run("CREATE DATABASE test_template OWNER \(Self.owner)")
        _ = try PostgresMigrator.migrate(
            try administrator.database("test_template").with("user", Self.owner),
            runtimeRole: Self.runtimeRole, clock: SystemWallClock())
    }

    /// The name of a migrated, empty database that nobody else uses.
    func takeDatabase() throws -> String {
        if let name = free.withLock({ $0.popLast() }) {
            let raw = try RawPostgres(administrator.database(name).text)
            // Whoever was left behind by the test before.
            try raw.run(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
            let tables = RawPostgres.tables.reversed()
            try raw.run(tables.map { "DELETE FROM transferd.\($0)" }.joined(separator: "; "))
            try raw.run("ALTER SEQUENCE transferd.posting_blocks RESTART")
            try raw.run("ALTER TABLE transferd.outbox ALTER outbox_id RESTART")
            return name
        }
        let name = "test_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        try RawPostgres(administrator.text).run(
            "CREATE DATABASE \(name) TEMPLATE test_template OWNER \(Self.owner)")
        return name
    }

    func giveBack(_ name: String) { free.withLock { $0.append(name) } }
}

/// An empty, migrated database of one test.
package final class PostgresDatabase: Sendable {
    package let name: String
    /// As the superuser sees it.
    package let administrator: PostgresAddress
    /// As a server sees it.
    package let runtime: PostgresAddress
    private let cluster: PostgresCluster
    private let isDamaged = Guarded(false)

    package init() throws {
        cluster = try PostgresCluster.current()
        name = try cluster.takeDatabase()
        administrator = try cluster.administrator.database(name)
        runtime = try administrator.with("user", PostgresCluster.runtimeRole)
    }

    deinit { if !isDamaged.withLock({ $0 }) { cluster.giveBack(name) } }

    /// Nobody else may have it: its schema is not what it was.
    package func discard() { isDamaged.withLock { $0 = true } }

    package func raw() throws -> RawPostgres { try RawPostgres(administrator.text) }
}
