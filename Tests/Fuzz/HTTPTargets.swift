import Platform

@testable import HTTPServer

/// Small enough that a short input reaches them.
private let limits: HTTPLimits = {
    var limits = HTTPLimits()
    limits.headBytes = 600
    limits.headFieldLines = 8
    limits.requestTargetBytes = 100
    limits.bodyBytes = 200
    limits.chunkExtensionBytes = 20
    limits.trailerBytes = 60
    limits.pipelinedInputBytes = 700
    return limits
}()

/// A request as the handler would see it.
private struct Seen: Equatable {
    var method: [UInt8] = []
    var path: [UInt8] = []
    var query: [UInt8]?
    var version = HTTPVersion.http11
    var fields: [[UInt8]] = []
    var body: [UInt8] = []
    var framing = MessageFraming()

    init(_ head: borrowing RequestHead, body: [UInt8] = []) throws(Refusal) {
        method = copied(head.methodName)
        path = copied(head.path)
        if let query = head.query { self.query = copied(query) }
        version = head.version
        for index in 0..<head.fieldCount {
            fields.append(copied(head.name(at: index)))
            fields.append(copied(head.value(at: index)))
        }
        self.body = body
        framing = try MessageFraming(copy head)
    }

    /// The head in its plainest spelling.
    var headBytes: [UInt8] {
        var bytes = method + [0x20] + path
        if let query { bytes += [0x3F] + query }
        bytes += Array(version == .http11 ? " HTTP/1.1\r\n".utf8 : " HTTP/1.0\r\n".utf8)
        for index in stride(from: 0, to: fields.count, by: 2) {
            bytes += fields[index] + [0x3A, 0x20] + fields[index + 1] + [0x0D, 0x0A]
        }
        return bytes + [0x0D, 0x0A]
    }
}

private func copied(_ span: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in span.indices { bytes.append(span[index]) }
    return bytes
}

private func text(_ text: String) -> [UInt8] { Array(text.utf8) }

/// A stream's requests, and the refusal that ended it.
private struct Reading: Equatable {
    var requests: [Seen] = []
    var refusal: Refusal?

    /// A head that is both too long and malformed is refused by what is seen first, and that
    /// depends on how it arrives.
    var refusalIsOfLength: Bool {
        switch refusal {
        case .targetTooLong, .headTooLarge: true
        default: false
        }
    }
}

/// Feeds `pieces` to a connection and answers everything at once.
private func read(_ pieces: [ArraySlice<UInt8>]) -> Reading {
    var reading = Reading()
    let now = MonotonicTime(nanoseconds: 1_000_000_000)
    let date = text("Date: now\r\n")
    var state = ConnectionState(limits: limits, now: now)
    for piece in pieces {
        piece.withUnsafeBufferPointer { state.receive($0) }
        var steps = 0
        carrying: while true {
            steps += 1
            require(steps < 10_000, "the connection does not come to rest")
            switch state.next(now) {
            case .admit: state.admitRead(now)
            case .handle:
                require(state.buffers.body.count <= limits.bodyBytes, "a body beyond the limit")
                do throws(Refusal) {
                    reading.requests.append(
                        try Seen(state.buffers.head, body: state.buffers.body))
                } catch { fail("a handled request is refused: \(error)") }
                state.answer(Response(status: 200, body: text("ok")), date: date, now)
            case .refuse(let refusal):
                require(reading.refusal == nil, "refused twice")
                reading.refusal = refusal
                state.answer(Response(status: refusal.status), date: date, now)
            case .write: state.wrote(state.pendingOutput)
            case .shutdownWrite, .close, .reset: return reading
            case .wait: break carrying
            }
        }
    }
    return reading
}

