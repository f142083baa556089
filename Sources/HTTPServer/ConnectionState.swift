import Platform

/// The storage one request needs. Lent to a connection while it has something to do, so that an
/// idle one holds none.
struct RequestBuffers {
    var input: [UInt8] = []
    var head = RequestHead()
    var body: [UInt8] = []
    var output: [UInt8] = []
    /// A long body that follows `output`: not a copy, but the handler's own array.
    var tail: [UInt8] = []

    var capacity: Int {
        max(input.capacity, max(head.bytes.capacity, max(body.capacity, output.capacity)))
    }
}

/// One connection as a state machine without I/O: told what happened and what time it is, asked by
/// `next` what to do. Requests are answered in order, one at a time.
struct ConnectionState {
    enum Action: Equatable {
        /// Ask the handler about the head, then call `admitRead` or `answer`.
        case admit
        /// Give the handler the whole request, then call `answer`, `park` or `postpone`.
        case handle
        /// Have the handler render a refusal, then call `answer`.
        case refuse(Refusal)
        /// Send what `output` holds, then call `wrote` or `writeBlocked`.
        case write
        /// Nothing until the next event.
        case wait
        /// Tell the client that no more will come, then go on reading for a while.
        case shutdownWrite
        case close
        /// Close in a way that tells the client that it went wrong (RST).
        case reset
    }

    enum Phase: Equatable {
        /// No byte of a request has come.
        case idle
        case head
        case admission
        case body
        case whole
        case parked
        case postponed
        case refusing(Refusal)
        /// The last answer is on its way.
        case closing(lingers: Bool)
        case lingering
        case closed
        case reset
    }

    let limits: HTTPLimits
    private(set) var phase = Phase.idle
    var buffers = RequestBuffers()
    /// When `deadlineReached` is due, unless a write is blocked.
    private var phaseDeadline: MonotonicTime
    private var writeDeadline = MonotonicTime.distantFuture
    private var responseDeadline = MonotonicTime.distantFuture
    private(set) var writeIsBlocked = false
    private(set) var peerHasClosed = false
    /// No request follows the one at hand.
    private(set) var isDraining = false

    private var parser = HeadParser()
    private(set) var framing = MessageFraming()
    private var chunks = ChunkedDecoder()
    private var headIsComplete = false
    private var inputStart = 0
    private var outputStart = 0
    private var lingeredBytes = 0

    init(limits: HTTPLimits, now: MonotonicTime) {
        self.limits = limits
        phaseDeadline = now.advanced(milliseconds: limits.firstByteMilliseconds)
    }

    // MARK: What the shell asks

    var pendingInput: Int { buffers.input.count - inputStart }
    var pendingOutput: Int { buffers.output.count + buffers.tail.count - outputStart }
    /// Where in `buffers.output`, continued by `buffers.tail`, the bytes to send begin.
    var outputOffset: Int { outputStart }

    /// The head for a refusal, if it was read whole.
    var completeHead: RequestHead? { headIsComplete ? buffers.head : nil }

    /// How many bytes may be read now; 0 means: leave the socket alone.
    var readRoom: Int {
        if peerHasClosed { return 0 }
        switch phase {
        case .closing, .closed, .reset: return 0
        case .lingering: return limits.lingerBytes
        default:
            let bound = max(limits.pipelinedInputBytes, limits.headBytes)
            return max(0, bound - pendingInput)
        }
    }

    /// When `deadlineReached` must be called.
    var deadline: MonotonicTime {
        writeIsBlocked ? min(writeDeadline, responseDeadline) : phaseDeadline
    }

    /// Nothing is stored: the buffers can be taken away.
    var isEmpty: Bool {
        phase == .idle && buffers.input.isEmpty && buffers.output.isEmpty
    }

    // MARK: What happened

    mutating func receive(_ bytes: UnsafeBufferPointer<UInt8>) {
        switch phase {
        case .lingering: lingeredBytes += bytes.count
        case .closing, .closed, .reset: break
        default: buffers.input.append(contentsOf: bytes)
        }
    }

    /// The client sends no more; it may still read.
    mutating func receiveEnd() { peerHasClosed = true }

