import HTTPServer
import Platform
import Testing

/// Tests against a real server over real sockets. They block, so they are one serialized suite.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ServerTests {
    static let get = "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n"
    static let park = "GET /park HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test("A GET is answered with Date and Content-Length and the connection lives on")
    func get() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let client = try server.client()
        for _ in 0..<3 {
            client.send("GET /echo?a=b HTTP/1.1\r\nHost: x\r\n\r\n")
            let answer = try #require(client.answer())
            #expect(answer.status == 200)
            #expect(answer.body == "GET /echo?a=b ")
            #expect(answer.field("Content-Length") == "14")
            #expect(answer.field("Date")?.hasSuffix(" GMT") == true)
            #expect(answer.field("Connection") == nil)
        }
    }

    @Test("A body arrives whole with a length and in chunks, however it is cut up")
    func bodies() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let client = try server.client()
        let body = String(repeating: "0123456789abcdef", count: 1024)
        client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 16384\r\n\r\n" + body)
        #expect(client.answer()?.body == "POST /echo " + body)
        let chunks = body.utf8.map { "1;x\r\n\(Character(UnicodeScalar($0)))\r\n" }.prefix(300)
            .joined()
        let request =
            "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
            + "0\r\nT: v\r\n\r\n"
        client.send(request)
        #expect(client.answer()?.body == "POST /echo " + body.prefix(300))
        for byte in request.utf8.prefix(400) { client.send([byte]) }
        client.send(Array(request.utf8.dropFirst(400)))
        #expect(client.answer()?.body == "POST /echo " + body.prefix(300))
    }

    @Test("Pipelined requests are answered in order, one executing at a time")
    func pipelining() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let client = try server.client()
        client.send(Self.park + Self.park + Self.get)
        #expect(server.wait { $0.parked.count == 1 })
        let first = server.shared.state.withLock { $0.parked[0] }
        server.server.completions.complete(first, 1)
        #expect(client.answer()?.body == "done 1")
        #expect(server.wait { $0.parked.count == 2 })
        #expect(server.shared.state.withLock { $0.handled } == 2)
        let second = server.shared.state.withLock { $0.parked[1] }
        server.server.completions.complete(batch: [(second, 2)])
        #expect(client.answer()?.body == "done 2")
        #expect(client.answer()?.body == "GET /echo ")
    }

    @Test("A thousand pipelined requests are all answered")
    func deepPipeline() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let client = try server.client()
        client.send(String(repeating: Self.get, count: 1000))
        var answered = 0
        while answered < 1000, client.answer()?.body == "GET /echo " { answered += 1 }
        #expect(answered == 1000)
    }

    @Test("100 Continue comes before the body, and not when the answer is already known")
    func expectContinue() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let client = try server.client()
        let fields = "Host: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
        client.send("POST /echo HTTP/1.1\r\n" + fields)
        #expect(client.answer(hasBody: false)?.status == 100)
        client.send("ab")
        #expect(client.answer()?.body == "POST /echo ab")
        client.send("POST /missing HTTP/1.1\r\n" + fields)
        let answer = try #require(client.answer())
        #expect(answer.status == 404)
        #expect(answer.field("Connection") == "close")
        #expect(client.readToEnd() == "")
        #expect(client.hasEnded)
    }

    @Test("HEAD gets the head of GET")
    func head() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let client = try server.client()
        client.send("HEAD /echo HTTP/1.1\r\nHost: x\r\n\r\n" + Self.get)
        #expect(client.answer(hasBody: false)?.field("Content-Length") == "11")
        #expect(client.answer()?.body == "GET /echo ")
    }

    @Test("OPTIONS reaches the handler, with a path and with an asterisk")
    func options() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let client = try server.client()
        client.send("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\nOPTIONS /a HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.answer()?.body == "OPTIONS * ")
        #expect(client.answer()?.body == "OPTIONS /a ")
    }

    @Test("A client that has shut down its side still gets its answer")
    func halfClose() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let client = try server.client()
        client.send(Self.get + Self.park)
        client.shutdownWrite()
        #expect(client.answer()?.body == "GET /echo ")
        #expect(server.wait { $0.parked.count == 1 })
        server.server.completions.complete(server.shared.state.withLock { $0.parked[0] }, 5)
        #expect(client.answer()?.body == "done 5")
        #expect(client.readToEnd() == "")
        #expect(client.hasEnded)
    }

    @Test("Scenario 14: a client that goes away in mid-request does not stop the request")
    func disconnect() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let client = try server.client()
        client.send(Self.park)
        #expect(server.wait { $0.parked.count == 1 })
        let stale = server.shared.state.withLock { $0.parked[0] }
        client.abort()
        // The next client takes the same slot once the loop has seen the reset.
        var fresh = stale
        while fresh.slot != stale.slot || fresh == stale {
            let count = server.shared.state.withLock { $0.parked.count }
            let next = try server.client()
            next.send(Self.park)
            try #require(server.wait { $0.parked.count > count })
            fresh = server.shared.state.withLock { $0.parked[count] }
            if fresh.slot == stale.slot {
                server.server.completions.complete(batch: [(stale, 1), (fresh, 2)])
                #expect(next.answer()?.body == "done 2")
            }
        }
        #expect(server.wait { $0.abandoned.contains(1) })
    }

    @Test("A client that shut down its side and then goes away for good gives its slot back")
    func halfCloseThenReset() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let client = try server.client()
        client.send(Self.park)
        #expect(server.wait { $0.parked.count == 1 })
        client.shutdownWrite()
        // When another client has its answer, the loop has seen that end.
        let other = try server.client()
        other.send(Self.get)
        #expect(other.answer()?.status == 200)
        other.close()
        client.abort()
        #expect(server.wait { _ in server.openConnections == 0 })
        server.server.completions.complete(server.shared.state.withLock { $0.parked[0] }, 4)
        #expect(server.wait { $0.abandoned == [4] })
    }

    @Test("What is answered and refused is counted by method, status class and reason")
    func metrics() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let client = try server.client()
        client.send(Self.get + "POST /missing HTTP/1.1\r\nHost: x\r\n\r\n" + "BAD\r\n")
        client.shutdownWrite()
        _ = client.readToEnd()
        let text = server.metrics.render()
        for line in [
            "http_requests_total{server=\"http\",method=\"GET\",status=\"2xx\"} 1",
            "http_requests_total{server=\"http\",method=\"POST\",status=\"4xx\"} 1",
            "http_requests_total{server=\"http\",method=\"other\",status=\"4xx\"} 1",
            "http_refusals_total{server=\"http\",reason=\"malformed_requestLine\"} 1",
            "http_request_seconds_count{server=\"http\"} 3",
            "http_received_bytes_total{server=\"http\"} 71",
        ] { #expect(text.contains(line + "\n")) }
    }

    @Test("An address that is none is refused")
    func badAddress() {
        #expect(throws: SystemError("inet_pton", code: 22)) {
            try EchoServer { $0.address = "localhost" }
        }
    }

    @Test("Half a request has no effect")
    func partial() throws {
        let server = try EchoServer()
        defer { server.stop() }
        for text in [
            "GET /echo HTTP/1.1\r\nHo",
            "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc",
        ] {
            let client = try server.client()
            client.send(text)
            client.shutdownWrite()
            #expect(client.readToEnd() == "")
        }
        #expect(server.shared.state.withLock { $0.handled } == 0)
    }

    @Test("Slow heads and bodies get 408, silent connections are closed without a word")
    func slow() throws {
        let server = try EchoServer {
            $0.limits.headMilliseconds = 50
            $0.limits.bodyMilliseconds = 50
            $0.limits.idleMilliseconds = 50
        }
        defer { server.stop() }
        // A server of its own, so that the others are not late when the machine is busy.
        let impatient = try EchoServer { $0.limits.firstByteMilliseconds = 50 }
        defer { impatient.stop() }
        let silent = try impatient.client()
        let head = try server.client()
        head.send("GET / HT")
        let body = try server.client()
        body.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabc")
        let idle = try server.client()
        idle.send(Self.get)
        #expect(silent.readToEnd() == "")
        #expect(silent.hasEnded)
        #expect(head.answer()?.body == "headTimeout")
        #expect(body.answer()?.status == 408)
        #expect(idle.answer()?.status == 200)
        #expect(idle.readToEnd() == "")
        #expect(idle.hasEnded)
    }

    @Test("A reader that stalls is reset; one that is only slow gets everything")
    func stalledReaders() throws {
        let server = try EchoServer { $0.limits.writeStallMilliseconds = 600 }
        defer { server.stop() }
        let request = "GET /big HTTP/1.1\r\nHost: x\r\n\r\n"
        let stalled = try Client(port: server.port, receiveBufferBytes: 4096)
        stalled.send(request)
        let slow = try server.client()
        slow.send(request)
        #expect(slow.answer()?.body.utf8.count == 4 << 20)
        // The loop has served another one meanwhile, and reset this one in the end.
        #expect(server.wait { $0.handled == 2 })
        #expect(server.wait { _ in server.openConnections == 1 })
        #expect(stalled.readToEnd().utf8.count < 4 << 20)
        #expect(stalled.wasReset)
    }

    @Test("At the connection limit new clients wait until there is room")
    func connectionLimit() throws {
        let server = try EchoServer { $0.limits.connections = 2 }
        defer { server.stop() }
        let clients = try (0..<3).map { _ in try server.client() }
        for client in clients { client.send(Self.get) }
        #expect(clients[0].answer()?.status == 200)
        #expect(clients[1].answer()?.status == 200)
        #expect(server.shared.state.withLock { $0.handled } == 2)
        clients[0].close()
        #expect(clients[2].answer()?.status == 200)
        #expect(
            server.metrics.render().contains("http_connections_accepted_total{server=\"http\"} 3"))
    }

    @Test("An early refusal can be read although the client goes on sending")
    func lingering() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let client = try server.client()
        client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n")
        client.send(Array(repeating: 0x61, count: 200_000))
        client.shutdownWrite()
        #expect(client.answer()?.body == "bodyTooLarge")
        #expect(client.readToEnd() == "")
        #expect(client.hasEnded)
    }

    @Test("Sandbox deliveries break the connection as told")
    func deliveries() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let reset = try server.client()
        reset.send("GET /reset HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(reset.readToEnd() == "")
        #expect(reset.wasReset)
        let truncate = try server.client()
        truncate.send("GET /truncate HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(truncate.readToEnd() == "HTTP/1.1 200")
        #expect(truncate.hasEnded)
    }

    @Test("Several loops share one port, and a second server on it is refused")
    func loops() throws {
        let server = try EchoServer { $0.loops = 3 }
        defer { server.stop() }
        let clients = try (0..<30).map { _ in try server.client() }
        for client in clients { client.send(Self.park) }
        #expect(server.wait { $0.parked.count == 30 })
        let tickets = server.shared.state.withLock { $0.parked }
        server.server.completions.complete(batch: tickets.map { ($0, 1) })
        for client in clients { #expect(client.answer()?.body == "done 1") }
        let port = server.port
        #expect(throws: SystemError("bind", code: 98)) { try EchoServer { $0.port = port } }
    }

    @Test("The loop offers the handler its timer")
    func ticks() throws {
        let server = try EchoServer()
        defer { server.stop() }
        #expect(server.wait { $0.ticks >= 3 })
    }
}
