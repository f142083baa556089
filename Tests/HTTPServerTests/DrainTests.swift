import HTTPServer
import Platform
import Testing

@Suite(.serialized, .timeLimit(.minutes(1)))
struct DrainTests {
    @Test("A drain finishes requests in flight and half-sent ones, and closes idle connections")
    func inFlight() throws {
        let server = try EchoServer()
        let parked = try server.client()
        parked.send(ServerTests.park)
        #expect(server.wait { $0.parked.count == 1 })
        let half = try server.client()
        half.send("GET /echo HTTP/1.1\r\n")
        let idle = try server.client()
        idle.send(ServerTests.get)
        #expect(idle.answer()?.field("Connection") == nil)
        server.server.beginDrain(gracePeriodMilliseconds: 60_000)
        #expect(idle.readToEnd() == "")
        #expect(idle.hasEnded)
        half.send("Host: x\r\n\r\n")
        let answer = try #require(half.answer())
        #expect(answer.status == 200)
        #expect(answer.field("Connection") == "close")
        server.server.completions.complete(server.shared.state.withLock { $0.parked[0] }, 9)
        let last = try #require(parked.answer())
        #expect(last.body == "done 9")
        #expect(last.field("Connection") == "close")
        half.close()
        parked.close()
        server.server.waitUntilStopped()
        #expect(throws: SystemError("connect", code: 111)) { try server.client() }
    }

    @Test("What the kernel has completed before a drain is accepted and answered")
    func backlog() throws {
        for _ in 0..<20 {
            let server = try EchoServer { $0.loops = 2 }
            let clients = try (0..<20).map { _ in try server.client() }
            for client in clients { client.send(ServerTests.get) }
            server.server.beginDrain(gracePeriodMilliseconds: 60_000)
            for client in clients { #expect(client.answer()?.status == 200) }
            for client in clients { client.close() }
            server.server.waitUntilStopped()
        }
    }

    @Test("An announced drain still accepts, and every answer is its connection's last")
    func announced() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let idle = try server.client()
        idle.send(ServerTests.get)
        #expect(idle.answer()?.field("Connection") == nil)
        server.server.announceDrain()
        var last = ""
        while last != "close" {
            let client = try server.client()
            client.send(ServerTests.get)
            last = try #require(client.answer()).field("Connection") ?? ""
        }
        idle.send(ServerTests.get)
        #expect(idle.answer()?.field("Connection") == "close")
    }

    @Test("The grace period ends what does not end by itself; late completions are abandoned")
    func grace() throws {
        let server = try EchoServer()
        let client = try server.client()
        client.send(ServerTests.park)
        #expect(server.wait { $0.parked.count == 1 })
        server.server.beginDrain(gracePeriodMilliseconds: 60_000)
        server.server.beginDrain(gracePeriodMilliseconds: 1)
        #expect(client.readToEnd() == "")
        server.server.waitUntilStopped()
    }
}
