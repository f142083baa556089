package import Ledger
package import Platform

/// Where results of commands and reads go. Called on store threads; must not block.
package protocol StoreSink: AnyObject, Sendable {
    func completed(_ batch: [(Ticket, CommandAnswer)])
    func completed(_ ticket: Ticket, _ answer: ReadAnswer)
    /// What the request watches may have changed.
    func changed(_ ticket: Ticket)
}

/// A command together with what became of it.
package struct CommandAnswer: Sendable {
    package let command: Command
    package let result: CommandResult

    package init(command: Command, result: CommandResult) {
        self.command = command
        self.result = result
    }
}

/// A command on its way to a commit.
package struct PendingCommand: Sendable {
    package let command: Command
    /// Not started after this time.
    package private(set) var deadline: MonotonicTime
    /// When the permission to ask for it ends; checked again when it starts after a wait.
    package let permittedUntil: MonotonicTime
    /// Whether that permission has been taken back; nil for a command that waits for no other.
    package let isRevoked: (@Sendable () -> Bool)?
    package let ticket: Ticket
    package let sink: any StoreSink
    /// Until when it is tried again, from the first time that it met a locked customer.
    fileprivate var busyUntil: MonotonicTime?

    package init(
        command: Command, deadline: MonotonicTime,
        permittedUntil: MonotonicTime = .distantFuture,
        isRevoked: (@Sendable () -> Bool)? = nil, ticket: Ticket, sink: any StoreSink
    ) {
        self.command = command
        self.deadline = deadline
        self.permittedUntil = permittedUntil
        self.isRevoked = isRevoked
        self.ticket = ticket
        self.sink = sink
    }

    /// Why whoever asked may not do so any more; nil for one who may.
    func refusal(at now: MonotonicTime) -> CommandFailure? {
        if permittedUntil < now { return .permissionEnded }
        return isRevoked?() == true ? .permissionRevoked : nil
    }

    /// The same, for one that has waited for another and starts with the next batch.
    var atOnce: PendingCommand {
        var copy = self
        copy.deadline = .distantFuture
        return copy
    }
}

