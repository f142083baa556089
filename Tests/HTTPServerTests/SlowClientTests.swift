import HTTPServer
import Platform
import Testing

/// Clients that always do a little, so that only the time for the whole stops them.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct SlowClientTests {
    @Test(
        "A head or body that trickles in is refused when its time is over, however lively it is",
        arguments: [
            ("GET /echo HTTP/1.1\r\nHost: x\r\nA: ", "a", "headTimeout"),
            ("GET /echo HTTP/1.1\r\n", "A: b\r\n", "headTimeout"),
            ("G", "E", "headTimeout"),
            ("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n", "a", "bodyTimeout"),
            (
                "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
                "1\r\na\r\n", "bodyTimeout"
            ),
            (
                "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;", "a",
                "bodyTimeout"
            ),
        ])
    func trickles(_ beginning: String, _ drop: String, _ refusal: String) throws {
        let server = try EchoServer {
            $0.limits.headMilliseconds = 300
            $0.limits.bodyMilliseconds = 300
            // So that no limit of size is met first.
            $0.limits.headBytes = 1 << 20
            $0.limits.headFieldLines = 100_000
            $0.limits.requestTargetBytes = 1 << 20
            $0.limits.chunkExtensionBytes = 1 << 20
        }
        defer { server.stop() }
        let client = try server.client()
        client.send(beginning)
        var drops = 0
        while drops < 1000, !client.isReadable(within: 10) {
            client.send(drop)
            drops += 1
        }
        // It was refused in the midst of it.
        #expect(drops < 1000)
        #expect(client.answer()?.body == refusal)
        #expect(server.shared.state.withLock { $0.handled } == 0)
    }

    @Test("A reader that takes nothing is reset, although the kernel could hold its whole answer")
    func stalled() throws {
        let server = try EchoServer(bigBytes: 300_000) {
            $0.limits.writeStallMilliseconds = 300
        }
        defer { server.stop() }
        let client = try Client(port: server.port, receiveBufferBytes: 2304)
        client.send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(server.wait { $0.handled == 1 })
        #expect(server.wait { _ in server.openConnections == 0 })
        #expect(client.readToEnd().utf8.count < 300_000)
        #expect(client.wasReset)
    }

    @Test("A reader that takes a little now and then is reset when its time is over")
    func slowReader() throws {
        let server = try EchoServer { $0.limits.responseMilliseconds = 300 }
        defer { server.stop() }
        let client = try Client(port: server.port, receiveBufferBytes: 2304)
        client.send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n")
        var taken = 0
        var ticks = 0
        while client.readLittle(64) {
            taken += 64
            // Ten times a second.
            #expect(server.wait { $0.ticks > ticks })
            ticks = server.shared.state.withLock { $0.ticks }
        }
        #expect(taken < 4 << 20)
        #expect(client.wasReset)
        #expect(server.wait { _ in server.openConnections == 0 })
    }
}
