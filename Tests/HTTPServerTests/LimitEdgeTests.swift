import HTTPServer
import Platform
import TestSupport
import Testing

/// Each limit one below, at and one beyond it.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct LimitEdgeTests {
    struct Limit: Sendable, CustomTestStringConvertible {
        let name: String
        let value: Int
        /// The answer to one more.
        let status: Int
        /// A message that has so many of them, in Latin-1.
        let message: @Sendable (Int) -> String

        var testDescription: String { name }
    }

    private static func text(_ count: Int) -> String { String(repeating: "a", count: count) }
    private static func get(_ fields: String) -> String {
        "GET /echo HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n"
    }
    private static func post(_ fields: String, _ body: String) -> String {
        "POST /echo HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n" + body
    }
    private static func chunked(_ body: String) -> String {
        post("Transfer-Encoding: chunked\r\n", body)
    }

    static let limits = [
        Limit(name: "bytes of a head in a value", value: 16384, status: 431) {
            get("A: " + text($0 - get("A: \r\n").utf8.count) + "\r\n")
        },
        Limit(name: "bytes of a head in a name", value: 16384, status: 431) {
            get(text($0 - get(": b\r\n").utf8.count) + ": b\r\n")
        },
        Limit(name: "bytes of a head in blanks", value: 16384, status: 431) {
            get("A:" + String(repeating: " ", count: $0 - get("A:b\r\n").utf8.count) + "b\r\n")
        },
        Limit(name: "field lines", value: 64, status: 431) {
            get(String(repeating: "A: b\r\n", count: $0 - 1))
        },
        Limit(name: "bytes of a target", value: 8000, status: 414) {
            "GET /\(text($0 - 1)) HTTP/1.1\r\nHost: x\r\n\r\n"
        },
        Limit(name: "bytes of a target that is a URL", value: 8000, status: 414) {
            "GET http://x/\(text($0 - 9)) HTTP/1.1\r\nHost: x\r\n\r\n"
        },
        Limit(name: "empty lines first", value: 1, status: 400) {
            String(repeating: "\r\n", count: $0) + get("")
        },
        Limit(name: "port in Host", value: 65535, status: 400) {
            "GET /echo HTTP/1.1\r\nHost: x:\($0)\r\n\r\n"
        },
        Limit(name: "bytes of a body with a length", value: 16384, status: 413) {
            post("Content-Length: \($0)\r\n", text($0))
        },
        Limit(name: "bytes of a body in one chunk", value: 16384, status: 413) {
            chunked(String($0, radix: 16) + "\r\n" + text($0) + "\r\n0\r\n\r\n")
        },
        Limit(name: "bytes of a body in many chunks", value: 16384, status: 413) {
            chunked(String(repeating: "1\r\na\r\n", count: $0) + "0\r\n\r\n")
        },
        Limit(name: "digits of a length", value: 32, status: 400) {
            post("Content-Length: " + String(repeating: "0", count: $0 - 1) + "1\r\n", "a")
        },
        Limit(name: "digits of a chunk's size", value: 8, status: 400) {
            chunked(String(repeating: "0", count: $0 - 1) + "1\r\na\r\n0\r\n\r\n")
        },
        Limit(name: "bytes of an extension", value: 1024, status: 413) {
            chunked("1;" + text($0 - 1) + "\r\na\r\n0\r\n\r\n")
        },
        Limit(name: "bytes of all extensions", value: 1024, status: 413) {
            chunked(
                String(repeating: "1;" + text(15) + "\r\na\r\n", count: ($0 - 1) / 16)
                    + "1;" + text(($0 - 1) % 16) + "\r\na\r\n0\r\n\r\n")
        },
        Limit(name: "bytes of trailers", value: 4096, status: 431) {
            chunked("0\r\nA: " + text($0 - 5) + "\r\n\r\n")
        },
        Limit(name: "lines of trailers", value: 64, status: 431) {
            chunked("0\r\n" + String(repeating: "A: b\r\n", count: $0) + "\r\n")
        },
    ]

    @Test("A limit is exact: one below, at it, one beyond", arguments: limits, [-1, 0, 1])
    func edge(_ limit: Limit, offset: Int) throws {
        let server = try EchoServer { $0.limits.lingerMilliseconds = 30_000 }
        defer { server.stop() }
        let client = try server.client()
        client.send(latin1(limit.message(limit.value + offset)))
        client.send("GET /after HTTP/1.1\r\nHost: x\r\n\r\n")
        let answer = try #require(client.answer())
        #expect(answer.status == (offset > 0 ? limit.status : 200))
        if offset > 0 {
            #expect(answer.field("Connection") == "close")
        } else {
            #expect(client.answer()?.body == "GET /after ")
        }
        client.shutdownWrite()
        #expect(client.readToEnd() == "")
        #expect(client.hasEnded)
        #expect(server.shared.state.withLock { $0.handled } == (offset > 0 ? 0 : 2))
        let next = try server.client()
        next.send(ServerTests.get)
        #expect(next.answer()?.status == 200)
    }
}
