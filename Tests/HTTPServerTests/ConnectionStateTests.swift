import Platform
import Testing

@testable import HTTPServer

/// A connection's state machine under a clock that the test moves.
final class StateBench {
    var state: ConnectionState
    var now = MonotonicTime(nanoseconds: 1_000_000_000)
    static let date = Array("Date: now\r\n".utf8)

    init(_ limits: HTTPLimits = HTTPLimits()) {
        state = ConnectionState(limits: limits, now: now)
    }

    func receive(_ text: String) {
        Array(text.utf8).withUnsafeBufferPointer { state.receive($0) }
    }

    func next() -> ConnectionState.Action { state.next(now) }

    func answer(_ response: Response) { state.answer(response, date: Self.date, now) }
    func answer(_ body: String) { answer(Response(status: 200, body: Array(body.utf8))) }

    func advance(milliseconds: Int64) { now = now.advanced(milliseconds: milliseconds) }

    /// Milliseconds from now to the deadline; nil without one.
    var remaining: Int64? {
        state.deadline == .distantFuture ? nil : now.milliseconds(until: state.deadline)
    }

    /// What is to be sent, taken as sent.
    func sent() -> String {
        let text = String(
            decoding: state.buffers.output[state.outputOffset...], as: UTF8.self)
        state.wrote(state.pendingOutput)
        return text
    }

    /// Passes admission and hands the request over; false if it does not come to that.
    func reachHandler() -> Bool {
        guard next() == .admit else { return false }
        state.admitRead(now)
        return next() == .handle
    }
}

@Suite struct ConnectionStateTests {
    static let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test("A request is admitted, handled, answered, written, and the next one awaited")
    func simple() {
        let bench = StateBench()
        #expect(bench.next() == .wait)
        bench.receive(Self.get)
        #expect(bench.next() == .admit)
        bench.state.admitRead(bench.now)
        #expect(bench.next() == .handle)
        bench.answer("hi")
        #expect(bench.next() == .write)
        #expect(bench.sent() == "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 2\r\n\r\nhi")
        #expect(bench.next() == .wait)
        #expect(bench.state.isEmpty)
    }

    @Test("Pipelined requests are answered in order with one write")
    func pipelined() {
        let bench = StateBench()
        bench.receive(Self.get + Self.get)
        #expect(bench.reachHandler())
        bench.answer("1")
        #expect(bench.reachHandler())
        bench.answer("2")
        #expect(bench.next() == .write)
        let text = bench.sent()
        #expect(text.hasSuffix("1HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 1\r\n\r\n2"))
        #expect(bench.next() == .wait)
    }

    @Test("While one request is parked the next one is not looked at")
    func parked() {
        let bench = StateBench()
        bench.receive(Self.get)
        #expect(bench.reachHandler())
        bench.state.park()
        bench.receive(Self.get)
        #expect(bench.next() == .wait)
        #expect(bench.remaining == nil)
        bench.answer("1")
        #expect(bench.reachHandler())
        bench.state.park()
        // The first answer does not wait for the second.
        #expect(bench.next() == .write)
    }

    @Test("While one request is parked later bytes are read only up to a bound")
    func pipelineBound() {
        var limits = HTTPLimits()
        limits.pipelinedInputBytes = 100
        limits.headBytes = 100
        let bench = StateBench(limits)
        bench.receive(Self.get)
        #expect(bench.reachHandler())
        bench.state.park()
        bench.receive(String(repeating: "x", count: 99))
        #expect(bench.state.readRoom == 1)
        bench.receive("x")
        #expect(bench.state.readRoom == 0)
    }

    @Test("A body is read whole before the handler sees the request")
    func body() {
        let bench = StateBench()
        bench.receive("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na")
        #expect(bench.next() == .admit)
        bench.state.admitRead(bench.now)
        #expect(bench.next() == .wait)
        bench.receive("bcGET")
        #expect(bench.next() == .handle)
        #expect(bench.state.buffers.body == Array("abc".utf8))
        bench.answer("")
        #expect(bench.next() == .write)
        #expect(bench.state.phase == .head)
    }

    @Test("100 Continue is sent only when the body is wanted and has not begun to arrive")
    func expectContinue() {
        let head =
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n"
        var bench = StateBench()
        bench.receive(head)
        #expect(bench.next() == .admit)
        bench.state.admitRead(bench.now)
        #expect(bench.next() == .write)
        #expect(bench.sent() == "HTTP/1.1 100 Continue\r\n\r\n")
        bench.receive("a")
        #expect(bench.next() == .handle)

        bench = StateBench()
        bench.receive(head + "a")
        #expect(bench.reachHandler())
        #expect(bench.state.pendingOutput == 0)

        bench = StateBench()
        bench.receive(head)
        #expect(bench.next() == .admit)
        bench.answer(Response(status: 415))
        #expect(bench.next() == .write)
        #expect(bench.sent().hasPrefix("HTTP/1.1 415 "))
        #expect(bench.next() == .shutdownWrite)
    }

