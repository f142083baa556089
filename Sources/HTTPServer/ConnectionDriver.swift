import Platform

/// Does what the connections' state machines say: reads, writes, calls the handler. Knows nothing
/// of epoll. Confined to one thread.
final class ConnectionDriver<Handler: RequestHandler> {
    private let loop: UInt32
    private let limits: HTTPLimits
    private let metrics: HTTPMetrics
    private let clock: any MonotonicClock
    private let readBuffer: UnsafeMutableRawBufferPointer
    private var pool: [RequestBuffers] = []
    private var postponed = PostponedRequests()
    private var lastSerial: UInt64 = 0
    private var date = DateLine()
    private var handler: Handler

    init(
        loop: UInt32, limits: HTTPLimits, metrics: HTTPMetrics, clock: any MonotonicClock,
        handler: Handler
    ) {
        self.loop = loop
        self.limits = limits
        self.metrics = metrics
        self.clock = clock
        self.handler = handler
        readBuffer = .allocate(byteCount: 32 * 1024, alignment: 16)
    }

    deinit { readBuffer.deallocate() }

    func setDate(_ now: Instant) { date.update(now) }

    func tick(_ now: MonotonicTime) { handler.tick(now) }
    func beginTurn() { handler.beginTurn() }
    func drain() { handler.drain() }

    func abandon(_ completion: Handler.Completion) { handler.abandoned(completion) }

    /// The transport can read or write again. False when the connection is over.
    func ready(
        _ connection: Connection, readable: Bool, writable: Bool, _ now: MonotonicTime
    ) -> Bool {
        if connection.state.writeIsBlocked, connection.writeWantsRead ? readable : writable {
            connection.state.writable()
            connection.writeWantsRead = false
        }
        if connection.readWantsWrite ? writable : readable, connection.state.readRoom > 0 {
            connection.readWantsWrite = false
            guard read(connection) else { return false }
        }
        return drive(connection, now)
    }

    /// The answer of another thread. False when the connection is over.
    func complete(
        _ completion: Handler.Completion, _ ticket: Ticket, _ connection: Connection,
        _ now: MonotonicTime
    ) -> Bool {
        guard connection.parkedSerial == ticket.generation else {
            handler.abandoned(completion)
            return true
        }
        guard let response = handler.complete(completion, ticket) else { return true }
        connection.parkedSerial = 0
        answer(connection, response)
        return drive(connection, now)
    }

    /// Whether there are requests to be offered again.
    var hasPostponed: Bool { !postponed.isEmpty }

    /// Offers the oldest postponed request again and drives its connection on; whether that is
    /// still alive. Nil when there is none, or the handler has postponed it again: then its turn is
    /// the next.
    func offerPostponed(_ now: MonotonicTime) -> (connection: Connection, alive: Bool)? {
        guard let connection = postponed.first() else { return nil }
        connection.state.offerAgain()
        guard handle(connection) else { return nil }
        postponed.removeFirst()
        return (connection, drive(connection, now))
    }

    /// Carries the connection as far as it goes without waiting. False when it is over and has
    /// been closed.
    func drive(_ connection: Connection, _ now: MonotonicTime) -> Bool {
        while true {
            switch connection.state.next(now) {
            case .admit: admit(connection, now)
            case .handle:
                connection.requestBegan = clock.now()
                guard handle(connection) else {
                    metrics.postponed.add()
                    postponed.append(connection)
                    continue
                }
            case .refuse(let refusal): refuse(connection, refusal)
            case .write:
                guard write(connection, now) else { return false }
            case .shutdownWrite: connection.transport?.shutdownWrite()
            case .wait:
                giveBackBuffers(connection)
                return true
            case .close: return false
            case .reset:
                connection.close(reset: true)
                return false
            }
        }
    }

    /// Takes a closed connection's buffers back.
    func recycle(_ connection: Connection) {
        var buffers = RequestBuffers()
        swap(&buffers, &connection.state.buffers)
        keep(&buffers)
    }

    // MARK: Handler

