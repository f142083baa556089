import Platform
import Testing

@testable import HTTPServer

@Suite("Bodies that are too long to be copied") struct LongBodyTests {
    private static let body = Array("0123456789a".utf8)

    private static func bench() -> StateBench {
        var limits = HTTPLimits()
        limits.gatheredOutputBytes = 10
        return StateBench(limits)
    }

    @Test("One is sent after its head from where it is, and nothing is gathered behind it")
    func shared() {
        let bench = Self.bench()
        bench.receive(ConnectionStateTests.get + ConnectionStateTests.get)
        #expect(bench.reachHandler())
        bench.answer(Response(status: 200, body: Self.body))
        #expect(bench.next() == .write)
        let head = "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 11\r\n\r\n"
        #expect(bench.state.buffers.output == Array(head.utf8))
        #expect(bench.state.buffers.tail == Self.body)
        #expect(bench.state.pendingOutput == head.utf8.count + 11)
        bench.state.wrote(head.utf8.count + 4)
        #expect(bench.state.outputOffset == head.utf8.count + 4)
        #expect(bench.next() == .write)
        bench.state.writeBlocked(bench.now)
        #expect(bench.next() == .wait)
        bench.state.writable()
        #expect(bench.next() == .write)
        bench.state.wrote(7)
        #expect(bench.state.buffers.tail.isEmpty)
        #expect(bench.next() == .admit)
    }

    @Test("A shorter one is copied; where none is sent, or not all of it, none is kept")
    func others() {
        for (request, response, sent) in [
            ("GET", Response(status: 200, body: Self.body.dropLast()), "\r\n\r\n0123456789"),
            ("HEAD", Response(status: 200, body: Self.body), "Content-Length: 11\r\n\r\n"),
            ("GET", Response(status: 304, body: Self.body), "Date: now\r\n\r\n"),
        ] {
            let bench = Self.bench()
            bench.receive("\(request) / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(bench.reachHandler())
            bench.answer(response)
            #expect(bench.state.buffers.tail.isEmpty)
            #expect(bench.sent().hasSuffix(sent))
            #expect(bench.next() == .wait)
        }
        let bench = Self.bench()
        bench.receive(ConnectionStateTests.get)
        #expect(bench.reachHandler())
        var cut = Response(status: 200, body: Self.body)
        cut.delivery = .truncate(bytes: 69 + 5)
        bench.answer(cut)
        #expect(bench.state.buffers.tail.isEmpty)
        #expect(bench.sent().hasSuffix("\r\n\r\n01234"))
    }

    @Test("The last one goes out whole before the connection ends")
    func last() {
        let bench = Self.bench()
        bench.receive("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(bench.reachHandler())
        bench.answer(Response(status: 200, body: Self.body))
        #expect(bench.next() == .write)
        bench.state.wrote(bench.state.pendingOutput - 1)
        #expect(bench.next() == .write)
        bench.state.wrote(1)
        #expect(bench.next() == .shutdownWrite)
    }

    @Test("However the transport takes it, all arrives once and in order", arguments: 1..<80)
    func writes(size: Int) {
        let limits = HTTPLimits()
        let shared = EchoHandler.Shared(bigBytes: 20_000)
        let driver = ConnectionDriver(
            loop: 0, limits: limits, metrics: HTTPMetrics(MetricsRegistry(), server: "test"),
            clock: FixedMonotonicClock(), handler: EchoHandler(shared: shared))
        let connection = Connection(slot: 0, limits: limits)
        let transport = ScriptedTransport()
        let now = FixedMonotonicClock().now()
        connection.open(.other(transport), limits: limits, now: now)
        transport.writes = [.bytes(size), .wouldBlock(.writable), .bytes(size), .bytes(size)]
        transport.reads = [
            .text("GET /big HTTP/1.1\r\nHost: x\r\n\r\nGET /echo HTTP/1.1\r\nHost: x\r\n\r\n")
        ]
        #expect(driver.ready(connection, readable: true, writable: false, now))
        // Head and body are two writes.
        #expect(transport.written.count == min(size, 42))
        #expect(driver.ready(connection, readable: false, writable: true, now))
        let text = transport.text
        #expect(
            text.hasPrefix(
                "HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n"
                    + String(repeating: "x", count: 20_000)
                    + "HTTP/1.1 200 OK\r\n"))
        #expect(text.hasSuffix("GET /echo "))
        #expect(connection.state.buffers.capacity == 0)
    }
}
