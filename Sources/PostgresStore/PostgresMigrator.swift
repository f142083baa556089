import Crypto
import Migrations
package import Platform
package import Store

/// Brings a PostgreSQL database's schema up to date, or says why it cannot.
package enum PostgresMigrator {
    /// How long a migration may take, and waits for another one.
    private static let patienceMilliseconds: Int64 = 600_000

    /// Applies what is missing, all in one transaction. Replicas that start together migrate once:
    /// the second waits for the first.
    ///
    /// `address` is that of the schema's owner. `runtimeRole`, if given, gets what a server needs
    /// and no more. Refuses a database that has a step which this program does not know, or one
    /// whose text differs from what was applied.
    package static func migrate(
        _ address: PostgresAddress, runtimeRole: String? = nil, clock: any WallClock
    ) throws(StoreError) -> MigrationReport {
        do throws(PostgresError) {
            let connection = try Connection(
                address, clock: SystemMonotonicClock(), keepsStatements: false)
            connection.deadline = SystemMonotonicClock().now()
                .advanced(milliseconds: patienceMilliseconds)
            _ = try ServerCheck.lineage(of: connection)
            try connection.script(
                """
                BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
                SET LOCAL lock_timeout = 0;
                SET LOCAL statement_timeout = 0;
                SET LOCAL standard_conforming_strings = on;
                SET LOCAL search_path = pg_catalog;
                SET LOCAL synchronous_commit = on;
                SELECT pg_advisory_xact_lock(\(lockKey))
                """)
            let recorded = try recorded(connection, address)
            try refuse(recorded, address)
            let report = try apply(recorded.count, connection, clock)
            if let runtimeRole { try grant(runtimeRole, connection) }
            guard try connection.run(Statements.commit).commandTag == "COMMIT" else {
                throw PostgresError(
                    operation: "commit", cause: .connection, message: "was not committed")
            }
            return report
        } catch { throw storeError(error, address) }
    }

    /// Throws unless the database has exactly the steps that this program knows.
    package static func check(_ address: PostgresAddress) throws(StoreError) {
        do throws(PostgresError) {
            let connection = try Connection(
                address, clock: SystemMonotonicClock(), keepsStatements: false)
            connection.deadline = SystemMonotonicClock().now().advanced(milliseconds: 10_000)
            _ = try ServerCheck.lineage(of: connection)
            let recorded = try recorded(connection, address)
            try refuse(recorded, address)
            if recorded.count < Migrations.postgres.count {
                throw refusal(
                    "the database \(address) is older than this program: it has "
                        + "\(recorded.count) of \(Migrations.postgres.count) migrations. Run "
                        + "`transferd migrate` on it as the schema's owner and start again.")
            }
        } catch { throw storeError(error, address) }
    }

    /// "transferd" as a number: whoever migrates holds this lock.
    private static let lockKey: Int64 = 0x7472_616E_7366_6572

    private static let stepsStatement = PreparedStatement(
        "steps", [],
        "SELECT number, name, checksum FROM transferd.schema_migrations ORDER BY number")
    private static let presentStatement = PreparedStatement(
        "present", [],
        """
        SELECT to_regclass('transferd.schema_migrations') IS NOT NULL,
               EXISTS (SELECT FROM pg_class AS c WHERE c.relnamespace = (
                   SELECT n.oid FROM pg_namespace AS n WHERE n.nspname = 'transferd'))
        """)
    private static let recordStatement = PreparedStatement(
        "record", [.bigint, .text, .bytes, .timestamp],
        """
        INSERT INTO transferd.schema_migrations (number, name, checksum, applied_at)
        VALUES ($1, $2, $3, $4)
        """)
    private static let roleStatement = PreparedStatement(
        "role", [.text], "SELECT set_config('transferd.runtime_role', $1, true)")

    private static func recorded(
        _ connection: Connection, _ address: PostgresAddress
    ) throws(PostgresError) -> [AppliedMigration] {
        let present = try connection.run(presentStatement).first {
            (steps: $0.boolean(0), anything: $0.boolean(1))
        }
        guard present?.steps == true else {
            guard present?.anything != true else {
                throw refusal(
                    "the schema transferd of \(address) is another program's: it has tables but "
                        + "no schema_migrations. Name another database.")
            }
            return []
        }
        var steps: [AppliedMigration] = []
        try connection.run(stepsStatement).eachRow { row in
            steps.append(
                AppliedMigration(
                    number: Int(row.integer(0)), name: row.text(1), checksum: row.bytes(2)))
        }
        return steps
    }

    private static func refuse(
        _ recorded: [AppliedMigration], _ address: PostgresAddress
    ) throws(PostgresError) {
        if let fault = MigrationHistory.fault(
            recorded, known: Migrations.postgres, database: address.description)
        {
            throw refusal(fault)
        }
    }

    private static func apply(
        _ done: Int, _ connection: Connection, _ clock: any WallClock
    ) throws(PostgresError) -> MigrationReport {
        if done == 0 {
            try connection.script(
                """
                CREATE SCHEMA IF NOT EXISTS transferd;
                CREATE TABLE transferd.schema_migrations (
                    number     bigint      NOT NULL PRIMARY KEY,
                    name       text        NOT NULL,
                    -- SHA-256 of the step's text.
                    checksum   bytea       NOT NULL,
                    applied_at timestamptz NOT NULL
                )
                """)
        }
        var applied: [String] = []
        for step in Migrations.postgres.dropFirst(done) {
            try connection.script(String(decoding: step.sql, as: UTF8.self))
            var record = Parameters()
            record.add(Int64(step.number))
            record.add(step.name)
            record.add(SHA256.digest(step.sql).bytes)
            record.add(clock.now())
            _ = try connection.run(recordStatement, record)
            applied.append(MigrationHistory.title(step))
        }
        return MigrationReport(applied: applied, current: Migrations.postgres.count)
    }

    private static func grant(
        _ role: String, _ connection: Connection
    ) throws(PostgresError) {
        var name = Parameters()
        name.add(role)
        _ = try connection.run(roleStatement, name)
        try connection.script(String(decoding: Migrations.postgresGrants, as: UTF8.self))
    }

    private static func refusal(_ message: String) -> PostgresError {
        PostgresError(operation: "migrations", cause: .value, message: message)
    }

    private static func storeError(_ error: PostgresError, _ address: PostgresAddress) -> StoreError
    {
        if error.operation == "migrations" { return .unusable(error.message) }
        if error.isConnectionLost {
            return .unavailable("\(address) cannot be reached: \(error.message)")
        }
        return .unusable("\(address): \(error.description)")
    }
}