/// First byte: how the rest, a stream of requests, is cut up.
func fuzzConnection(_ input: [UInt8]) {
    guard let seed = input.first else { return }
    let stream = input.dropFirst()
    let whole = read([stream])
    var choices = Choices(seed)
    for pieces in [singles(stream), choices.pieces(of: stream), choices.pieces(of: stream)] {
        let cut = read(pieces)
        require(cut.requests == whole.requests, "cuts change the requests of \(shown(stream))")
        require(
            cut.refusal == whole.refusal
                || cut.refusal != nil && whole.refusal != nil
                    && (cut.refusalIsOfLength || whole.refusalIsOfLength),
            "cuts change \(whole.refusal as Any) to \(cut.refusal as Any) of \(shown(stream))")
    }
    for request in whole.requests {
        require(request.fields.count <= 2 * limits.headFieldLines, "too many fields")
        require(request.path.first == 0x2F || request.path == [0x2A], "a path without a slash")
        do throws(Refusal) {
            let again = try Seen(RequestHead(request.headBytes), body: request.body)
            require(again == request, "\(shown(request.headBytes)) reads differently")
        } catch { fail("\(shown(request.headBytes)) was accepted and is refused: \(error)") }
    }
}

/// What chunked bytes decode to.
private struct Decoded: Equatable {
    var body: [UInt8] = []
    var consumed = 0
    var progress = ChunkedDecoder.Progress.needsMore
}

private func decode(_ pieces: [ArraySlice<UInt8>]) -> Decoded {
    var decoder = ChunkedDecoder()
    var decoded = Decoded()
    for piece in pieces where decoded.progress == .needsMore {
        let bytes = Array(piece)
        let (consumed, progress) = decoder.decode(bytes.span, into: &decoded.body, limits)
        require(
            progress != .needsMore || consumed == bytes.count, "bytes are left without a verdict")
        decoded.consumed += consumed
        decoded.progress = progress
    }
    return decoded
}

/// First byte: how the rest, a chunked body, is cut up.
func fuzzChunks(_ input: [UInt8]) {
    guard let seed = input.first else { return }
    let stream = input.dropFirst()
    let whole = decode([stream])
    var choices = Choices(seed)
    require(decode(singles(stream)) == whole, "single bytes decode differently: \(shown(stream))")
    require(
        decode(choices.pieces(of: stream)) == whole, "pieces decode differently: \(shown(stream))")
    require(whole.body.count <= limits.bodyBytes, "a body beyond the limit")
    let expected = decodedByLines(Array(stream))
    switch whole.progress {
    case .refused: return
    case .needsMore: return require(expected == nil, "\(shown(stream)) is complete")
    case .complete: break
    }
    require(
        expected?.body == whole.body && expected?.count == whole.consumed,
        "\(shown(stream)) is no chunked body, or another one")
    // The same body in chunks of another size.
    var encoded: [UInt8] = []
    var rest = whole.body[...]
    while !rest.isEmpty {
        let chunk = rest.prefix(1 + choices.next(below: 40))
        encoded += text(String(chunk.count, radix: 16) + "\r\n") + chunk + text("\r\n")
        rest = rest.dropFirst(chunk.count)
    }
    encoded += text("0\r\n\r\n")
    let again = decode([encoded[...]])
    require(
        again.progress == .complete && again.body == whole.body && again.consumed == encoded.count,
        "\(shown(whole.body)) does not survive its coding")
}

/// The chunked coding read again line by line, without limits; nil if it is faulty or goes on.
private func decodedByLines(_ stream: [UInt8]) -> (body: [UInt8], count: Int)? {
    var body: [UInt8] = []
    var index = 0
    func line() -> ArraySlice<UInt8>? {
        guard let feed = stream[index...].firstIndex(of: 0x0A), feed > index,
            stream[feed - 1] == 0x0D
        else { return nil }
        defer { index = feed + 1 }
        return stream[index..<feed - 1]
    }
    while true {
        guard let line = line() else { return nil }
        let digits = line.prefix { $0 != 0x3B }
        guard digits.allSatisfy({ ByteClass.hexadecimal($0) != nil }),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        if size == 0 { break }
        guard size <= stream.count - index - 2 else { return nil }
        body += stream[index..<index + size]
        index += size
        guard stream[index..<index + 2] == [0x0D, 0x0A] else { return nil }
        index += 2
    }
    while let trailer = line() {
        if trailer.isEmpty { return (body, index) }
        guard let colon = trailer.firstIndex(of: 0x3A), colon > trailer.startIndex else {
            return nil
        }
    }
    return nil
}

