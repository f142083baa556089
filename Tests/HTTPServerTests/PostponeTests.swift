import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// Requests to `/costly` cost one of the turn's budget; without any left they are postponed.
struct BudgetHandler: RequestHandler {
    typealias Completion = Never

    final class Shared: Sendable {
        struct State {
            /// What each turn may spend.
            var budget = 2
            /// Targets in the order in which they were handled.
            var handled: [String] = []
            var postponed = 0
            var ticks = 0
        }
        let state = Guarded(State())
    }

    let shared: Shared
    private var left = 0

    init(shared: Shared) { self.shared = shared }

    mutating func beginTurn() { left = shared.state.withLock { $0.budget } }

    mutating func admit(_ head: borrowing RequestHead) -> Admission { .read }

    mutating func handle(
        _ head: borrowing RequestHead, _ body: Span<UInt8>, _ ticket: Ticket
    ) -> HandlerAnswer {
        let path: String = EchoHandler.text(head.path)
        if path.hasPrefix("/costly") {
            guard left > 0 else {
                shared.state.withLock { $0.postponed += 1 }
                return .postponed
            }
            left -= 1
        }
        shared.state.withLock { $0.handled.append(path) }
        return .respond(Response(status: 200, body: Array(path.utf8)))
    }

    mutating func complete(_ completion: Never, _ ticket: Ticket) -> Response? {}
    mutating func abandoned(_ completion: Never) {}
    mutating func refusal(_ reason: Refusal, _ head: RequestHead?) -> Response {
        Response(status: reason.status)
    }
    mutating func tick(_ now: MonotonicTime) { shared.state.withLock { $0.ticks += 1 } }
}

@Suite("Requests that are postponed to a later turn of the loop", .timeLimit(.minutes(1)))
struct PostponeTests {
    /// The loop's turns, one at a time, over transports that follow scripts.
    final class Bench {
        let shared = BudgetHandler.Shared()
        let driver: ConnectionDriver<BudgetHandler>
        let registry = MetricsRegistry()
        private let limits = HTTPLimits()
        let now = FixedMonotonicClock().now()

        init() {
            driver = ConnectionDriver(
                loop: 0, limits: limits, metrics: HTTPMetrics(registry, server: "test"),
                clock: FixedMonotonicClock(), handler: BudgetHandler(shared: shared))
        }

        func connect(slot: UInt32 = 0) -> (Connection, ScriptedTransport) {
            let connection = Connection(slot: slot, limits: limits)
            let transport = ScriptedTransport()
            connection.open(.other(transport), limits: limits, now: now)
            return (connection, transport)
        }

        /// Whether the connection lives on.
        @discardableResult
        func receive(
            _ targets: [String], on peer: (connection: Connection, transport: ScriptedTransport)
        ) -> Bool {
            let text = targets.map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined()
            peer.transport.reads.append(.text(text))
            return driver.ready(peer.connection, readable: true, writable: false, now)
        }

        func turn() {
            driver.beginTurn()
            while driver.offerPostponed(now) != nil {}
        }

        var handled: [String] { shared.state.withLock { $0.handled } }
    }

