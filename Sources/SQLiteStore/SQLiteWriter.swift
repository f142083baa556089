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
            let rendered = render(plan, commands, now)
            wrote = !plan.isReadOnly
            leftWork = plan.outbox.contains { $0.connector == .book }
            if wrote { try rows.write(plan, rendered, commands, at: now) }
            results = Self.results(plan, commands, loaded, rendered)
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

    /// Each new outcome with its bytes, at the index of its command.
    private func render(_ plan: Plan, _ commands: [Command], _ now: Instant) -> [StoredOutcome?] {
        var rendered: [StoredOutcome?] = Array(repeating: nil, count: commands.count)
        for (index, decision) in plan.decisions.enumerated() {
            let storable: StorableDecision
            let kind: OutcomeKind
            var transfer: TransferID?
            switch decision {
            case .executed(let row, let balance):
                (storable, kind, transfer) = (.executed(row, balance: balance), .executed, row.id)
            case .rejected(let row, let reason, let balance):
                storable = .rejected(row, reason, balance: balance)
                (kind, transfer) = (.rejected, row.id)
            case .revoked:
                (storable, kind) = (.revoked, .revoked)
            default: continue
            }
            let attempt: (id: IntentID, requestID: String, receivedAt: Instant)
            var fingerprint: Fingerprint?
            switch commands[index] {
            case .transfer(let command):
                attempt = (command.id, command.requestID, command.receivedAt)
                fingerprint = command.intent.fingerprint
            case .revoke(let command):
                attempt = (command.id, command.requestID, command.receivedAt)
            default: continue
            }
            let answer = environment.renderer.render(
                storable, of: attempt.id, requestID: attempt.requestID, at: now)
            rendered[index] = StoredOutcome(
                kind: kind, statusCode: answer.statusCode, contentType: answer.contentType,
                body: answer.body, transfer: transfer, fingerprint: fingerprint,
                receivedAt: attempt.receivedAt)
        }
        return rendered
    }

    private static func results(
        _ plan: Plan, _ commands: [Command], _ loaded: BatchLoader.Loaded,
        _ rendered: [StoredOutcome?]
    ) -> [CommandResult] {
        plan.decisions.enumerated().map { index, decision in
            switch decision {
            case .executed, .rejected, .revoked:
                return .outcome(rendered[index]!, replayed: false)
            case .known(let known):
                guard let intent = commands[index].intent else { break }
                switch known.source {
                case .stored:
                    if let transfer = loaded.retired[intent] { return .retired(transfer) }
                    return .outcome(loaded.outcomes[intent]!, replayed: true)
                case .planned(let first): return .outcome(rendered[first]!, replayed: true)
                }
            case .reused(let known, let differs):
                return .reused(
                    transfer: known.transfer, receivedAt: known.receivedAt, differs: differs)
            case .invalid(let errors): return .invalid(errors)
            default: break
            }
            return .decided(decision)
        }
    }
}
