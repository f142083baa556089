package import Ledger
import Platform
package import SQLiteStore
import Store

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

    package func raw() throws -> RawDatabase { try RawDatabase(path) }
}
