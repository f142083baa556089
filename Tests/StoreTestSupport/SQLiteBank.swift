package import Ledger
import Platform
package import SQLiteStore
package import Store

/// A migrated SQLite database of one test with a clock that stands still.
package final class SQLiteBank: Sendable {
    package let folder: TemporaryFolder
    package let path: String
    package let clock: ManualClock
    package let store: SQLiteStore

    package init(
        seed: UInt64 = 1, clock: ManualClock = ManualClock(), policy: TransferPolicy = testPolicy
    ) throws {
        folder = try TemporaryFolder()
        path = folder.file("bank.db")
        self.clock = clock
        _ = try Migrator.migrate(path: path, create: true, clock: clock)
        store = SQLiteStore(
            path: path,
            environment: Self.environment(seed: seed, clock: clock, policy: policy))
    }

    package static func environment(
        seed: UInt64, clock: ManualClock, policy: TransferPolicy = testPolicy
    ) -> SQLiteStore.Environment {
        SQLiteStore.Environment(
            policy: policy, calendar: UTCDays(), clock: clock,
            random: SeededRandomBytes(seed: seed), renderer: EchoRenderer())
    }

    /// The same file once more, as another process would open it.
    package func another(
        seed: UInt64, clock: ManualClock, lockWaitMilliseconds: Int32 = 5000,
        renderer: any OutcomeRenderer = EchoRenderer()
    ) -> SQLiteStore {
        var environment = Self.environment(seed: seed, clock: clock)
        environment.lockWaitMilliseconds = lockWaitMilliseconds
        environment.renderer = renderer
        return SQLiteStore(path: path, environment: environment)
    }

    package func raw() throws -> RawDatabase { try RawDatabase(path) }
}
