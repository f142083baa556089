import Platform
import Testing

@testable import HTTPServer

/// A transport that follows a script, and remembers what was written to it.
final class ScriptedTransport: ByteTransport {
    enum Read {
        case text(String)
        case result(TransferResult)
    }

    var reads: [Read] = []
    /// What successive writes do; `.bytes(n)` takes at most n. When it is empty all is taken.
    var writes: [TransferResult] = []
    private(set) var written: [UInt8] = []
    private(set) var events: [String] = []

    func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferResult {
        guard !reads.isEmpty else { return .wouldBlock(.readable) }
        switch reads.removeFirst() {
        case .result(let result): return result
        case .text(let text):
            let bytes = Array(text.utf8)
            precondition(bytes.count <= buffer.count)
            buffer.copyBytes(from: bytes)
            return .bytes(bytes.count)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> TransferResult {
        let result = writes.isEmpty ? .bytes(bytes.count) : writes.removeFirst()
        guard case .bytes(let most) = result else { return result }
        let count = min(most, bytes.count)
        written += bytes[..<count]
        return .bytes(count)
    }

    func shutdownWrite() { events.append("shutdown") }
    func close(reset: Bool) { events.append(reset ? "reset" : "close") }

    var text: String { String(decoding: written, as: UTF8.self) }
}

struct FixedMonotonicClock: MonotonicClock {
    func now() -> MonotonicTime { MonotonicTime(nanoseconds: 1_000_000_000) }
}

@Suite struct TransportTests {
    final class Bench {
        let shared = EchoHandler.Shared(bigBytes: 100)
        let transport = ScriptedTransport()
        let connection: Connection
        let driver: ConnectionDriver<EchoHandler>
        let now = FixedMonotonicClock().now()

        init() {
            let limits = HTTPLimits()
            connection = Connection(slot: 3, limits: limits)
            driver = ConnectionDriver(
                loop: 0, limits: limits,
                metrics: HTTPMetrics(MetricsRegistry(), server: "test"),
                clock: FixedMonotonicClock(), handler: EchoHandler(shared: shared))
            connection.open(.other(transport), limits: limits, now: now)
        }

        func readable(_ reads: ScriptedTransport.Read...) -> Bool {
            transport.reads += reads
            return driver.ready(connection, readable: true, writable: false, now)
        }

        func writable() -> Bool {
            driver.ready(connection, readable: false, writable: true, now)
        }
    }

    private static let get = "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let answer =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nGET /echo "

    @Test("Short writes continue where they stopped")
    func shortWrites() {
        let bench = Bench()
        bench.transport.writes = Array(repeating: .bytes(1), count: 20)
        #expect(bench.readable(.text(Self.get)))
        #expect(bench.transport.text == Self.answer)
    }

    @Test("A blocked write goes on when the transport can write")
    func blockedWrite() {
        let bench = Bench()
        bench.transport.writes = [.bytes(5), .wouldBlock(.writable)]
        #expect(bench.readable(.text(Self.get)))
        #expect(bench.transport.text == "HTTP/")
        #expect(bench.connection.state.writeIsBlocked)
        #expect(bench.readable())
        #expect(bench.transport.text == "HTTP/")
        #expect(bench.writable())
        #expect(bench.transport.text == Self.answer)
        #expect(!bench.connection.state.writeIsBlocked)
    }

    @Test("A write that wants reading is tried again when there is something to read")
    func writeWantsRead() {
        let bench = Bench()
        bench.transport.writes = [.wouldBlock(.readable)]
        #expect(bench.readable(.text(Self.get)))
        #expect(bench.connection.wantedEvents == 0x1)
        #expect(bench.transport.text.isEmpty)
        #expect(bench.writable())
        #expect(bench.transport.text.isEmpty)
        #expect(bench.readable())
        #expect(bench.transport.text == Self.answer)
    }

    @Test("A read that wants writing waits for that, not for bytes")
    func readWantsWrite() {
        let bench = Bench()
        #expect(bench.readable(.result(.wouldBlock(.writable))))
        #expect(bench.connection.wantedEvents == 0x4)
        bench.transport.reads = [.text(Self.get)]
        #expect(bench.writable())
        #expect(bench.transport.text == Self.answer)
        #expect(bench.connection.wantedEvents == 0x1)
    }

    @Test("A reset while reading or writing ends the connection")
    func resets() {
        let reading = Bench()
        #expect(!reading.readable(.result(.failed(code: 104))))
        let writing = Bench()
        writing.transport.writes = [.bytes(3), .failed(code: 104)]
        #expect(!writing.readable(.text(Self.get)))
    }

    @Test("An end after a whole request lets the answer out first")
    func end() {
        let bench = Bench()
        #expect(bench.readable(.text("GET /park HTTP/1.1\r\nHost: x\r\n\r\n")))
        #expect(bench.readable(.result(.ended)))
        #expect(bench.connection.wantedEvents == 0)
        let ticket = bench.shared.state.withLock { $0.parked[0] }
        #expect(ticket.slot == 3)
        #expect(!bench.driver.complete(7, ticket, bench.connection, bench.now))
        #expect(bench.transport.text.hasSuffix("\r\n\r\ndone 7"))
    }

    @Test("A completion counts once, only for its request, and nil leaves the request parked")
    func completions() {
        let bench = Bench()
        #expect(bench.readable(.text("GET /park HTTP/1.1\r\nHost: x\r\n\r\n")))
        let ticket = bench.shared.state.withLock { $0.parked[0] }
        #expect(bench.driver.complete(-1, ticket, bench.connection, bench.now))
        #expect(bench.transport.text.isEmpty)
        #expect(bench.driver.complete(1, ticket, bench.connection, bench.now))
        #expect(bench.transport.text.hasSuffix("done 1"))
        #expect(bench.readable(.text("GET /park HTTP/1.1\r\nHost: x\r\n\r\n")))
        #expect(bench.driver.complete(2, ticket, bench.connection, bench.now))
        #expect(bench.transport.text.hasSuffix("done 1"))
        #expect(bench.shared.state.withLock { $0.abandoned } == [2])
    }

    @Test("A completion for a slot that has a new connection is abandoned")
    func generations() {
        let bench = Bench()
        #expect(bench.readable(.text("GET /park HTTP/1.1\r\nHost: x\r\n\r\n")))
        let ticket = bench.shared.state.withLock { $0.parked[0] }
        let generation = bench.connection.generation
        bench.connection.close(reset: false)
        #expect(bench.driver.complete(1, ticket, bench.connection, bench.now))
        let next = ScriptedTransport()
        bench.connection.open(.other(next), limits: HTTPLimits(), now: bench.now)
        #expect(bench.connection.generation != generation)
        next.reads = [.text("GET /park HTTP/1.1\r\nHost: x\r\n\r\n")]
        #expect(bench.driver.ready(bench.connection, readable: true, writable: false, bench.now))
        #expect(bench.driver.complete(2, ticket, bench.connection, bench.now))
        #expect(next.text.isEmpty)
        #expect(bench.shared.state.withLock { $0.abandoned } == [1, 2])
    }

    @Test("Deliveries reach the transport")
    func deliveries() {
        let reset = Bench()
        #expect(!reset.readable(.text("GET /reset HTTP/1.1\r\nHost: x\r\n\r\n")))
        #expect(reset.transport.events == ["reset"])
        #expect(reset.transport.text.isEmpty)
        let close = Bench()
        #expect(close.readable(.text("GET /close HTTP/1.1\r\nHost: x\r\n\r\n")))
        #expect(close.transport.events == ["shutdown"])
        #expect(!close.readable(.result(.ended)))
        let truncate = Bench()
        #expect(!truncate.readable(.text("GET /truncate HTTP/1.1\r\nHost: x\r\n\r\n")))
        #expect(truncate.transport.text == "HTTP/1.1 200")
    }

    @Test("An idle connection holds no buffers")
    func buffers() {
        let bench = Bench()
        for _ in 0..<3 {
            #expect(bench.readable(.text(Self.get)))
            #expect(bench.connection.state.buffers.capacity == 0)
        }
    }
}
