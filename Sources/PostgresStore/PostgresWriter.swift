import Glibc
import Ledger
import Platform
import Store

/// Commits batches of commands on the one connection of its thread, in two flushes: what is locked
/// and read, then what is written together with COMMIT.
final class PostgresWriter: StoreWriter {
    private let store: PostgresStore
    private let environment: PostgresStore.Environment
    /// Nil after one was lost.
    private var connection: Connection?
    private var ids: UUIDv7Generator
    /// Ids that nobody else gives postings.
    private var postings = PostingBlock()
    /// How many unknown commits there had been when this connection last proved, by a write of its
    /// own, that what it reads is durable. Nil before it did.
    private var provenAfter: Int?
    private(set) var leftWork = false

    private static let attempts = 6

    private let usesAdvisoryLocks: Bool

    init(_ store: PostgresStore, _ connection: Connection, usesAdvisoryLocks: Bool) {
        self.store = store
        self.connection = connection
        self.usesAdvisoryLocks = usesAdvisoryLocks
        environment = store.environment
        ids = UUIDv7Generator(random: store.environment.random)
    }

    func commit(_ commands: [Command]) throws(StoreError) -> [CommandResult] {
        let giveUp = environment.monotonic.now()
            .advanced(milliseconds: environment.retryMilliseconds)
        // Set when a commit may have happened without our having heard of it. From then on the batch
        // runs by the ordinary road until what became of it is proven.
        var unknown: PostgresError?
        var attempt = 0
        while true {
            do throws(BatchFailure) {
                return try run(commands, afterUnknown: unknown != nil)
            } catch {
                let failure: PostgresError
                switch error {
                case .unknown(let cause):
                    (failure, unknown) = (cause, cause)
                    store.noteUnknown()
                    drop()
                case .failed(let cause):
                    failure = cause
                    recover(from: cause)
                }
                if unknown == nil, failure.isLockTimeout {
                    return commands.map { _ in .failed(.customerBusy) }
                }
                attempt += 1
                let mayPass =
                    failure.isConnectionLost || failure.isTransient || failure.isLockTimeout
                guard mayPass, attempt < Self.attempts, environment.monotonic.now() < giveUp else {
                    if let unknown { throw .unknownOutcome(unknown.description) }
                    throw failure.storeError
                }
                pause(after: attempt)
            }
        }
    }

    private func connected() throws(PostgresError) -> Connection {
        if let connection { return connection }
        let made = try store.connect()
        connection = made
        return made
    }

    private func drop() {
        connection = nil
        provenAfter = nil
        postings = PostingBlock()
    }

    /// Leaves no transaction open, or no connection.
    private func recover(from failure: PostgresError) {
        guard let connection, !failure.isConnectionLost else { return drop() }
        connection.deadline = store.deadline()
        do throws(PostgresError) { try connection.recover() } catch { drop() }
    }

    /// Longer after each failure, and drawn, so that those who got into each other's way do not
    /// meet again.
    private func pause(after attempt: Int) {
        let most = UInt64(5) << UInt64(min(attempt, 6))
        _ = poll(nil, 0, Int32(1 + environment.random.word() % most))
    }

    // MARK: One transaction

    /// Which commands may run now, and what the others are told.
    private struct Selection {
        var commands: [Command] = []
        /// Places of `commands` in the batch.
        var places: [Int] = []
        var results: [CommandResult?]
        var isBusy = false
        var isHeld = false
    }

