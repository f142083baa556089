package import Ledger
package import Platform

/// A question about committed state.
package enum ReadQuery: Sendable {
    /// `inFlight`: an attempt was running in this process when the question was asked.
    case intent(IntentID, inFlight: Bool)
    /// The stored outcome itself, for an attempt that met other content in flight.
    case outcome(IntentID)
    /// As `intent`, for a revocation that found the intent decided.
    case decidedIntent(IntentID)
    case transfer(TransferID, CustomerID)
    case list(CustomerID, before: Int64, states: UInt16, limit: Int)
    case accounts(CustomerID)
    case account(AccountID, CustomerID)
}

/// What became of a query.
package enum ReadAnswer: Sendable {
    case transfer(TransferView)
    /// A revocation came too late, or found a refusal.
    case decided(TransferView)
    case revoked(IntentID, RevocationView, asOf: Instant)
    case inFlight(IntentID, asOf: Instant)
    case outcome(StoredOutcome, TransferRow?)
    case list(TransferPage, CustomerID, states: UInt16)
    case accounts([AccountRow], asOf: Instant)
    case account(AccountRow, asOf: Instant)
    case notFound(ReadQuery)
    case failed
}

/// A few threads with a connection each that answer reads; they never take a lock that a payment
/// needs.
package final class ReadPool: @unchecked Sendable {
    // Sendable: `waiting`, `accepting` and `threads` are touched only with `lock` held.
    private struct Pending {
        let query: ReadQuery
        let ticket: Ticket
        let sink: any StoreSink
    }

    private let lock = Lock()
    private let ready = Condition()
    private var waiting: [Pending] = []
    private var accepting = true
    private var threads: [Thread] = []

    private let store: any TransferStore
    private let clock: any WallClock
    private let log: Log
    private let waitingLimit: Int

    package init(
        store: any TransferStore, clock: any WallClock, log: Log, metrics: MetricsRegistry,
        waitingLimit: Int = 4096
    ) {
        self.store = store
        self.clock = clock
        self.log = log
        self.waitingLimit = waitingLimit
        metrics.sampled("transferd_read_queue_queries", help: "Reads that wait for a thread.") {
            [weak self] in self?.depth ?? 0
        }
    }

    package var depth: Int { lock.withLock { waiting.count } }

    /// Starts the threads. Once only.
    package func start(threads count: Int) {
        lock.withLock {
            threads = (0..<count).map { index in
                Thread(name: "read-\(index)") { [self] in run() }
            }
        }
    }

    /// False when too many wait or the pool has been closed.
    package func submit(_ query: ReadQuery, ticket: Ticket, sink: any StoreSink) -> Bool {
        lock.lock()
        guard accepting, waiting.count < waitingLimit else {
            lock.unlock()
            return false
        }
        waiting.append(Pending(query: query, ticket: ticket, sink: sink))
        lock.unlock()
        ready.signal()
        return true
    }

    package func close() {
        let threads = lock.withLock {
            accepting = false
            return self.threads
        }
        ready.broadcast()
        for thread in threads { thread.join() }
    }

    private func run() {
        var reader: (any StoreReader)?
        var batch: [Pending] = []
        while take(&batch) {
            for pending in batch {
                let answer: ReadAnswer
                do throws(StoreError) {
                    if reader == nil { reader = try store.makeReader() }
                    answer = try Self.answer(pending.query, reader!, now: clock.now())
                } catch {
                    log.error("read.failed", ["error": LogValue.text(error.description)])
                    reader = nil
                    answer = .failed
                }
                pending.sink.completed(pending.ticket, answer)
            }
            batch.removeAll(keepingCapacity: true)
        }
    }

    private func take(_ batch: inout [Pending]) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        while waiting.isEmpty {
            guard accepting else { return false }
            ready.wait(lock)
        }
        // A share, so that the other threads find work too.
        let count = min(waiting.count, 16)
        batch.append(contentsOf: waiting.prefix(count))
        waiting.removeFirst(count)
        return true
    }

    private static func answer(
        _ query: ReadQuery, _ reader: any StoreReader, now: Instant
    ) throws(StoreError) -> ReadAnswer {
        switch query {
        case .intent(let id, let inFlight):
            // What is committed comes first: an attempt that runs may be a retry of an intent that
            // has long been executed.
            if let view = try reader.transfer(of: id) { return .transfer(view) }
            if let view = try reader.revocation(of: id) { return .revoked(id, view, asOf: now) }
            return inFlight ? .inFlight(id, asOf: now) : .notFound(query)
        case .outcome(let id):
            return try reader.outcome(of: id).map { .outcome($0.outcome, $0.transfer) }
                ?? .notFound(query)
        case .decidedIntent(let id):
            return try reader.transfer(of: id).map { .decided($0) } ?? .notFound(query)
        case .transfer(let id, let customer):
            return try reader.transfer(id, of: customer).map { .transfer($0) } ?? .notFound(query)
        case .list(let customer, let before, let states, let limit):
            let page = try reader.transfers(
                of: customer, before: before, states: states, limit: limit)
            return .list(page, customer, states: states)
        case .accounts(let customer):
            return .accounts(try reader.accounts(of: customer), asOf: now)
        case .account(let id, let customer):
            return try reader.account(id, of: customer).map { .account($0, asOf: now) }
                ?? .notFound(query)
        }
    }
}
