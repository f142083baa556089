package import Ledger
import Platform
package import PostgresStore
import Store

/// A migrated PostgreSQL database of one test with a clock that stands still.
package final class PostgresBank: Sendable {
    package let database: PostgresDatabase
    package let clock: ManualClock
    package let store: PostgresStore

    package init(
        seed: UInt64 = 1, clock: ManualClock = ManualClock(), policy: TransferPolicy = testPolicy
    ) throws {
        database = try PostgresDatabase()
        self.clock = clock
        store = PostgresStore(
            address: database.runtime,
            environment: Self.environment(seed: seed, clock: clock, policy: policy))
    }

    package static func environment(
        seed: UInt64, clock: ManualClock, policy: TransferPolicy = testPolicy
    ) -> PostgresStore.Environment {
        var environment = PostgresStore.Environment(
            policy: policy, calendar: UTCDays(), random: SeededRandomBytes(seed: seed),
            renderer: EchoRenderer())
        environment.time = .clock(clock)
        return environment
    }

    /// The same database once more, as another process would open it.
    package func another(
        seed: UInt64, clock: ManualClock,
        change: (inout PostgresStore.Environment) -> Void = { _ in }
    ) -> PostgresStore {
        var environment = Self.environment(seed: seed, clock: clock)
        change(&environment)
        return PostgresStore(address: database.runtime, environment: environment)
    }

    package func raw() throws -> RawPostgres { try database.raw() }
}