    private func run(
        _ commands: [Command], afterUnknown: Bool
    ) throws(BatchFailure) -> [CommandResult] {
        #if FAILPOINTS
            if Failpoint.fails("before-begin") { throw .failed(.failpoint("before-begin")) }
        #endif
        let connection: Connection
        var found: BatchLoader.Found
        var selection: Selection
        let writer: RowWriter
        let plan: Plan
        let answers: [CommandResult]
        let unknowns = store.unknowns
        do throws(PostgresError) {
            connection = try connected()
            connection.deadline = store.deadline()
            connection.forgetWarnings()
            (found, selection) = try load(commands, on: connection)
            // The transaction whose end is not known may still have these locks: nothing is known
            // before it has ended.
            if afterUnknown, selection.isHeld || selection.isBusy { throw .stillCommitting }
            try BatchLoader(
                connection: connection, usesAdvisoryLocks: usesAdvisoryLocks
            ).complete(&found, for: selection.commands)
            try giveIDs(&found.rows, for: selection.commands.count, on: connection)
            let now = store.time(found.time)
            plan = Planner.plan(
                selection.commands, rows: &found.rows, policy: environment.policy, now: now,
                today: environment.calendar.day(of: now), ids: &ids)
            postings.advance(by: plan.postings.count)
            #if FAILPOINTS
                if Failpoint.fails("after-plan") { throw .failpoint("after-plan") }
            #endif
            let rendered = plan.rendered(
                for: selection.commands, by: environment.renderer, at: now)
            writer = try send(
                plan, rendered, selection.commands, now, isProven: provenAfter == unknowns,
                on: connection)
            answers = plan.results(
                for: selection.commands, loaded: found.stored, rendered: rendered)
        } catch { throw .failed(error) }
        try finish(writer, isWriting: writer.sent > 0, on: connection)
        if writer.sent > 0 {
            provenAfter = unknowns
            store.acknowledge(found.position)
        }
        leftWork = plan.outbox.contains { $0.connector == .book }
        for (place, answer) in zip(selection.places, answers) { selection.results[place] = answer }
        return selection.results.map { $0! }
    }

    /// Begins the transaction, locks and reads. A batch of one customer waits for its lock; another
    /// goes on with those customers that are free, and waits only when none is.
    private func load(
        _ commands: [Command], on connection: Connection
    ) throws(PostgresError) -> (BatchLoader.Found, Selection) {
        var settings = Parameters()
        settings.add(String(environment.lockWaitMilliseconds))
        try connection.send(Statements.begin)
        try connection.send(Statements.settings, settings)
        var directory: [IBAN: DirectoryEntry] = [:]
        let nameless = BatchRequest.namelessIBANs(commands)
        if !nameless.isEmpty {
            var parameters = Parameters()
            parameters.texts(nameless) { $0.text }
            try connection.send(Statements.directory, parameters)
            try connection.sendFlush()
        }
        var isBegun = false
        func begun() throws(PostgresError) {
            guard !isBegun else { return }
            isBegun = true
            try connection.receive()
            try connection.receive()
        }
        if !nameless.isEmpty {
            try begun()
            try connection.receive().eachRow { row throws(PostgresError) in
                directory[try row.iban(0)] = DirectoryEntry(
                    customer: try row.customer(1), account: AccountID(try row.uuid(2)))
            }
        }
        let request = BatchRequest(commands, directory: directory)
        let loader = BatchLoader(
            connection: connection, usesAdvisoryLocks: usesAdvisoryLocks)
        let isAlone = request.customers.count == 1
        try loader.send(request, patient: isAlone)
        try connection.sendFlush()
        try begun()
        var found = try loader.receive(request)
        var selection = select(commands, found, directory)
        if selection.isBusy, selection.commands.isEmpty, !isAlone {
            found = try loader.load(request, patient: true)
            selection = select(commands, found, directory)
        }
        return (found, selection)
    }

    private func select(
        _ commands: [Command], _ found: BatchLoader.Found, _ directory: [IBAN: DirectoryEntry]
    ) -> Selection {
        var selection = Selection(results: Array(repeating: nil, count: commands.count))
        for (place, command) in commands.enumerated() {
            // A stored outcome never changes: it is told whoever holds what.
            let isStored = command.intent.map { found.stored.outcomes[$0] != nil } ?? false
            if !isStored {
                if let intent = command.intent, found.held.contains(intent) {
                    selection.isHeld = true
                    selection.results[place] = .failed(.inFlightElsewhere)
                    continue
                }
                if let customer = command.writtenCustomer(directory),
                    found.existing.contains(customer), !found.locked.contains(customer)
                {
                    selection.isBusy = true
                    selection.results[place] = .failed(.customerBusy)
                    continue
                }
            }
            selection.places.append(place)
            selection.commands.append(command)
        }
        return selection
    }