/// Group commit: one thread takes everything that waits, up to a bound, as one transaction with one
/// fsync. Nothing waits for a timer: while one batch commits the next gathers, so the batch grows
/// with the load, and a lone command pays one commit.
package final class CommitQueue: @unchecked Sendable {
    // Sendable: `waiting`, `accepting`, `healthy` and `thread` are touched only with `lock` held; the
    // writer, `busy`, `tookBusy`, `leftWork`, `tellsAgain` and `untold` live on the commit thread.

    /// Bounds of one queue.
    package struct Limits: Sendable {
        /// Commands in one transaction.
        package var batchCommands = 512
        /// Commands that may wait; more are refused.
        package var waitingCommands = 4096
        /// How long a command whose customer another process holds is tried again.
        package var busyMilliseconds: Int64 = 8000

        package init() {}
    }

    private let lock = Lock()
    private let ready = Condition()
    private var waiting: [PendingCommand] = []
    private var accepting = true
    private var healthy = true
    /// Commands whose customer another process had locked. On the commit thread, like `tookBusy`.
    private var busy: [PendingCommand] = []
    /// Whether the newest batch was of those.
    private var tookBusy = false
    /// Whether any commit of the batch under way left something for settlement.
    private var leftWork = false
    private var thread: Thread?
    /// On the commit thread: when a failed batch is logged again, and how many were not since.
    private var tellsAgain = MonotonicTime(nanoseconds: 0)
    private var untold = 0

    private let store: any TransferStore
    private let inFlight: InFlightTable
    private let changes: ChangeHub
    private let limits: Limits
    private let clock: any MonotonicClock
    private let log: Log
    /// Ends the process; the medium failed.
    private let onMediumFailure: @Sendable () -> Void
    /// Called on the commit thread after a batch that may have left work for settlement.
    private let onCommitted: @Sendable () -> Void

    private let batches: Counter
    private let committed: Counter
    private let failures: Counter
    private let batchSizes: Histogram
    private let commitTime: Histogram

    package init(
        store: any TransferStore, inFlight: InFlightTable, changes: ChangeHub = ChangeHub(),
        limits: Limits = Limits(),
        clock: any MonotonicClock, log: Log, metrics: MetricsRegistry,
        onCommitted: @escaping @Sendable () -> Void = {},
        onMediumFailure: @escaping @Sendable () -> Void
    ) {
        self.store = store
        self.inFlight = inFlight
        self.changes = changes
        self.limits = limits
        self.clock = clock
        self.log = log
        self.onCommitted = onCommitted
        self.onMediumFailure = onMediumFailure
        batches = metrics.counter(
            "transferd_commit_batches_total", help: "Batches that ended, committed or not.")
        committed = metrics.counter(
            "transferd_commit_commands_total", help: "Commands that got a result of the ledger.")
        failures = metrics.counter(
            "transferd_commit_failures_total", help: "Batches that the store could not carry out.")
        batchSizes = metrics.sizes(
            "transferd_commit_batch_commands", help: "Commands in one batch.",
            bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
        commitTime = metrics.latency(
            "transferd_commit_seconds", help: "From taking a batch to its commit or rollback.")
        metrics.sampled(
            "transferd_commit_queue_commands", help: "Commands that wait for a commit."
        ) { [weak self] in self?.depth ?? 0 }
    }

    /// Commands that wait.
    package var depth: Int { lock.withLock { waiting.count } }

    /// Whether the newest batch could be carried out.
    package var isHealthy: Bool { lock.withLock { healthy } }

    /// Opens the writer and starts the commit thread.
    package func start() {
        lock.withLock {
            precondition(thread == nil)
            thread = Thread(name: "commit") { [self] in run() }
        }
    }

    /// Whether a command was taken.
    package enum Submission: Sendable {
        case accepted
        /// Too many wait; the caller keeps the command.
        case full
        /// The queue has been closed; the caller keeps the command.
        case closed
    }

    /// Hands a command over.
    package func submit(_ command: PendingCommand) -> Submission {
        lock.lock()
        guard accepting, waiting.count < limits.waitingCommands else {
            defer { lock.unlock() }
            return accepting ? .full : .closed
        }
        waiting.append(command)
        let first = waiting.count == 1
        lock.unlock()
        if first { ready.signal() }
        return .accepted
    }

    /// Refuses new commands, finishes those that wait, ends the thread.
    package func close() {
        let thread = lock.withLock {
            accepting = false
            return self.thread
        }
        ready.signal()
        thread?.join()
    }

    private func run() {
        var writer: (any StoreWriter)?
        var batch: [PendingCommand] = []
        while take(&batch) {
            leftWork = false
            process(batch, &writer, started: clock.now())
            batch.removeAll(keepingCapacity: true)
            if leftWork { onCommitted() }
        }
    }

    /// Waits for commands and takes all of them, up to the bound; false when closed and empty.
    ///
    /// Those that met a locked customer take turns with the others: a batch of them alone may wait
    /// for the lock, and neither kind waits for more than one batch of the other.
    private func take(_ batch: inout [PendingCommand]) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        tookBusy = !busy.isEmpty && (!tookBusy || waiting.isEmpty)
        if tookBusy {
            let count = min(busy.count, limits.batchCommands)
            batch.append(contentsOf: busy.prefix(count))
            busy.removeFirst(count)
            return true
        }
        while waiting.isEmpty {
            guard accepting else { return false }
            ready.wait(lock)
        }
        if waiting.count <= limits.batchCommands {
            swap(&batch, &waiting)
        } else {
            batch.append(contentsOf: waiting.prefix(limits.batchCommands))
            waiting.removeFirst(limits.batchCommands)
        }
        return true
    }

    private func process(
        _ batch: [PendingCommand], _ writer: inout (any StoreWriter)?, started: MonotonicTime
    ) {
        var live: [PendingCommand] = []
        live.reserveCapacity(batch.count)
        var refused: [PendingCommand] = []
        var refusals: [CommandResult] = []
        for pending in batch {
            if let failure = pending.refusal(at: started) {
                refused.append(pending)
                refusals.append(.failed(failure))
            } else if pending.deadline < started {
                refused.append(pending)
                refusals.append(.failed(.overloaded))
            } else {
                live.append(pending)
            }
        }
        let results = live.isEmpty ? [] : commit(live[...], &writer)
        // Before anybody is answered, so that whoever reads the metrics then finds itself counted.
        commitTime.observe(Int(clock.now().nanoseconds - started.nanoseconds))
        batches.add()
        batchSizes.observe(batch.count)
        finish(refused, refusals)
        if results.contains(where: \.isBusy) {
            finishUnlessBusy(live, results)
        } else {
            finish(live, results)
        }
    }

    /// Keeps those that met a locked customer, with their keys, for as long as they may wait.
    private func finishUnlessBusy(_ commands: [PendingCommand], _ results: [CommandResult]) {
        let now = clock.now()
        var ended: [PendingCommand] = []
        var endings: [CommandResult] = []
        for (pending, result) in zip(commands, results) {
            var kept = pending
            kept.busyUntil =
                pending.busyUntil ?? now.advanced(milliseconds: limits.busyMilliseconds)
            if result.isBusy, let until = kept.busyUntil, now < until {
                busy.append(kept)
            } else {
                ended.append(pending)
                endings.append(result)
            }
        }
        finish(ended, endings)
    }

    private func commit(
        _ commands: ArraySlice<PendingCommand>, _ writer: inout (any StoreWriter)?
    ) -> [CommandResult] {
        do throws(StoreError) {
            if writer == nil { writer = try store.makeWriter() }
            let results = try writer!.commit(commands.map(\.command))
            committed.add(results.count)
            if writer!.leftWork { leftWork = true }
            lock.withLock { healthy = true }
            return results
        } catch {
            failures.add()
            tell(error, of: commands.count)
            switch error {
            case .constraint:
                guard commands.count > 1 else { return [.failed(.internalError)] }
                // One command is poisoned: the others shall not fail with it.
                let middle = commands.startIndex + commands.count / 2
                return commit(commands[..<middle], &writer) + commit(commands[middle...], &writer)
            case .mediumFailed:
                onMediumFailure()
            case .unavailable, .unknownOutcome, .unusable:
                break
            }
            // A fresh connection next time: this one may be what is broken.
            writer = nil
            lock.withLock { healthy = false }
            return commands.map { _ in .failed(.storeUnavailable) }
        }
    }

    /// Once a second at most: while the disk is full every batch fails, and the log may be on it.
    private func tell(_ error: StoreError, of commands: Int) {
        let now = clock.now()
        guard now >= tellsAgain else {
            untold += 1
            return
        }
        log.error(
            "commit.failed",
            [
                "error": LogValue.text(error.description), "commands": commands,
                "untold": untold,
            ])
        tellsAgain = now.advanced(milliseconds: 1000)
        untold = 0
    }

    /// Frees the keys first, so that nobody who was answered meets an entry of the past.
    private func finish(_ commands: [PendingCommand], _ results: [CommandResult]) {
        var waiters: [(PendingCommand, CommandResult)] = []
        var promoted: [PendingCommand] = []
        var changed: [IntentID] = []
        for (pending, result) in zip(commands, results) {
            if let id = pending.command.intent {
                let ending = inFlight.finish(id, decided: result.isDecided)
                for waiter in ending.answered { waiters.append((waiter, result.repeated)) }
                if let next = ending.promoted { promoted.append(next.atOnce) }
                changed.append(id)
            } else if case .decided(.concluded(_, let id)) = result {
                changed.append(id)
            }
        }
        changes.changed(changed)
        if !promoted.isEmpty { lock.withLock { waiting.insert(contentsOf: promoted, at: 0) } }
        deliver(commands, results)
        let now = clock.now()
        for (waiter, result) in waiters {
            deliver([waiter], [waiter.refusal(at: now).map { .failed($0) } ?? result])
        }
    }

    private func deliver(_ commands: [PendingCommand], _ results: [CommandResult]) {
        var start = 0
        while start < commands.count {
            // Neighbours mostly share a sink: one hand-over for all of them.
            let sink = commands[start].sink
            var answers: [(Ticket, CommandAnswer)] = []
            while start < commands.count, commands[start].sink === sink {
                answers.append(
                    (
                        commands[start].ticket,
                        CommandAnswer(command: commands[start].command, result: results[start])
                    ))
                start += 1
            }
            sink.completed(answers)
        }
    }
}