    @Test("An early answer keeps the connection only if the body has arrived whole")
    func earlyAnswer() {
        for (sent, lives) in [("abc", true), ("ab", false), ("", false)] {
            let bench = StateBench()
            bench.receive("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n" + sent)
            #expect(bench.next() == .admit)
            bench.answer(Response(status: 404))
            #expect(bench.next() == .write)
            #expect(bench.sent().contains("Connection: close") == !lives)
            #expect(bench.next() == (lives ? .wait : .shutdownWrite))
        }
    }

    @Test("A body longer than the limit is refused after admission, without reading it")
    func tooLarge() {
        let bench = StateBench()
        bench.receive("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 16385\r\n\r\n")
        #expect(bench.next() == .admit)
        bench.state.admitRead(bench.now)
        #expect(bench.next() == .refuse(.bodyTooLarge))
    }

    @Test("HEAD gets the length of the body that it does not get")
    func head() {
        let bench = StateBench()
        bench.receive("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(bench.reachHandler())
        bench.answer("hello")
        #expect(bench.sent() == "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 5\r\n\r\n")
    }

    @Test("204 and 304 carry neither a body nor its length", arguments: [204, 304])
    func bodiless(_ status: Int) {
        let bench = StateBench()
        bench.receive(Self.get)
        #expect(bench.reachHandler())
        bench.answer(Response(status: status, body: [1]))
        let text = bench.sent()
        #expect(text.hasSuffix("\r\nDate: now\r\n\r\n"))
    }

    @Test(
        "HTTP/1.0 closes unless asked to stay",
        arguments: [
            ("GET / HTTP/1.0\r\n\r\n", "Connection: close", false),
            ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "Connection: keep-alive", true),
            ("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "Connection: close", false),
        ])
    func persistence(_ request: String, _ line: String, _ lives: Bool) {
        let bench = StateBench()
        bench.receive(request)
        #expect(bench.reachHandler())
        bench.answer("")
        #expect(bench.sent().contains(line))
        #expect(bench.next() == (lives ? .wait : .shutdownWrite))
    }

    @Test("A client that has shut down its side still gets its answers, then the end")
    func halfClosed() {
        let bench = StateBench()
        bench.receive(Self.get + Self.get)
        bench.state.receiveEnd()
        #expect(bench.state.readRoom == 0)
        #expect(bench.reachHandler())
        bench.state.park()
        #expect(bench.next() == .wait)
        bench.answer("1")
        #expect(bench.reachHandler())
        bench.answer("2")
        #expect(bench.next() == .write)
        #expect(bench.sent().hasSuffix("2"))
        #expect(bench.next() == .close)
    }

    @Test(
        "An end in the middle of a request is the end",
        arguments: ["", "GET", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na"])
    func endInside(_ text: String) {
        let bench = StateBench()
        bench.receive(text)
        if bench.next() == .admit { bench.state.admitRead(bench.now) }
        bench.state.receiveEnd()
        #expect(bench.next() == .close)
    }

    @Test("After a refusal the client's bytes are dropped until it ends, in bounds")
    func lingers() {
        var limits = HTTPLimits()
        limits.lingerBytes = 10
        for ends in [true, false] {
            let bench = StateBench(limits)
            bench.receive("BAD\r\n")
            #expect(bench.next() == .refuse(.malformed(.requestLine)))
            bench.answer(Response(status: 400))
            bench.receive("dropped")
            #expect(bench.next() == .write)
            #expect(bench.sent().contains("Connection: close"))
            #expect(bench.next() == .shutdownWrite)
            bench.receive("1234567890")
            #expect(bench.next() == .wait)
            #expect(bench.remaining == limits.lingerMilliseconds)
            if ends { bench.state.receiveEnd() } else { bench.receive("1") }
            #expect(bench.next() == .close)
        }
    }

    @Test("Deliveries other than send end the connection their way")
    func deliveries() {
        var response = Response(status: 200, body: Array("hello".utf8))
        for (delivery, text, last) in [
            (
                Response.Delivery.close,
                "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
                ConnectionState.Action.shutdownWrite
            ),
            (.truncate(bytes: 12), "HTTP/1.1 200", .close), (.truncate(bytes: 0), "", .close),
            (.reset, "", .reset),
        ] {
            let bench = StateBench()
            bench.receive(Self.get)
            #expect(bench.reachHandler())
            response.delivery = delivery
            bench.answer(response)
            #expect(bench.sent() == text)
            #expect(bench.next() == last)
        }
    }

    @Test("Draining makes every answer the last and gives idle connections little time")
    func drains() {
        let bench = StateBench()
        bench.state.drainIdle(bench.now)
        #expect(bench.remaining == HTTPLimits().drainIdleMilliseconds)
        bench.receive(Self.get)
        #expect(bench.reachHandler())
        bench.answer("")
        #expect(bench.sent().contains("Connection: close"))
        #expect(bench.next() == .shutdownWrite)
    }
}

@Suite struct ConnectionDeadlineTests {
    private let limits = HTTPLimits()

    @Test("A fresh connection and an idle one are closed without a word at their deadlines")
    func idle() {
        let bench = StateBench()
        #expect(bench.remaining == limits.firstByteMilliseconds)
        bench.receive(ConnectionStateTests.get)
        #expect(bench.reachHandler())
        bench.answer("")
        _ = bench.sent()
        #expect(bench.next() == .wait)
        #expect(bench.remaining == limits.idleMilliseconds)
        bench.state.deadlineReached()
        #expect(bench.next() == .close)
    }

    @Test("A head has its time from its first byte, whatever arrives later")
    func head() {
        let bench = StateBench()
        bench.receive("G")
        #expect(bench.next() == .wait)
        bench.advance(milliseconds: 4000)
        bench.receive("E")
        #expect(bench.next() == .wait)
        #expect(bench.remaining == limits.headMilliseconds - 4000)
        bench.state.deadlineReached()
        #expect(bench.next() == .refuse(.headTimeout))
    }

    @Test("A body has its time from the end of the head")
    func body() {
        let bench = StateBench()
        bench.receive("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(bench.next() == .admit)
        bench.state.admitRead(bench.now)
        bench.advance(milliseconds: 1)
        bench.receive("1\r\n")
        #expect(bench.next() == .wait)
        #expect(bench.remaining == limits.bodyMilliseconds - 1)
        bench.state.deadlineReached()
        #expect(bench.next() == .refuse(.bodyTimeout))
    }

    @Test("A client that takes nothing is reset; each byte it takes gives it time, up to a bound")
    func stalled() {
        let bench = StateBench()
        bench.receive(ConnectionStateTests.get)
        #expect(bench.reachHandler())
        bench.answer("hello")
        bench.state.writeBlocked(bench.now)
        #expect(bench.next() == .wait)
        #expect(bench.remaining == limits.writeStallMilliseconds)
        for _ in 0..<9 {
            bench.advance(milliseconds: 6000)
            bench.state.writable()
            #expect(bench.next() == .write)
            bench.state.wrote(1)
            bench.state.writeBlocked(bench.now)
        }
        #expect(bench.remaining == limits.responseMilliseconds - 9 * 6000)
        bench.state.deadlineReached()
        #expect(bench.next() == .reset)
    }

    @Test("While an answer cannot be sent no further request is begun")
    func blockedPipeline() {
        let bench = StateBench()
        bench.receive(ConnectionStateTests.get)
        #expect(bench.reachHandler())
        bench.answer("hello")
        bench.state.writeBlocked(bench.now)
        bench.receive(ConnectionStateTests.get)
        #expect(bench.next() == .wait)
        bench.state.writable()
        #expect(bench.next() == .admit)
    }

    @Test("The wheel gives an entry out at its tick, or early when it is too far away")
    func wheel() {
        let start = MonotonicTime(nanoseconds: 5)
        var wheel = Deadlines(now: start)
        var due: [Deadlines.Entry] = []
        let entry = Deadlines.Entry(slot: 1, generation: 2)
        #expect(wheel.tick(of: start) == 0)
        #expect(wheel.tick(of: start.advanced(milliseconds: 100)) == 1)
        #expect(wheel.tick(of: start.advanced(milliseconds: 101)) == 2)
        #expect(wheel.insert(entry, at: 2) == 2)
        #expect(wheel.insert(entry, at: 1 << 40) == 1023)
        #expect(wheel.takeDue(start.advanced(milliseconds: 99), into: &due) == nil)
        #expect(wheel.takeDue(start.advanced(milliseconds: 250), into: &due) == 1)
        #expect(due.isEmpty)
        #expect(wheel.takeDue(start.advanced(milliseconds: 250), into: &due) == 2)
        #expect(due == [entry])
        #expect(wheel.takeDue(start.advanced(milliseconds: 250), into: &due) == nil)
        #expect(wheel.insert(entry, at: 1) == 3)
        var given: [Int64] = []
        while let tick = wheel.takeDue(start.advanced(milliseconds: 200_000), into: &due) {
            if !due.isEmpty { given.append(tick) }
        }
        #expect(given == [3, 1023])
    }
}