    /// Ids for as many postings as the commands can make, greater than all on their accounts.
    private func giveIDs(
        _ rows: inout LoadedRows, for commands: Int, on connection: Connection
    ) throws(PostgresError) {
        let newest = rows.accounts.values.lazy.compactMap(\.lastPosting).max() ?? 0
        if !postings.suffices(for: 2 * commands, after: newest) {
            precondition(2 * commands <= Statements.postingBlockSize, "a batch this large")
            try connection.send(Statements.postingBlock)
            try connection.sendFlush()
            guard let first = try connection.receive().first({ $0.integer(0) }) else {
                preconditionFailure("a sequence has a next value")
            }
            postings = PostingBlock(next: first, end: first + Statements.postingBlockSize)
        }
        rows.nextPosting = postings.next
    }

    private func send(
        _ plan: Plan, _ rendered: [StoredOutcome?], _ commands: [Command], _ now: Instant,
        isProven: Bool, on connection: Connection
    ) throws(PostgresError) -> RowWriter {
        let writer = RowWriter(connection, at: now)
        try writer.send(plan, rendered, commands)
        if writer.sent == 0, !isProven, !commands.isEmpty { try writer.sendProof() }
        #if FAILPOINTS
            if Failpoint.fails("before-commit") { throw .failpoint("before-commit") }
        #endif
        return writer
    }

    /// Commits. Only the tag COMMIT without a warning is success; what cannot be read is unknown.
    private func finish(
        _ writer: RowWriter, isWriting: Bool, on connection: Connection
    ) throws(BatchFailure) {
        do throws(PostgresError) {
            connection.deadline = store.deadline()
            try connection.send(Statements.commit)
            try connection.sendSynchronisation()
            for _ in 0..<writer.sent { try connection.receive() }
        } catch {
            // What the server refused before COMMIT it has not committed.
            if case .server = error.cause { throw .failed(error) }
            throw isWriting ? .unknown(error) : .failed(error)
        }
        do throws(PostgresError) {
            let tag = try connection.receive().commandTag
            try connection.receiveSynchronisation()
            guard tag == "COMMIT", connection.warnings == 0 else {
                throw PostgresError(
                    operation: "commit", cause: .connection,
                    message: "answered \(tag) with \(connection.warnings) warnings")
            }
        } catch {
            if case .server = error.cause, error.undoesCommit { throw .failed(error) }
            throw isWriting ? .unknown(error) : .failed(error)
        }
        #if FAILPOINTS
            if Failpoint.fails("after-commit") { throw .unknown(.failpoint("after-commit")) }
        #endif
    }
}

/// Why a batch did not get through.
enum BatchFailure: Error {
    /// Nothing of it was committed.
    case failed(PostgresError)
    /// It may have been committed.
    case unknown(PostgresError)
}

extension PostgresError {
    static let stillCommitting = PostgresError(
        operation: "look up", cause: .server("55P03"),
        message: "the attempt whose end is not known has not ended")

    #if FAILPOINTS
        static func failpoint(_ name: String) -> PostgresError {
            PostgresError(operation: "failpoint", cause: .server("58000"), message: name)
        }
    #endif

    /// Said by COMMIT itself: nothing was committed.
    fileprivate var undoesCommit: Bool {
        if case .server(let state) = cause {
            state.hasPrefix("40") || state.hasPrefix("23")
        } else {
            false
        }
    }
}

extension Command {
    /// Whose rows it writes, where that is known; nil where no customer's.
    fileprivate func writtenCustomer(_ directory: [IBAN: DirectoryEntry]) -> CustomerID? {
        switch self {
        case .transfer(let command): command.id.customer
        case .revoke(let command): command.id.customer
        case .credit(let command): command.payee
        case .conclude(let command): command.payer
        case .openAccount(let command): command.customer
        case .setAccountStatus(let command): directory[command.iban]?.customer
        case .setAccountLimits(let command): directory[command.iban]?.customer
        case .restrictCustomer(let command): command.customer
        case .retire, .probe: nil
        }
    }
}

/// Ids of postings that one writer may give.
private struct PostingBlock {
    private(set) var next: Int64 = 1
    private var end: Int64 = 1

    init() {}

    init(next: Int64, end: Int64) {
        self.next = next
        self.end = end
    }

    func suffices(for count: Int, after newest: Int64) -> Bool {
        next > newest && end - next >= Int64(count)
    }

    mutating func advance(by count: Int) { next += Int64(count) }
}