    mutating func wrote(_ count: Int) {
        outputStart += count
        writeIsBlocked = false
        if pendingOutput == 0 {
            buffers.output.removeAll(keepingCapacity: true)
            buffers.tail = []
            outputStart = 0
            responseDeadline = .distantFuture
        }
    }

    /// The socket takes nothing more now.
    mutating func writeBlocked(_ now: MonotonicTime) {
        writeIsBlocked = true
        writeDeadline = now.advanced(milliseconds: limits.writeStallMilliseconds)
        if responseDeadline == .distantFuture {
            responseDeadline = now.advanced(milliseconds: limits.responseMilliseconds)
        }
    }

    /// The socket may take more.
    mutating func writable() { writeIsBlocked = false }

    /// From now on every answer is the connection's last.
    mutating func drain() { isDraining = true }

    /// The listener is gone: a connection without a byte of a request has little time left.
    mutating func drainIdle(_ now: MonotonicTime) {
        isDraining = true
        guard phase == .idle else { return }
        phaseDeadline = min(
            phaseDeadline, now.advanced(milliseconds: limits.drainIdleMilliseconds))
    }

    /// `deadline` has passed.
    mutating func deadlineReached() {
        if writeIsBlocked {
            phase = .reset
            return
        }
        switch phase {
        case .idle, .lingering: phase = .closed
        case .head: phase = .refusing(.headTimeout)
        case .body: phase = .refusing(.bodyTimeout)
        default: break
        }
    }

    /// The handler wants the body.
    mutating func admitRead(_ now: MonotonicTime) {
        switch framing.body {
        case .none, .length(0): phase = .whole
        case .length(let count) where count > limits.bodyBytes: phase = .refusing(.bodyTooLarge)
        case .length, .chunked:
            phase = .body
            phaseDeadline = now.advanced(milliseconds: limits.bodyMilliseconds)
            if framing.expectsContinue, pendingInput == 0 {
                buffers.output.append(text: ResponseSerializer.continue)
            }
        }
    }

    /// The handler will answer later.
    mutating func park() {
        phase = .parked
        phaseDeadline = .distantFuture
    }

    /// The handler wants to be asked again at a later turn.
    mutating func postpone() {
        phase = .postponed
        phaseDeadline = .distantFuture
    }

    /// That turn has come for the postponed request.
    mutating func offerAgain() {
        precondition(phase == .postponed, "no request was postponed")
        phase = .whole
    }

    /// The answer to the request at hand, or to a refusal.
    mutating func answer(_ response: Response, date: [UInt8], _ now: MonotonicTime) {
        var isLast = isDraining || !framing.isPersistent || response.delivery != .send
        var lingers = true
        switch phase {
        case .admission: if !skipBody() { isLast = true }
        case .whole, .parked: break
        default: isLast = true
        }
        if response.delivery == .reset {
            phase = .reset
            return
        }
        let isHTTP10 = headIsComplete && buffers.head.version == .http10
        let before = buffers.output.count
        let hasBody =
            ResponseSerializer.mayHaveBody(response.status)
            && !(headIsComplete && buffers.head.method == .head)
        let isWhole = response.delivery == .send || response.delivery == .close
        let isLong = hasBody && isWhole && response.body.count > limits.gatheredOutputBytes
        ResponseSerializer.append(
            response, date: date,
            connection: isLast ? .close : isHTTP10 ? .keepAlive : .silent,
            withBody: hasBody && !isLong, to: &buffers.output)
        if isLong {
            precondition(buffers.tail.isEmpty, "an answer behind one that is not sent")
            buffers.tail = response.body
        }
        if case .truncate(let bytes) = response.delivery {
            let kept = min(max(bytes, 0), buffers.output.count - before)
            buffers.output.removeLast(buffers.output.count - before - kept)
            lingers = false
        }
        if isLast {
            phase = .closing(lingers: lingers)
            buffers.input.removeAll(keepingCapacity: true)
            inputStart = 0
            phaseDeadline = .distantFuture
        } else {
            beginNext(now)
        }
    }

    // MARK: What to do

