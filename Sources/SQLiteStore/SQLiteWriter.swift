import Ledger
import Platform
import Store

/// Commits batches of commands on the one write connection of its thread.
final class SQLiteWriter: StoreWriter {
    private let connection: Connection
    private let environment: SQLiteStore.Environment
    private let gate: Lock
    /// Gets the number of frames in the log.
    private let onCommit: (Int) -> Void
    private var ids: UUIDv7Generator
    private let loader: BatchLoader
    private let rows: RowWriter
    private(set) var leftWork = false

    init(
        connection: Connection, environment: SQLiteStore.Environment, gate: Lock,
        onCommit: @escaping (Int) -> Void
    ) throws(SQLiteError) {
        self.connection = connection
        self.environment = environment
        self.gate = gate
        self.onCommit = onCommit
        ids = UUIDv7Generator(random: environment.random)
        loader = try BatchLoader(connection)
        rows = try RowWriter(connection)
    }

    func commit(_ commands: [Command]) throws(StoreError) -> [CommandResult] {
        let (results, wrote) = try gate.withLock { () throws(StoreError) in
            try transaction(commands)
        }
        if wrote { onCommit(connection.logFrames) }
        return results
    }

    private func transaction(
        _ commands: [Command]
    ) throws(StoreError) -> (results: [CommandResult], wrote: Bool) {
        #if FAILPOINTS
            if Failpoint.fails("before-begin") { throw .unavailable("failpoint before-begin") }
        #endif
        do throws(SQLiteError) {
            try connection.requireFileInPlace()
            try connection.execute("BEGIN IMMEDIATE")
        } catch { throw error.storeError() }

        let results: [CommandResult]
        let wrote: Bool
        do throws(SQLiteError) {
            let loaded = try loader.load(commands)
            // After the write lock: nobody can commit between this time and our commit.
            let now = environment.clock.now()
            let plan = Planner.plan(
                commands, rows: &loader.rows, policy: environment.policy, now: now,
                today: environment.calendar.day(of: now), ids: &ids)
            #if FAILPOINTS
                if Failpoint.fails("after-plan") { throw failpoint("after-plan") }
            #endif
            let rendered = plan.rendered(for: commands, by: environment.renderer, at: now)
            wrote = !plan.isReadOnly
            leftWork = plan.outbox.contains { $0.connector == .book }
            if wrote { try rows.write(plan, rendered, commands, at: now) }
            results = plan.results(for: commands, loaded: loaded, rendered: rendered)
            #if FAILPOINTS
                if Failpoint.fails("before-commit") { throw failpoint("before-commit") }
            #endif
        } catch {
            loader.forget()
            rollBack()
            throw error.storeError()
        }
        do throws(SQLiteError) {
            try connection.execute("COMMIT")
        } catch {
            loader.forget()
            rollBack()
            throw error.storeError(committing: true)
        }
        #if FAILPOINTS
            if Failpoint.fails("after-commit") { throw .unknownOutcome("failpoint after-commit") }
        #endif
        return (results, wrote)
    }

    /// Leaves no transaction open. An error here means that SQLite has rolled back by itself.
    private func rollBack() {
        guard !connection.isAutocommit else { return }
        do throws(SQLiteError) { try connection.execute("ROLLBACK") } catch {
            // The queue drops this connection, and closing it rolls back.
        }
    }

    #if FAILPOINTS
        private func failpoint(_ name: String) -> SQLiteError {
            SQLiteError(operation: "failpoint", code: 5, message: name)
        }
    #endif
}
