import CSQLite
package import Ledger
package import Platform
package import Store

/// The ledger in one SQLite file.
///
/// One writer and any number of readers; admin commands in other processes are further writers,
/// which take turns by SQLite's own write lock. All decisions are made under that lock, and what is
/// kept from one batch to the next is dropped as soon as another connection has committed.
package final class SQLiteStore: TransferStore {
    /// What a writer needs beside the file.
    package struct Environment: Sendable {
        package var policy: TransferPolicy
        package var calendar: any BusinessCalendar
        package var clock: any WallClock
        package var random: any RandomBytes
        package var renderer: any OutcomeRenderer
        /// How long a writer waits for the write lock of another process, in milliseconds, before
        /// the store is unavailable.
        package var lockWaitMilliseconds: Int32 = 5000

        package init(
            policy: TransferPolicy, calendar: any BusinessCalendar, clock: any WallClock,
            random: any RandomBytes, renderer: any OutcomeRenderer
        ) {
            self.policy = policy
            self.calendar = calendar
            self.clock = clock
            self.random = random
            self.renderer = renderer
        }
    }

    package let path: String
    private let environment: Environment
    /// Which file the first connection opened; every later one must open the same.
    private let identity = Guarded<FileIdentity?>(nil)
    /// Held by a writer during a transaction, and by the checkpointer for its last step.
    let writerGate = Lock()
    private let observer = Guarded(Observer())

    /// Does not keep the checkpointer, which keeps the store.
    private struct Observer {
        weak var checkpointer: Checkpointer?
    }

    /// `path` must be a migrated database.
    package init(path: String, environment: Environment) {
        self.path = path
        self.environment = environment
    }

    /// From now on `checkpointer` is told of each commit, as long as somebody keeps it; without one
    /// the log only grows.
    package func attach(_ checkpointer: Checkpointer) {
        observer.withLock { $0.checkpointer = checkpointer }
    }

    package func makeWriter() throws(StoreError) -> any StoreWriter {
        do throws(SQLiteError) {
            try checkIdentity()
            let checkpointer = observer.withLock { $0.checkpointer }
            return try SQLiteWriter(
                connection: Connection(
                    path: path, mode: .writer,
                    busyMilliseconds: environment.lockWaitMilliseconds),
                environment: environment, gate: writerGate,
                onCommit: { checkpointer?.committed(frames: $0) })
        } catch { throw error.storeError() }
    }

    package func makeReader() throws(StoreError) -> any StoreReader {
        do throws(SQLiteError) {
            try checkIdentity()
            return try SQLiteReader(
                connection: Connection(path: path, mode: .readOnly), clock: environment.clock)
        } catch { throw error.storeError() }
    }

    /// A file that was put in the place of the one that is served is not served: its holder's lock is
    /// on the other.
    private func checkIdentity() throws(SQLiteError) {
        let found = try FileIdentity(path: path)
        let known = identity.withLock { known in
            known = known ?? found
            return known
        }
        guard known == found else {
            throw SQLiteError(
                operation: "open \(path)", code: SQLITE_CANTOPEN,
                message: "another file has taken the place of the database; restart to serve it")
        }
    }
}
