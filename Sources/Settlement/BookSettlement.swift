import Ledger
package import Platform
package import Store

/// Books transfers whose payee has an account in this bank, on a thread of its own.
///
/// Three steps, each safe to repeat: the payee's side stores its decision, the decision is read,
/// and the payer's side ends the transfer as it says. The outbox remembers what is to be done, so a
/// crash between two steps only makes them be done again.
package final class BookSettlement: StoreSink, @unchecked Sendable {
    // Sendable: the fields below `lock` are touched only with it held; `working` only by the thread.
    private let lock = Lock()
    private let wake = Condition()
    private var wanted = true
    private var running = true
    private var answers: [CommandAnswer] = []
    private var thread: Thread?

    /// Bookings under way, by transfer.
    private var working: [TransferID: PendingBooking] = [:]

    private let store: any TransferStore
    private let commits: CommitLanes
    private let clock: any MonotonicClock
    private let random: any RandomBytes
    private let log: Log
    private let settled: Counter
    private let returned: Counter
    private let failures: Counter
    private let pending: Gauge

    /// Bookings under way at once.
    private static let window = 512
    /// Looks for work that nobody announced, such as what a crash left.
    private static let pollMilliseconds: Int64 = 1000
    private static let waitMilliseconds: Int64 = 30_000

    package init(
        store: any TransferStore, commits: CommitLanes, clock: any MonotonicClock,
        random: any RandomBytes, log: Log, metrics: MetricsRegistry
    ) {
        self.store = store
        self.commits = commits
        self.clock = clock
        self.random = random
        self.log = log
        settled = metrics.counter(
            "transferd_book_settled_total", help: "Bookings inside this bank that were credited.")
        returned = metrics.counter(
            "transferd_book_returned_total", help: "Bookings inside this bank that came back.")
        failures = metrics.counter(
            "transferd_book_failures_total", help: "Steps that failed and will be made again.")
        pending = metrics.gauge(
            "transferd_book_under_way", help: "Bookings between their first and last step.")
    }

    /// Starts the thread. Once only.
    package func start() {
        lock.withLock { thread = Thread(name: "settlement") { [self] in run() } }
    }

    /// There may be something to do.
    package func announce() {
        lock.withLock { wanted = true }
        wake.signal()
    }

    /// Ends the thread; what is under way is found again at the next start.
    package func close() {
        let thread = lock.withLock {
            running = false
            return self.thread
        }
        wake.signal()
        thread?.join()
    }

    package func completed(_ batch: [(Ticket, CommandAnswer)]) {
        lock.withLock { answers.append(contentsOf: batch.map { $0.1 }) }
        wake.signal()
    }

    package func completed(_ ticket: Ticket, _ answer: ReadAnswer) {}

    package func changed(_ ticket: Ticket) {}

    private func run() {
        var reader: (any StoreReader)?
        var notBefore = clock.now()
        while let (newAnswers, look) = waitForWork() {
            var failed = false
            for answer in newAnswers where !take(answer) { failed = true }
            if failed { notBefore = pauseEnd() }
            guard look, clock.now() >= notBefore else { continue }
            if !commits.isHealthy { probe() }
            do throws(StoreError) {
                if reader == nil { reader = try store.makeReader() }
                if try !begin(reader!) { notBefore = pauseEnd() }
            } catch {
                failures.add()
                log.warning("settlement.failed", ["error": LogValue.text(error.description)])
                reader = nil
                notBefore = pauseEnd()
            }
            pending.set(working.count)
        }
    }

    /// Nil when it is time to end.
    private func waitForWork() -> (answers: [CommandAnswer], look: Bool)? {
        lock.withLock {
            var look = true
            if running, answers.isEmpty, !wanted {
                let until = clock.now().advanced(milliseconds: Self.pollMilliseconds)
                wake.wait(lock, until: until)
            }
            guard running else { return nil }
            look = wanted || answers.isEmpty
            let taken = answers
            answers = []
            wanted = false
            return (taken, look)
        }
    }

    /// First steps, oldest first, so that the order of each debtor's transfers is kept. False when
    /// the queue has no room.
    private func begin(_ reader: any StoreReader) throws(StoreError) -> Bool {
        guard working.count < Self.window else { return true }
        let found = try reader.pendingBookings(after: 0, limit: Self.window)
        for booking in found where working[booking.transfer] == nil {
            guard let creditor = booking.creditor else {
                failures.add()
                log.error("settlement.creditor_unknown", ["transfer": booking.transfer])
                continue
            }
            working[booking.transfer] = booking
            let credit = CreditCommand(
                payee: creditor.customer, account: creditor.account, transfer: booking.transfer,
                money: booking.money)
            guard submit(.credit(credit), of: booking.transfer) else { return false }
        }
        return true
    }

    /// False when a step has to be made again.
    private func take(_ answer: CommandAnswer) -> Bool {
        switch (answer.command, answer.result) {
        case (.probe, _): return true
        case (.credit(let command), .decided(.credit(let decision))):
            #if FAILPOINTS
                _ = Failpoint.fails("after-credit")
            #endif
            guard let booking = working[command.transfer] else { return true }
            let conclusion = ConcludeCommand(
                payer: booking.payer, transfer: booking.transfer, outboxID: booking.outboxID,
                decision: decision)
            return submit(.conclude(conclusion), of: booking.transfer)
        case (.conclude(let command), .decided(.concluded(let state, _))):
            working[command.transfer] = nil
            switch state {
            case .settled: settled.add()
            case .returned: returned.add()
            default:
                failures.add()
                log.error(
                    "settlement.not_concluded",
                    ["transfer": command.transfer, "state": LogValue.text("\(state)")])
                return false
            }
            return true
        case (.credit(let command), _): return again(command.transfer)
        case (.conclude(let command), _): return again(command.transfer)
        default: return true
        }
    }

    /// Forgets the booking, so that it is found in the outbox again.
    private func again(_ transfer: TransferID) -> Bool {
        failures.add()
        working[transfer] = nil
        return false
    }

    private func submit(_ command: Command, of transfer: TransferID) -> Bool {
        guard send(command) == .accepted else { return again(transfer) }
        return true
    }

    /// Asks whether the store has come back, when nobody else does.
    private func probe() { commits.probe(pending(.probe)) }

    private func send(_ command: Command) -> CommitQueue.Submission {
        commits.submit(pending(command))
    }

    private func pending(_ command: Command) -> PendingCommand {
        PendingCommand(
            command: command,
            deadline: clock.now().advanced(milliseconds: Self.waitMilliseconds),
            ticket: Ticket(loop: .max, slot: 0, generation: 0), sink: self)
    }

    /// Half a second to a second from now.
    private func pauseEnd() -> MonotonicTime {
        clock.now().advanced(milliseconds: 500 + Int64(random.word() % 500))
    }
}