/// Requests that the inputs of `events` are made of.
private let requests: [[UInt8]] = [
    "GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n",
    "\r\nHEAD /a HTTP/1.1\r\nHost: x\r\nConnection: x, y\r\n\r\n",
    "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
    "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2;e\r\nhe\r\n0\r\nT: v\r\n\r\n",
    "PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n!",
    "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 201\r\n\r\n",
    "GET /\0",
].map(text)

/// Each byte is something that happens to a connection: the upper three bits say what, the lower
/// five how much.
func fuzzEvents(_ input: [UInt8]) {
    var bench = EventBench()
    for byte in input where !bench.isOver { bench.happens(Int(byte >> 5), Int(byte & 31)) }
}

/// A connection whose requests and answers are counted.
private struct EventBench {
    private var now = MonotonicTime(nanoseconds: 1_000_000_000)
    private var state: ConnectionState
    private var handled = 0
    private var answered = 0
    private var isParked = false
    private var amount = 0
    private(set) var isOver = false

    init() { state = ConnectionState(limits: limits, now: now) }

    mutating func happens(_ event: Int, _ amount: Int) {
        self.amount = amount
        switch event {
        case 0, 1:
            let request = requests[amount % requests.count]
            let bytes = event == 0 ? request[...] : request.prefix(1 + amount * 2)
            if state.readRoom >= bytes.count {
                bytes.withUnsafeBufferPointer { state.receive($0) }
            }
        case 2:
            if isParked { answer(Response(status: 200, body: text("late"))) }
            if state.phase == .postponed { state.offerAgain() }
        case 3: if state.writeIsBlocked { state.writable() }
        case 4:
            now = now.advanced(milliseconds: Int64(amount * amount * 100))
            if state.deadline <= now { state.deadlineReached() }
        case 5: amount == 0 ? state.receiveEnd() : amount == 1 ? state.drainIdle(now) : ()
        default: break
        }
        carry(event)
        require(handled - answered == (isParked ? 1 : 0), "a request without its one answer")
        require(
            isOver || isParked || state.phase == .postponed || state.writeIsBlocked
                || state.deadline != .distantFuture,
            "nothing will ever end this connection: \(state.phase)")
    }

    private mutating func answer(_ response: Response) {
        isParked = false
        answered += 1
        var response = response
        if amount == 31 { response.delivery = .truncate(bytes: amount) }
        if amount == 30 { response.delivery = .reset }
        if amount == 29 { response.delivery = .close }
        state.answer(response, date: text("Date: now\r\n"), now)
    }

    private mutating func carry(_ event: Int) {
        for _ in 0..<2000 {
            switch state.next(now) {
            case .admit:
                if amount % 4 == 3 {
                    handled += 1
                    answer(Response(status: 404))
                } else {
                    state.admitRead(now)
                }
            case .handle:
                require(!isParked, "a second request while one is parked")
                if amount % 8 == 5 {
                    state.postpone()
                    continue
                }
                handled += 1
                if amount % 2 == 0 {
                    answer(Response(status: 200, body: text("now")))
                } else {
                    isParked = true
                    state.park()
                }
            case .refuse(let refusal):
                require(!isParked, "a refusal while a request is parked")
                handled += 1
                answer(Response(status: refusal.status))
            case .write:
                require(state.pendingOutput > 0, "nothing to write")
                if event == 7, amount > 0 {
                    amount -= 1
                    state.writeBlocked(now)
                } else {
                    state.wrote(event == 6 ? 1 : state.pendingOutput)
                }
            case .shutdownWrite: continue
            case .wait: return
            case .close, .reset:
                isOver = true
                return
            }
        }
        fail("the connection does not come to rest")
    }
}