    private func admit(_ connection: Connection, _ now: MonotonicTime) {
        // Taken out for the call, so that the handler reads the storage itself and not a copy.
        var buffers = RequestBuffers()
        swap(&buffers, &connection.state.buffers)
        let admission = handler.admit(buffers.head)
        swap(&buffers, &connection.state.buffers)
        connection.requestBegan = clock.now()
        connection.requestMethod = connection.state.buffers.head.method
        switch admission {
        case .read: connection.state.admitRead(now)
        case .respond(let response): answer(connection, response)
        }
    }

    /// False when the handler has postponed the request.
    private func handle(_ connection: Connection) -> Bool {
        lastSerial += 1
        let ticket = Ticket(loop: loop, slot: connection.slot, generation: lastSerial)
        var buffers = RequestBuffers()
        swap(&buffers, &connection.state.buffers)
        let result = handler.handle(buffers.head, buffers.body.span, ticket)
        swap(&buffers, &connection.state.buffers)
        switch result {
        case .respond(let response): answer(connection, response)
        case .parked:
            connection.parkedSerial = lastSerial
            connection.state.park()
        case .postponed:
            connection.state.postpone()
            return false
        }
        return true
    }

    private func refuse(_ connection: Connection, _ refusal: Refusal) {
        metrics.refused(refusal)
        connection.requestBegan = clock.now()
        let head = connection.state.completeHead
        connection.requestMethod = head?.method ?? .other
        answer(connection, handler.refusal(refusal, head))
    }

    private func answer(_ connection: Connection, _ response: Response) {
        let now = clock.now()
        metrics.latency.observe(
            Int(now.nanoseconds - connection.requestBegan.nanoseconds))
        metrics.answered(connection.requestMethod, status: response.status)
        connection.state.answer(response, date: date.bytes, now)
    }

    // MARK: Bytes

    private func read(_ connection: Connection) -> Bool {
        guard let transport = connection.transport else { return false }
        let room = min(connection.state.readRoom, readBuffer.count)
        switch transport.read(into: UnsafeMutableRawBufferPointer(rebasing: readBuffer[0..<room])) {
        case .bytes(let count):
            metrics.received.add(count)
            if connection.state.isEmpty, connection.state.buffers.input.capacity == 0,
                var buffers = pool.popLast()
            {
                swap(&buffers, &connection.state.buffers)
            }
            connection.state.receive(
                UnsafeBufferPointer(
                    rebasing: readBuffer.assumingMemoryBound(to: UInt8.self)[0..<count]))
        case .wouldBlock(.readable): break
        case .wouldBlock(.writable): connection.readWantsWrite = true
        case .ended: connection.state.receiveEnd()
        case .failed: return false
        }
        return true
    }

    private func write(_ connection: Connection, _ now: MonotonicTime) -> Bool {
        guard let transport = connection.transport else { return false }
        let offset = connection.state.outputOffset
        let gathered = connection.state.buffers.output.count
        let result =
            offset < gathered
            ? Self.write(connection.state.buffers.output, from: offset, to: transport)
            : Self.write(connection.state.buffers.tail, from: offset - gathered, to: transport)
        switch result {
        case .bytes(let count):
            metrics.sent.add(count)
            connection.state.wrote(count)
        case .wouldBlock(let readiness):
            connection.writeWantsRead = readiness == .readable
            connection.state.writeBlocked(now)
        case .ended, .failed: return false
        }
        return true
    }

    private static func write(
        _ bytes: borrowing [UInt8], from offset: Int, to transport: Transport
    ) -> TransferResult {
        bytes.withUnsafeBytes {
            transport.write(UnsafeRawBufferPointer(rebasing: $0[offset...]))
        }
    }

    // MARK: Buffers

    private func giveBackBuffers(_ connection: Connection) {
        guard connection.state.isEmpty else { return }
        var buffers = RequestBuffers()
        swap(&buffers, &connection.state.buffers)
        keep(&buffers)
    }

    private func keep(_ buffers: inout RequestBuffers) {
        guard buffers.input.capacity > 0, pool.count < limits.pooledBuffers,
            buffers.capacity <= limits.pooledBufferBytes
        else { return }
        buffers.input.removeAll(keepingCapacity: true)
        buffers.head.reset()
        buffers.body.removeAll(keepingCapacity: true)
        buffers.output.removeAll(keepingCapacity: true)
        buffers.tail = []
        pool.append(buffers)
    }
}

/// Confined to its loop's thread.
@available(*, unavailable)
extension ConnectionDriver: Sendable {}