    @Test("They are offered again in their order, before what came later; others go on meanwhile")
    func order() {
        let bench = Bench()
        bench.turn()
        for index in 0..<7 { bench.receive(["/costly\(index)"], on: bench.connect()) }
        #expect(bench.handled == ["/costly0", "/costly1"])
        let other = bench.connect()
        bench.receive(["/free"], on: other)
        #expect(other.1.text.hasSuffix("/free"))
        bench.turn()
        #expect(bench.handled.suffix(2) == ["/costly2", "/costly3"])
        bench.receive(["/costly7"], on: bench.connect())
        bench.receive(["/free"], on: other)
        for _ in 0..<2 { bench.turn() }
        #expect(
            bench.handled.suffix(5)
                == ["/free", "/costly4", "/costly5", "/costly6", "/costly7"])
        #expect(!bench.driver.hasPostponed)
        // The first to be refused ends a turn's offers: none is asked for nothing.
        #expect(bench.shared.state.withLock { $0.postponed } == 6 + 2)
        #expect(
            bench.registry.render().contains("http_requests_postponed_total{server=\"test\"} 6\n"))
    }

    @Test("What is pipelined behind one waits for it, and may be postponed itself")
    func pipelined() {
        let bench = Bench()
        bench.turn()
        let one = bench.connect()
        let two = bench.connect()
        bench.receive(["/costly0", "/costly1", "/costly2", "/free3", "/costly4"], on: one)
        bench.receive(["/costly5"], on: two)
        #expect(bench.handled == ["/costly0", "/costly1"])
        // The answers so far do not wait.
        #expect(one.1.text.hasSuffix("/costly1"))
        #expect(one.0.wantedEvents == 0x1)
        bench.turn()
        #expect(bench.handled.suffix(3) == ["/costly2", "/free3", "/costly4"])
        bench.turn()
        #expect(bench.handled.last == "/costly5")
        #expect(bench.handled.count == 6)
        #expect(one.1.text.hasSuffix("/costly4"))
        #expect(two.1.text.hasSuffix("/costly5"))
    }

    @Test("One whose connection has ended is forgotten, also where its slot is used again")
    func ended() {
        let bench = Bench()
        bench.turn()
        let gone = bench.connect()
        let next = bench.connect()
        bench.receive(["/costly0", "/costly1", "/costly2"], on: gone)
        bench.receive(["/costly3"], on: next)
        gone.1.reads.append(.result(.failed(code: 104)))
        #expect(!bench.driver.ready(gone.0, readable: true, writable: false, bench.now))
        gone.0.close(reset: false)
        bench.driver.recycle(gone.0)
        let transport = ScriptedTransport()
        gone.0.open(.other(transport), limits: HTTPLimits(), now: bench.now)
        bench.receive(["/costly4"], on: (gone.0, transport))
        bench.turn()
        #expect(bench.handled == ["/costly0", "/costly1", "/costly3", "/costly4"])
        #expect(transport.text.hasSuffix("/costly4"))
        #expect(!bench.driver.hasPostponed)
    }

    @Test("A client that has ended its side gets the answer, then the end")
    func halfClosed() {
        let bench = Bench()
        bench.turn()
        let peer = bench.connect()
        bench.receive(["/costly0", "/costly1", "/costly2"], on: peer)
        peer.1.reads.append(.result(.ended))
        #expect(bench.driver.ready(peer.0, readable: true, writable: false, bench.now))
        bench.driver.beginTurn()
        let offered = bench.driver.offerPostponed(bench.now)
        #expect(offered?.connection === peer.0)
        #expect(offered?.alive == false)
        #expect(peer.1.text.hasSuffix("/costly2"))
    }

    @Test("Ten thousand are all answered, so many a turn, and leave nothing behind")
    func many() {
        let bench = Bench()
        bench.shared.state.withLock { $0.budget = 7 }
        bench.turn()
        let peers = (0..<10_000).map { _ in bench.connect() }
        for (index, peer) in peers.enumerated() { bench.receive(["/costly\(index)"], on: peer) }
        var turns = 0
        while bench.driver.hasPostponed {
            turns += 1
            bench.turn()
        }
        #expect(turns == (10_000 - 1) / 7)
        #expect(bench.handled == (0..<10_000).map { "/costly\($0)" })
    }

    @Test("A loop with postponed requests does not wait for anything else, and drains them")
    func loop() throws {
        let shared = BudgetHandler.Shared()
        shared.state.withLock { $0.budget = 1 }
        let server = try HTTPServer(
            configuration: HTTPServerConfiguration(), log: Log(level: .error),
            metrics: MetricsRegistry()
        ) { _, _ in BudgetHandler(shared: shared) }
        server.start()
        let client = try Client(port: server.port)
        client.send(String(repeating: "GET /costly HTTP/1.1\r\nHost: x\r\n\r\n", count: 500))
        for _ in 0..<500 { #expect(client.answer()?.body == "/costly") }
        let state = shared.state.withLock { $0 }
        #expect(state.postponed > 250)
        // Waiting for its timer would have taken a tick for each.
        #expect(state.ticks < 400)

        shared.state.withLock { $0.budget = 0 }
        client.send("GET /costly HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(becomesTrue { shared.state.withLock { $0.postponed } > state.postponed })
        server.beginDrain(gracePeriodMilliseconds: 60_000)
        shared.state.withLock { $0.budget = 1 }
        let last = client.answer()
        #expect(last?.body == "/costly")
        client.shutdownWrite()
        #expect(client.readToEnd() == "")
        server.waitUntilStopped()
    }
}
