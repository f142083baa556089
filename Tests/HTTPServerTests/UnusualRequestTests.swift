import HTTPServer
import Platform
import TestSupport
import Testing

/// Requests that are unusual but clear, and those that end in their middle.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct UnusualRequestTests {
    struct Example: Sendable, CustomTestStringConvertible {
        /// What follows the answers.
        enum Ending: Sendable {
            /// The connection serves on.
            case open
            /// The server ends it; the request that follows is never answered.
            case closed
            /// The client has ended its side; then the server ends too.
            case clientEnds
        }

        let name: String
        /// In Latin-1.
        let message: String
        /// Status and body of each.
        let answers: [String]
        var ending = Ending.open

        var testDescription: String { name }
    }

    private static func post(_ fields: String, _ body: String = "") -> String {
        "POST /echo HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n" + body
    }
    private static func chunked(_ body: String) -> String {
        post("Transfer-Encoding: chunked\r\n", body)
    }
    private static func get(_ fields: String = "", target: String = "/echo") -> String {
        "GET \(target) HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n"
    }

    private static func served(
        _ answer: String, _ rows: KeyValuePairs<String, String>
    ) -> [Example] {
        rows.map { Example(name: $0, message: $1, answers: ["200 " + answer]) }
    }

    static let heads: [Example] =
        served(
            "GET /echo ",
            [
                "an empty line first": "\r\n" + get(),
                "no space after the colon": "GET /echo HTTP/1.1\r\nhOsT:x\r\n\r\n",
                "blanks around values": get("A: \t b \t \r\n"), "empty value": get("A:\r\n"),
                "tab in a value": get("A: b\tc\r\n"),
                "high bytes in a value": get("A: \u{FC}\u{80}\r\n"),
                "a name of all token characters": get("!#$%&'*+-.^_`|~09azAZ: b\r\n"),
                "one name many times": get(String(repeating: "A: b\r\n", count: 60)),
                "Host with a port": "GET /echo HTTP/1.1\r\nHost: x:65535\r\n\r\n",
                "Host with an IPv6 address": "GET /echo HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
                "Host with an empty port": "GET /echo HTTP/1.1\r\nHost: x:\r\n\r\n",
                "Upgrade to HTTP/2": get(
                    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                        + "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"),
                "Upgrade to WebSocket": get("Connection: Upgrade\r\nUpgrade: websocket\r\n"),
                "Connection names Host": get("Connection: Host\r\n"),
                "empty Connection": get("Connection: , ,\r\n"),
                "underscores are no dashes": get(
                    "Content_Length: 5\r\nTransfer_Encoding: chunked\r\n"),
                "a length in another field": get("X-Content-Length: 5\r\n"),
                "URL for a target": get(target: "http://x/echo"),
                "URL of another host": get(target: "http://other:81/echo"),
                "URL in capitals": get(target: "HTTPS://X/echo"),
                "Range": get("Range: bytes=0-,5-0,5-1,5-2\r\n"),
                "TE": get("TE: trailers, gzip\r\n"),
                "GET with an empty body": get("Content-Length: 0\r\n"),
                "an expectation without a body": get("Expect: 100-continue\r\n"),
                "method override": get("X-HTTP-Method-Override: DELETE\r\n"),
            ])
        + [
            Example(
                name: "URL without a path", message: get(target: "http://x"),
                answers: ["200 GET / "]),
            Example(
                name: "URL with a query and no path", message: get(target: "http://x?a"),
                answers: ["200 GET /?a "]),
            Example(
                name: "asterisk", message: "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
                answers: ["200 OPTIONS * "]),
        ]
        + ["get", "Get", "TRACE", "XGET", "M-SEARCH", "PROPFIND", "!#$", "DELETEX", "0"].map {
            Example(
                name: "method \($0)", message: "\($0) /echo HTTP/1.1\r\nHost: x\r\n\r\n",
                answers: ["200 other /echo "])
        }
        + [
            "//x/echo", "/../echo", "/./echo", "/%2e%2e/echo", "/%2E%2E%2Fecho", "/%00",
            "/%0d%0aA:%20b",
            "/%252e", "/%c0%af", "/%e0%80%af", "/%ff", "/echo;a=b", "/echo?a?b/c", "/echo?", "/%20",
            "/*",
            "/:80", "/@x", "/echo%23", "/~", "/a%2Fb", "/echo?http://x/", "/-._~!$&'()*+,;=:@",
        ].map {
            Example(name: "target \($0)", message: get(target: $0), answers: ["200 GET \($0) "])
        }

    static let bodies: [Example] =
        served(
            "POST /echo ab",
            [
                "leading zeros": post("Content-Length: 0002\r\n", "ab"),
                "blanks around the length": post("Content-Length: \t2 \t\r\n", "ab"),
                "name in capitals": post("CONTENT-LENGTH: 2\r\n", "ab"),
                "coding in capitals": post(
                    "Transfer-Encoding: CHUNKED\r\n", "2\r\nab\r\n0\r\n\r\n"),
                "tab before the coding": post(
                    "Transfer-Encoding:\tchunked \r\n", "2\r\nab\r\n0\r\n\r\n"),
                "Connection names Content-Length": post(
                    "Connection: content-length\r\nContent-Length: 2\r\n", "ab"),
                "Connection names Transfer-Encoding": post(
                    "Connection: transfer-encoding\r\nTransfer-Encoding: chunked\r\n",
                    "2\r\nab\r\n0\r\n\r\n"),
                "extensions": chunked("1;a=b;c=\"d;e\"\r\na\r\n1;\r\nb\r\n0;f\r\n\r\n"),
                "sizes with zeros": chunked("00000002\r\nab\r\n0000\r\n\r\n"),
                "trailers about framing": chunked(
                    "2\r\nab\r\n0\r\nContent-Length: 5\r\nTransfer-Encoding: x\r\nHost: y\r\n"
                        + "Connection: close\r\n\r\n"),
                "announced trailer": post(
                    "Trailer: Content-Length\r\nTransfer-Encoding: chunked\r\n",
                    "2\r\nab\r\n0\r\nContent-Length: 9\r\n\r\n"),
                "body at once with an expectation": post(
                    "Content-Length: 2\r\nExpect: 100-CONTINUE\r\n", "ab"),
                "underscore beside a length": post(
                    "Content-Length: 2\r\nContent_Length: 9\r\nTransfer_Encoding: chunked\r\n", "ab"
                ),
                "content coding is not framing": post(
                    "Content-Encoding: chunked\r\nContent-Length: 2\r\n", "ab"),
            ])
        + [
            Example(
                name: "GET with a body", message: get("Content-Length: 2\r\n") + "ab",
                answers: ["200 GET /echo ab"]),
            Example(
                name: "GET with a request for a body",
                message: get("Content-Length: 32\r\n") + "GET /inner HTTP/1.1\r\nHost: x\r\n\r\n",
                answers: ["200 GET /echo GET /inner HTTP/1.1\r\nHost: x\r\n\r\n"]),
            Example(
                name: "DELETE with chunks",
                message: "DELETE /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "2\r\nab\r\n0\r\n\r\n", answers: ["200 DELETE /echo ab"]),
            Example(
                name: "OPTIONS with a body",
                message: "OPTIONS * HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab",
                answers: ["200 OPTIONS * ab"]),
            Example(
                name: "hexadecimal sizes",
                message: chunked("a\r\n0123456789\r\n0A;x\r\n0123456789\r\n0\r\n\r\n"),
                answers: ["200 POST /echo 01234567890123456789"]),
            Example(
                name: "line ends in a chunk", message: chunked("7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n"),
                answers: ["200 POST /echo \r\n0\r\n\r\n"]),
            Example(
                name: "only the last chunk", message: chunked("0\r\n\r\n"),
                answers: ["200 POST /echo "]),
            Example(
                name: "an empty body awaited",
                message: post("Content-Length: 0\r\nExpect: 100-continue\r\n"),
                answers: ["200 POST /echo "]),
            Example(
                name: "no length: what follows is the next request",
                message: post("") + get(), answers: ["200 POST /echo ", "200 GET /echo "]),
            Example(
                name: "length 0: what follows is the next request",
                message: post("Content-Length: 0\r\n") + get(),
                answers: ["200 POST /echo ", "200 GET /echo "]),
            Example(
                name: "two of the same at once",
                message: post("Content-Length: 1\r\n", "a") + chunked("1\r\na\r\n0\r\n\r\n"),
                answers: ["200 POST /echo a", "200 POST /echo a"]),
        ]

    static let endings: [Example] =
        [
            ("the last request", get("Connection: close\r\n"), ["200 GET /echo "]),
            ("close in a list", get("Connection: x,\tCLOSE ,y\r\n"), ["200 GET /echo "]),
            (
                "close before keep-alive", get("Connection: close, keep-alive\r\n"),
                ["200 GET /echo "]
            ),
            (
                "keep-alive before close", get("Connection: keep-alive\r\nConnection: close\r\n"),
                ["200 GET /echo "]
            ),
            (
                "close with a body", post("Connection: close\r\nContent-Length: 1\r\n", "a"),
                ["200 POST /echo a"]
            ),
            ("HTTP/1.0", "GET /echo HTTP/1.0\r\n\r\n", ["200 GET /echo "]),
            (
                "HTTP/1.0 with a body", "POST /echo HTTP/1.0\r\nContent-Length: 1\r\n\r\na",
                ["200 POST /echo a"]
            ),
            (
                "HTTP/1.0 waits for no 100",
                "POST /echo HTTP/1.0\r\nExpect: x\r\nContent-Length: 1\r\n\r\na",
                ["200 POST /echo a"]
            ),
            (
                "garbage after a request", get() + "\0\u{1}\u{2}",
                ["200 GET /echo ", "400 malformed_controlByte"]
            ),
            (
                "garbage after a body", post("Content-Length: 1\r\n", "a\u{16}\u{3}"),
                ["200 POST /echo a", "400 malformed_controlByte"]
            ),
            (
                "two line ends after a body", post("Content-Length: 1\r\n", "a\r\n\r\n"),
                ["200 POST /echo a", "400 malformed_requestLine"]
            ),
            (
                "a body longer than its length", post("Content-Length: 1\r\n", "ab c\r\n"),
                ["200 POST /echo a", "400 malformed_requestLine"]
            ),
            (
                "garbage after the last chunk", chunked("0\r\n\r\n0\r\n\r\n"),
                ["200 POST /echo ", "400 malformed_requestLine"]
            ),
            (
                "a hostile one after a good one", get() + post("Content-Length: 1, 1\r\n", "a"),
                ["200 GET /echo ", "400 malformed_contentLength"]
            ),
        ].map { (name: String, message: String, answers: [String]) in
            Example(name: name, message: message, answers: answers, ending: .closed)
        }
        + [
            Example(
                name: "HTTP/1.0 with keep-alive",
                message: "GET /echo HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
                answers: ["200 GET /echo "])
        ]

    static let halfClosed: [Example] =
        [
            ("after a whole request", get(), ["200 GET /echo "]),
            ("after two", get() + get(), ["200 GET /echo ", "200 GET /echo "]),
            ("after a whole body", post("Content-Length: 1\r\n", "a"), ["200 POST /echo a"]),
            ("in the middle of the next request", get() + "GET /ec", ["200 GET /echo "]),
            ("awaiting a body", post("Content-Length: 1\r\nExpect: 100-continue\r\n"), ["100 "]),
        ].map { (name: String, message: String, answers: [String]) in
            Example(name: name, message: message, answers: answers, ending: .clientEnds)
        }
        + [
            "", "G", "\r\n", "\r", "GET /echo HTTP/1.1", "GET /echo HTTP/1.1\r\n",
            "GET /echo HTTP/1.1\r\nHost: x\r\n", "GET /echo HTTP/1.1\r\nHost: x\r\n\r",
            post("Content-Length: 5\r\n"), post("Content-Length: 5\r\n", "abcd"), chunked(""),
            chunked("5"),
            chunked("5\r\nab"), chunked("2\r\nab"), chunked("2\r\nab\r\n"), chunked("2\r\nab\r\n0"),
            chunked("2\r\nab\r\n0\r\n"), chunked("2\r\nab\r\n0\r\n\r"),
            chunked("2\r\nab\r\n0\r\nA: b\r\n"),
        ].map {
            Example(
                name: "in the middle: \($0.debugDescription)", message: $0, answers: [],
                ending: .clientEnds)
        }

    @Test(
        "Each request is answered once and in its order, and what is not whole never",
        arguments: heads + bodies + endings + halfClosed)
    func answered(_ example: Example) throws {
        let server = try EchoServer { $0.limits.lingerMilliseconds = 30_000 }
        defer { server.stop() }
        let client = try server.client()
        client.send(latin1(example.message))
        if example.ending == .clientEnds {
            client.shutdownWrite()
        } else {
            client.send("GET /after HTTP/1.1\r\nHost: x\r\n\r\n")
        }
        var answers: [String] = []
        let expected = example.answers + (example.ending == .open ? ["200 GET /after "] : [])
        while answers.count < expected.count, let answer = client.answer() {
            answers.append("\(answer.status) \(answer.body)")
        }
        #expect(answers == expected)
        client.shutdownWrite()
        #expect(client.readToEnd() == "")
        #expect(client.hasEnded)
        let handled = expected.filter { $0.hasPrefix("200") }.count
        #expect(server.shared.state.withLock { $0.handled } == handled)
        let next = try server.client()
        next.send(ServerTests.get)
        #expect(next.answer()?.body == "GET /echo ")
    }

    @Test("HEAD with a body is answered without one, and the next request is found")
    func head() throws {
        let server = try EchoServer { $0.limits.lingerMilliseconds = 30_000 }
        defer { server.stop() }
        let client = try server.client()
        client.send(
            "HEAD /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab" + ServerTests.get)
        #expect(client.answer(hasBody: false)?.field("Content-Length") == "13")
        #expect(client.answer()?.body == "GET /echo ")
    }
}
