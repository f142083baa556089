import HTTPServer
import Platform
import TestSupport
import Testing

/// Messages meant to confuse a server or a proxy before it. Each is followed by a second request
/// that must never be answered: whatever cannot be framed ends the connection.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct HostileFramingTests {
    private static let target = HostileMessage.Target(
        path: "/echo", fields: "", smuggled: "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")

    @Test(
        "A hostile message gets its status and the connection ends", arguments: HostileMessage.all)
    func refused(_ message: HostileMessage) throws {
        try expectRefusal(of: message) { $0.send(message.bytes(Self.target)) }
    }

    @Test(
        "Sent byte by byte it gets the same status",
        arguments: HostileMessage.all.filter { $0.bytes(Self.target).count < 600 })
    func refusedByteByByte(_ message: HostileMessage) throws {
        try expectRefusal(of: message) { client in
            for byte in message.bytes(Self.target) { client.send([byte]) }
        }
    }

    @Test("A client that has ended after a hostile message still reads its refusal")
    func refusedAfterTheEnd() throws {
        for message in HostileMessage.all where message.bytes(Self.target).count < 600 {
            try expectRefusal(of: message) { client in
                client.send(message.bytes(Self.target))
                client.shutdownWrite()
            }
        }
    }

    @Test("The messages are different ones")
    func distinct() {
        let messages = HostileMessage.all
        var names: [[UInt8]: String] = [:]
        for message in messages {
            let twin = names.updateValue(message.name, forKey: message.bytes(Self.target))
            #expect(twin == nil, "\(message.name)")
        }
        #expect(Set(messages.map(\.testDescription)).count == messages.count)
        #expect(messages.count > 400)
    }

    /// One answer and then the end, nothing handled, and the server goes on.
    private func expectRefusal(
        of message: HostileMessage, sourceLocation: SourceLocation = #_sourceLocation,
        _ send: (Client) -> Void
    ) throws {
        let name = Comment(rawValue: message.testDescription)
        // Patient, so that a test that is held up in its sending still sees the end and no reset.
        let server = try EchoServer { $0.limits.lingerMilliseconds = 30_000 }
        defer { server.stop() }
        let client = try server.client()
        send(client)
        let answer = try #require(client.answer(), name, sourceLocation: sourceLocation)
        #expect(answer.status == message.status, name, sourceLocation: sourceLocation)
        #expect(answer.field("Connection") == "close", name, sourceLocation: sourceLocation)
        client.shutdownWrite()
        #expect(client.readToEnd() == "", name, sourceLocation: sourceLocation)
        #expect(client.hasEnded, name, sourceLocation: sourceLocation)
        #expect(
            server.shared.state.withLock { $0.handled } == 0, name, sourceLocation: sourceLocation)
        let next = try server.client()
        next.send(ServerTests.get)
        #expect(next.answer()?.body == "GET /echo ", name, sourceLocation: sourceLocation)
    }
}
