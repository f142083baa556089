import HTTPServer
import Platform
import Testing

/// Messages meant to confuse a server or a proxy before it. Each is followed by a second request
/// that must never be answered: whatever cannot be framed ends the connection.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct HostileFramingTests {
    struct Example: Sendable, CustomTestStringConvertible {
        var name: String
        var message: String
        var status: Int

        init(_ status: Int, _ name: String, _ message: String) {
            self.name = name
            self.message = message
            self.status = status
        }

        var testDescription: String { "\(status) \(name)" }
    }

    private static let host = "Host: x\r\n"
    private static func get(_ fields: String) -> String {
        "GET /echo HTTP/1.1\r\n" + fields + "\r\n"
    }
    private static func post(_ fields: String, _ body: String = "") -> String {
        "POST /echo HTTP/1.1\r\n" + host + fields + "\r\n" + body
    }
    private static func chunked(_ body: String) -> String {
        post("Transfer-Encoding: chunked\r\n", body)
    }

    static let lengths = [
        Example(
            400, "length and coding",
            post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")),
        Example(
            400, "coding and length",
            post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n")),
        Example(400, "two equal lengths", post("Content-Length: 1\r\nContent-Length: 1\r\n", "a")),
        Example(400, "two lengths", post("Content-Length: 1\r\nContent-Length: 2\r\n", "ab")),
        Example(
            400, "two lengths in another case",
            post("Content-Length: 1\r\ncontent-length: 2\r\n", "ab")),
        Example(400, "list of lengths", post("Content-Length: 1, 1\r\n", "a")),
        Example(400, "plus", post("Content-Length: +1\r\n", "a")),
        Example(400, "minus", post("Content-Length: -1\r\n", "a")),
        Example(400, "empty length", post("Content-Length:\r\n", "a")),
        Example(400, "blank length", post("Content-Length:  \t\r\n", "a")),
        Example(400, "hexadecimal length", post("Content-Length: 0x1\r\n", "a")),
        Example(400, "fraction", post("Content-Length: 1.0\r\n", "a")),
        Example(400, "digits with a gap", post("Content-Length: 1 0\r\n", "a")),
        Example(400, "digits with an underscore", post("Content-Length: 1_0\r\n", "a")),
        Example(400, "full-width digit", post("Content-Length: １\r\n", "a")),
        Example(
            400, "length of 40 digits",
            post("Content-Length: \(String(repeating: "0", count: 40))\r\n")),
        Example(413, "length over the limit", post("Content-Length: 16385\r\n")),
        Example(413, "length beyond 64 bits", post("Content-Length: 18446744073709551617\r\n")),
        Example(400, "space before the colon", post("Content-Length : 1\r\n", "a")),
        Example(400, "tab before the colon", post("Content-Length\t: 1\r\n", "a")),
        Example(400, "NUL in the name", post("Content-Length\0: 1\r\n", "a")),
    ]

    static let codings = [
        Example(501, "gzip", post("Transfer-Encoding: gzip\r\n")),
        Example(501, "identity", post("Transfer-Encoding: identity\r\n")),
        Example(501, "chunked twice", post("Transfer-Encoding: chunked, chunked\r\n")),
        Example(501, "gzip, chunked", post("Transfer-Encoding: gzip, chunked\r\n")),
        Example(
            501, "two coding fields",
            post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n")),
        Example(501, "xchunked", post("Transfer-Encoding: xchunked\r\n")),
        Example(501, "quoted", post("Transfer-Encoding: \"chunked\"\r\n")),
        Example(501, "empty coding", post("Transfer-Encoding:\r\n")),
        Example(400, "vertical tab", post("Transfer-Encoding: \u{0B}chunked\r\n")),
        Example(400, "folded coding", post("Transfer-Encoding:\r\n chunked\r\n")),
        Example(
            400, "HTTP/1.0", "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Example(400, "size of 9 digits", chunked("000000001\r\na\r\n0\r\n\r\n")),
        Example(400, "size with 0x", chunked("0x1\r\na\r\n0\r\n\r\n")),
        Example(400, "signed size", chunked("+1\r\na\r\n0\r\n\r\n")),
        Example(400, "negative size", chunked("-1\r\na\r\n0\r\n\r\n")),
        Example(400, "space after the size", chunked("1 \r\na\r\n0\r\n\r\n")),
        Example(400, "no size", chunked("\r\na\r\n0\r\n\r\n")),
        Example(400, "bare LF after the size", chunked("1\na\r\n0\r\n\r\n")),
        Example(400, "bare CR in an extension", chunked("1;a\rb\r\na\r\n0\r\n\r\n")),
        Example(400, "bare LF in an extension", chunked("1;a\nb\r\na\r\n0\r\n\r\n")),
        Example(413, "endless extension", chunked("1;" + String(repeating: "a", count: 2000))),
        Example(400, "data longer than its size", chunked("1\r\nab\r\n0\r\n\r\n")),
        Example(400, "bare LF after the data", chunked("1\r\na\n0\r\n\r\n")),
        Example(413, "chunk over the limit", chunked("4001\r\n")),
        Example(
            413, "chunks over the limit together",
            chunked("2000\r\n" + String(repeating: "a", count: 0x2000) + "\r\n2001\r\n")),
        Example(400, "folded trailer", chunked("0\r\nA: b\r\n c\r\n\r\n")),
        Example(400, "trailer without a colon", chunked("0\r\nGET / HTTP/1.1\r\n\r\n")),
        Example(400, "bare LF in the trailers", chunked("0\r\nA: b\n\r\n")),
        Example(431, "endless trailer", chunked("0\r\nA: " + String(repeating: "b", count: 5000))),
        Example(
            431, "65 trailers", chunked("0\r\n" + String(repeating: "A: b\r\n", count: 65) + "\r\n")
        ),
    ]

    static let lines = [
        Example(400, "bare LF after the request line", "GET /echo HTTP/1.1\n" + host + "\r\n"),
        Example(400, "bare LF after a field", get("Host: x\nA: b\r\n")),
        Example(400, "bare LF at the end", "GET /echo HTTP/1.1\r\nHost: x\r\n\n"),
        Example(400, "bare CR in a value", get(host + "A: b\rContent-Length: 5\r\n")),
        Example(400, "CR CR LF", get(host + "A: b\r\r\n")),
        Example(400, "NUL in a value", get(host + "A: b\0c\r\n")),
        Example(400, "DEL in a value", get(host + "A: \u{7F}\r\n")),
        Example(400, "escape in a value", get(host + "A: \u{1B}[2J\r\n")),
        Example(400, "obs-fold", get(host + "A: b\r\n c\r\n")),
        Example(400, "first field folded", "GET /echo HTTP/1.1\r\n Host: x\r\n\r\n"),
        Example(400, "empty name", get(host + ": b\r\n")),
        Example(400, "no colon", get(host + "A\r\n")),
        Example(400, "name with a space", get(host + "A B: c\r\n")),
        Example(400, "name with a bracket", get(host + "A[]: c\r\n")),
        Example(400, "name not in ASCII", get(host + "Ä: c\r\n")),
        Example(431, "65 fields", get(host + String(repeating: "A: b\r\n", count: 64))),
        Example(
            431, "head over the limit",
            get(host + "A: " + String(repeating: "b", count: 17_000) + "\r\n")),
        Example(
            414, "target over the limit",
            "GET /" + String(repeating: "a", count: 8000) + " HTTP/1.1\r\n"),
        Example(414, "endless request line", "GET /" + String(repeating: "a", count: 9000)),
        Example(400, "no Host", get("")),
        Example(400, "two Hosts", get("Host: x\r\nHost: x\r\n")),
        Example(400, "empty Host", get("Host:\r\n")),
        Example(400, "Host with a path", get("Host: x/y\r\n")),
        Example(400, "Host with a user", get("Host: u@x\r\n")),
        Example(400, "Host list", get("Host: x, y\r\n")),
        Example(400, "Host with a bad port", get("Host: x:99999\r\n")),
        Example(417, "unknown expectation", post("Content-Length: 1\r\nExpect: magic\r\n")),
    ]

    static let requestLines = [
        Example(505, "HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Example(505, "HTTP/1.2", "GET /echo HTTP/1.2\r\n\r\n"),
        Example(505, "HTTP/0.9 by name", "GET /echo HTTP/0.9\r\n\r\n"),
        Example(400, "HTTP/0.9", "GET /echo\r\n"),
        Example(400, "lower-case version", "GET /echo http/1.1\r\n\r\n"),
        Example(400, "version of two digits", "GET /echo HTTP/1.10\r\n\r\n"),
        Example(400, "two spaces", "GET  /echo HTTP/1.1\r\n\r\n"),
        Example(400, "tab for a space", "GET\t/echo\tHTTP/1.1\r\n\r\n"),
        Example(400, "trailing space", "GET /echo HTTP/1.1 \r\n\r\n"),
        Example(400, "leading space", " GET /echo HTTP/1.1\r\n\r\n"),
        Example(400, "two empty lines first", "\r\n\r\nGET /echo HTTP/1.1\r\n\r\n"),
        Example(400, "TLS", "\u{16}\u{3}\u{1}\u{2}\0\u{1}"),
        Example(400, "CONNECT", "CONNECT x:443 HTTP/1.1\r\n\r\n"),
        Example(400, "authority form", "GET x:80 HTTP/1.1\r\n\r\n"),
        Example(400, "asterisk for GET", "GET * HTTP/1.1\r\n\r\n"),
        Example(400, "fragment", "GET /echo#a HTTP/1.1\r\n\r\n"),
        Example(400, "space in the target", "GET /a b HTTP/1.1\r\n\r\n"),
        Example(400, "target not in ASCII", "GET /é HTTP/1.1\r\n\r\n"),
        Example(400, "broken percent-encoding", "GET /%zz HTTP/1.1\r\n\r\n"),
        Example(400, "user in the target", "GET http://u:p@x/ HTTP/1.1\r\n\r\n"),
        Example(400, "another scheme", "GET file:///etc/passwd HTTP/1.1\r\n\r\n"),
    ]

    @Test(
        "A hostile message gets its status and the connection ends",
        arguments: lengths + codings + lines + requestLines)
    func refused(_ example: Example) throws {
        let server = try EchoServer()
        defer { server.stop() }
        let client = try server.client()
        client.send(example.message)
        client.send(ServerTests.get)
        let answer = try #require(client.answer())
        #expect(answer.status == example.status)
        #expect(answer.field("Connection") == "close")
        client.shutdownWrite()
        #expect(client.readToEnd() == "")
        #expect(client.hasEnded)
        #expect(server.shared.state.withLock { $0.handled } == 0)
    }

    @Test("Sent byte by byte it gets the same status", arguments: codings + lines + requestLines)
    func refusedByteByByte(_ example: Example) throws {
        guard example.message.utf8.count < 1000 else { return }
        let server = try EchoServer()
        defer { server.stop() }
        let client = try server.client()
        for byte in example.message.utf8 { client.send([byte]) }
        #expect(client.answer()?.status == example.status)
    }

    @Test(
        "Unusual but valid messages are served",
        arguments: [
            ("\r\nGET /echo HTTP/1.1\r\nHost: x\r\n\r\n", "GET /echo "),
            ("GET http://other/echo?a HTTP/1.1\r\nHost: x\r\n\r\n", "GET /echo?a "),
            ("GET /echo HTTP/1.1\r\nhOsT:x\r\nA:\r\nB: \u{FC}\r\n\r\n", "GET /echo "),
            ("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 0002\r\n\r\nab", "POST /echo ab"),
            ("GET /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab", "GET /echo ab"),
            (
                "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: CHUNKED\r\n\r\n2;a\r\nab\r\n0\r\nT: u\r\n\r\n",
                "POST /echo ab"
            ),
        ])
    func accepted(_ message: String, _ body: String) throws {
        let server = try EchoServer()
        defer { server.stop() }
        let client = try server.client()
        client.send(message + ServerTests.get)
        #expect(client.answer()?.body == body)
        #expect(client.answer()?.body == "GET /echo ")
    }
}