    mutating func next(_ now: MonotonicTime) -> Action {
        if writeIsBlocked { return phase == .reset ? .reset : phase == .closed ? .close : .wait }
        switch phase {
        case .idle, .head: return readHead(now)
        case .admission: return .admit
        case .body: return readBody()
        case .whole: return .handle
        case .refusing(let refusal): return .refuse(refusal)
        case .parked, .postponed: return pendingOutput > 0 ? .write : .wait
        case .closing(let lingers):
            if pendingOutput > 0 { return .write }
            if peerHasClosed || !lingers { return .close }
            phase = .lingering
            phaseDeadline = now.advanced(milliseconds: limits.lingerMilliseconds)
            return .shutdownWrite
        case .lingering:
            return peerHasClosed || lingeredBytes > limits.lingerBytes ? .close : .wait
        case .closed: return .close
        case .reset: return .reset
        }
    }

    private mutating func readHead(_ now: MonotonicTime) -> Action {
        if pendingOutput >= limits.gatheredOutputBytes || !buffers.tail.isEmpty { return .write }
        guard pendingInput > 0 else { return waitForInput() }
        if phase == .idle {
            phase = .head
            phaseDeadline = now.advanced(milliseconds: limits.headMilliseconds)
        }
        switch parseHead() {
        case .needsMore: return waitForInput()
        case .refused(let refusal): return refuse(refusal)
        case .complete(let end):
            headIsComplete = true
            consume(end)
            do {
                framing = try MessageFraming(buffers.head)
            } catch {
                return refuse(error)
            }
            phase = .admission
            return .admit
        }
    }

    private mutating func readBody() -> Action {
        switch framing.body {
        case .none: break
        case .length(let count):
            let taken = min(count - buffers.body.count, pendingInput)
            buffers.body.append(contentsOf: buffers.input[inputStart..<inputStart + taken])
            consume(taken)
            if buffers.body.count < count { return waitForInput() }
        case .chunked:
            switch decodeChunks() {
            case .needsMore: return waitForInput()
            case .refused(let refusal): return refuse(refusal)
            case .complete: break
            }
        }
        phase = .whole
        return .handle
    }

    private mutating func parseHead() -> HeadParser.Progress {
        // Out of `self` for the call: a span of it would bar changing the rest.
        var input: [UInt8] = []
        swap(&input, &buffers.input)
        let progress = parser.parse(
            input.span.extracting(inputStart..<input.count), into: &buffers.head, limits)
        swap(&input, &buffers.input)
        return progress
    }

    private mutating func decodeChunks() -> ChunkedDecoder.Progress {
        var input: [UInt8] = []
        swap(&input, &buffers.input)
        let (consumed, progress) = chunks.decode(
            input.span.extracting(inputStart..<input.count), into: &buffers.body, limits)
        swap(&input, &buffers.input)
        consume(consumed)
        return progress
    }

    private mutating func waitForInput() -> Action {
        if pendingOutput > 0 { return .write }
        guard peerHasClosed else { return .wait }
        phase = .closed
        return .close
    }

    private mutating func refuse(_ refusal: Refusal) -> Action {
        phase = .refusing(refusal)
        return .refuse(refusal)
    }

    /// Passes over a body that has arrived whole; false if it has not.
    private mutating func skipBody() -> Bool {
        switch framing.body {
        case .none: return true
        case .length(let count):
            guard count <= pendingInput else { return false }
            consume(count)
            return true
        case .chunked: return false
        }
    }

    private mutating func consume(_ count: Int) {
        inputStart += count
        if inputStart == buffers.input.count {
            buffers.input.removeAll(keepingCapacity: true)
            inputStart = 0
        } else if inputStart > limits.pipelinedInputBytes {
            buffers.input.removeSubrange(0..<inputStart)
            inputStart = 0
        }
    }

    private mutating func beginNext(_ now: MonotonicTime) {
        phase = .idle
        phaseDeadline = now.advanced(milliseconds: limits.idleMilliseconds)
        parser = HeadParser()
        framing = MessageFraming()
        chunks = ChunkedDecoder()
        headIsComplete = false
        buffers.head.reset()
        buffers.body.removeAll(keepingCapacity: true)
    }
}
