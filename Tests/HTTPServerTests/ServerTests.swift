import HTTPServer
import Platform
import Testing

/// Tests against a real server over real sockets. They block, so they are one serialized suite.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ServerTests {
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
}
