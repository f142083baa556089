import CPostgres
import Glibc
import Platform

/// One connection to PostgreSQL in libpq's pipeline mode, confined to one thread at a time; the only
/// owner of its pointer.
///
/// Executions are queued by `send`, and their answers taken in the same order by `receive`. The
/// socket is not blocking, and what arrives is read while the rest is written: both sides' buffers
/// may be full at once. No wait is longer than `deadline`.
final class Connection {
    private enum Expected {
        case preparation(String)
        case execution(String)
        case synchronisation
    }

    private let handle: OpaquePointer
    /// Counted by libpq's notice callback, on the thread that reads.
    private let warningCount: UnsafeMutablePointer<Int32>
    private let clock: any MonotonicClock
    /// False where sessions change under us between transactions: nothing is kept in the server.
    private let keepsStatements: Bool
    private var prepared: Set<String> = []
    private var expected: [Expected] = []
    private var taken = 0

    /// Whether the engine tells how far its log has got. Set by whoever has asked.
    var tellsPosition = false

    /// Until when the server may take to answer. Set anew for each step.
    var deadline = MonotonicTime.distantFuture

    /// WARNINGs since `forgetWarnings`.
    var warnings: Int { Int(warningCount.pointee) }

    /// Connects, with each host of the URL in turn, to one that takes writes. Blocks at most the
    /// URL's connect_timeout for each.
    init(
        _ address: PostgresAddress, clock: any MonotonicClock, keepsStatements: Bool
    ) throws(PostgresError) {
        let opened = address.connect()
        guard let opened, PQstatus(opened) == CONNECTION_OK else {
            let message = opened.map { Self.oneLine(PQerrorMessage($0)) } ?? "out of memory"
            PQfinish(opened)
            throw PostgresError(operation: "connect", cause: .connection, message: message)
        }
        handle = opened
        self.clock = clock
        self.keepsStatements = keepsStatements
        warningCount = .allocate(capacity: 1)
        warningCount.initialize(to: 0)
        PQsetNoticeReceiver(
            handle,
            { count, result in
                guard let severity = PQresultErrorField(result, pgDiagSeverity),
                    strcmp(severity, "WARNING") == 0
                else { return }
                count!.assumingMemoryBound(to: Int32.self).pointee += 1
            }, warningCount)
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
            throw failure("connect")
        }
    }

    deinit {
        PQfinish(handle)
        warningCount.deallocate()
    }

    /// The name or address of the server, for people.
    var host: String { PQhost(handle).map { String(cString: $0) } ?? "" }

    func forgetWarnings() { warningCount.pointee = 0 }

    // MARK: Sending

    /// Queues one execution, and before its first one its preparation.
    func send(
        _ statement: PreparedStatement, _ parameters: Parameters = .none
    ) throws(PostgresError) {
        guard keepsStatements else {
            let code = parameters.withPointers { count, values, lengths, formats in
                PQsendQueryParams(
                    handle, statement.sql, count, statement.types, values, lengths, formats, 1)
            }
            guard code == 1 else { throw failure(statement.name) }
            return expected.append(.execution(statement.name))
        }
        if prepared.insert(statement.name).inserted {
            let code = PQsendPrepare(
                handle, statement.name, statement.sql, Int32(statement.types.count),
                statement.types)
            guard code == 1 else { throw failure(statement.name) }
            expected.append(.preparation(statement.name))
        }
        let code = parameters.withPointers { count, values, lengths, formats in
            PQsendQueryPrepared(handle, statement.name, count, values, lengths, formats, 1)
        }
        guard code == 1 else { throw failure(statement.name) }
        expected.append(.execution(statement.name))
    }

    /// Has the server answer what was sent so far, inside the transaction.
    func sendFlush() throws(PostgresError) {
        guard PQsendFlushRequest(handle) == 1 else { throw failure("flush") }
        try write("flush")
    }

    /// Ends what belongs together: after an error the server skips everything up to here.
    func sendSynchronisation() throws(PostgresError) {
        guard PQpipelineSync(handle) == 1 else { throw failure("synchronise") }
        expected.append(.synchronisation)
        try write("synchronise")
    }

    // MARK: Receiving

    /// The answer to the oldest execution that has none yet. Throws what the server said instead;
    /// then only `recover` may be called.
    @discardableResult
    func receive() throws(PostgresError) -> QueryResult {
        while true {
            switch nextExpected() {
            case .preparation(let name):
                let result = try take(name)
                try check(result, name)
                PQclear(result)
            case .execution(let name):
                let result = try take(name)
                try check(result, name)
                return QueryResult(owning: result)
            case .synchronisation: preconditionFailure("more was received than was sent")
            }
        }
    }

    /// Waits for the end of what belongs together.
    func receiveSynchronisation() throws(PostgresError) {
        guard case .synchronisation = nextExpected() else {
            preconditionFailure("not all that was sent was received")
        }
        try takeSynchronisation()
    }

    /// One execution alone.
    func run(
        _ statement: PreparedStatement, _ parameters: Parameters = .none
    ) throws(PostgresError) -> QueryResult {
        try send(statement, parameters)
        try sendSynchronisation()
        let result = try receive()
        try receiveSynchronisation()
        return result
    }

    /// After an error: skips the rest of what was sent and leaves no transaction open. Throws when
    /// the connection is of no more use.
    func recover() throws(PostgresError) {
        if expected.dropFirst(taken).allSatisfy({
            if case .synchronisation = $0 { false } else { true }
        }) {
            try sendSynchronisation()
        }
        while taken < expected.count {
            switch nextExpected() {
            case .preparation(let name):
                let result = try take(name)
                if PQresultStatus(result) != PGRES_COMMAND_OK { prepared.remove(name) }
                PQclear(result)
            case .execution(let name): PQclear(try take(name))
            case .synchronisation: try takeSynchronisation()
            }
        }
        switch PQtransactionStatus(handle) {
        case PQTRANS_IDLE: return
        case PQTRANS_INTRANS, PQTRANS_INERROR:
            _ = try run(PreparedStatement("rollback", [], "ROLLBACK"))
        default: throw failure("recover")
        }
    }

    /// Several statements without parameters as one transaction, or as they say themselves. Only
    /// between executions.
    func script(_ sql: String) throws(PostgresError) {
        precondition(taken == expected.count)
        guard PQexitPipelineMode(handle) == 1, PQsendQuery(handle, sql) == 1 else {
            throw failure("script")
        }
        try write("script")
        var refusal: PostgresError?
        while let result = try next("script") {
            let status = PQresultStatus(result)
            if status == PGRES_FATAL_ERROR { refusal = refusal ?? error(of: result, "script") }
            PQclear(result)
        }
        guard PQenterPipelineMode(handle) == 1 else { throw failure("script") }
        if let refusal { throw refusal }
    }

    // MARK: The loop

    private func nextExpected() -> Expected {
        precondition(taken < expected.count, "more was received than was sent")
        let next = expected[taken]
        taken += 1
        if taken == expected.count {
            expected.removeAll(keepingCapacity: true)
            taken = 0
        }
        return next
    }

    /// The result of one message. Between results libpq answers nil once.
    private func take(_ operation: String) throws(PostgresError) -> OpaquePointer {
        for _ in 0..<3 { if let result = try next(operation) { return result } }
        throw failure(operation)
    }

    private func takeSynchronisation() throws(PostgresError) {
        let result = try take("synchronise")
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_PIPELINE_SYNC else {
            throw error(of: result, "synchronise")
        }
    }

    private func next(_ operation: String) throws(PostgresError) -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            try wait(for: POLLIN, operation)
            guard PQconsumeInput(handle) == 1 else { throw failure(operation) }
        }
        return PQgetResult(handle)
    }

    /// Writes everything that is queued, and reads what comes meanwhile.
    private func write(_ operation: String) throws(PostgresError) {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1:
                if try wait(for: POLLIN | POLLOUT, operation) & Int16(POLLIN) != 0 {
                    guard PQconsumeInput(handle) == 1 else { throw failure(operation) }
                }
            default: throw failure(operation)
            }
        }
    }

    @discardableResult
    private func wait(for events: Int32, _ operation: String) throws(PostgresError) -> Int16 {
        var poll = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        while true {
            let left = clock.now().milliseconds(until: deadline)
            guard left > 0 else {
                throw PostgresError(
                    operation: operation, cause: .deadline,
                    message: "the database did not answer in time")
            }
            let ready = Glibc.poll(&poll, 1, Int32(clamping: left))
            if ready > 0 { return poll.revents }
            guard ready == 0 || errno == EINTR else {
                throw PostgresError(
                    operation: operation, cause: .connection,
                    message: String(cString: strerror(errno)))
            }
        }
    }

    // MARK: Errors

    /// Takes the result over where it is an error.
    private func check(_ result: OpaquePointer, _ operation: String) throws(PostgresError) {
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return
        default:
            defer { PQclear(result) }
            throw error(of: result, operation)
        }
    }

    private func error(of result: OpaquePointer, _ operation: String) -> PostgresError {
        func field(_ code: Int32) -> String? {
            PQresultErrorField(result, code).map { String(cString: $0) }
        }
        guard let state = field(pgDiagState) else { return failure(operation) }
        return PostgresError(
            operation: operation, cause: .server(state),
            message: field(pgDiagMessage) ?? "refused without a reason")
    }

    private func failure(_ operation: String) -> PostgresError {
        let message = Self.oneLine(PQerrorMessage(handle))
        return PostgresError(
            operation: operation, cause: .connection,
            message: message.isEmpty ? "the connection was lost" : message)
    }

    static func oneLine(_ text: UnsafePointer<CChar>?) -> String {
        guard let text else { return "" }
        return String(cString: text).split(separator: "\n").joined(separator: "; ")
    }
}

@available(*, unavailable)
extension Connection: Sendable {}

// Character constants in C: the fields of an error.
private let pgDiagSeverity = Int32(UInt8(ascii: "V"))
private let pgDiagState = Int32(UInt8(ascii: "C"))
private let pgDiagMessage = Int32(UInt8(ascii: "M"))
