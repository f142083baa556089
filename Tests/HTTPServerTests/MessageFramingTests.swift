import Testing

@testable import HTTPServer

@Suite struct MessageFramingTests {
    static func framing(_ lines: String, version: String = "1.1") throws(Refusal) -> MessageFraming
    {
        var parser = HeadParser()
        var head = RequestHead()
        let text = Array("POST / HTTP/\(version)\r\n\(lines)\r\n".utf8)
        let progress = parser.parse(text.span, into: &head, HTTPLimits())
        precondition(progress == .complete(end: text.count), "\(progress)")
        return try MessageFraming(head)
    }

    @Test(
        "The body's length comes from Content-Length",
        arguments: [
            ("0", 0), ("1", 1), ("007", 7), ("9223372036854775807", Int.max),
            ("99999999999999999999", Int.max), ("00000000000000000000000000000012", 12),
        ])
    func contentLength(_ value: String, _ length: Int) throws {
        let framing = try Self.framing("Host: x\r\nContent-Length: \(value)\r\n")
        #expect(framing.body == .length(length))
    }

    @Test(
        "What is not one decimal Content-Length is refused",
        arguments: [
            "", "+1", "-1", "1,1", "1, 1", "1 1", "0x1", "1.0", "1e1", "a", "１",
            "000000000000000000000000000000012",
        ])
    func badContentLength(_ value: String) {
        #expect(throws: Refusal.malformed(.contentLength)) {
            try Self.framing("Host: x\r\nContent-Length: \(value)\r\n")
        }
    }

    @Test(
        "Every transfer coding but chunked is refused",
        arguments: [
            "gzip", "chunked, chunked", "gzip, chunked", "chunked, gzip", "chunked;a=b", "",
            "xchunked",
            "identity", "\"chunked\"", "chunked,",
        ])
    func codings(_ value: String) {
        #expect(throws: Refusal.unsupportedTransferCoding) {
            try Self.framing("Host: x\r\nTransfer-Encoding: \(value)\r\n")
        }
    }

    @Test("Chunked is read in any case")
    func chunked() throws {
        #expect(try Self.framing("Host: x\r\nTransfer-Encoding: chunKED\r\n").body == .chunked)
    }

    @Test(
        "Ambiguous framing is refused",
        arguments: [
            (
                "Content-Length: 1\r\nContent-Length: 1\r\n", "1.1",
                Refusal.malformed(.contentLengthRepeated)
            ),
            (
                "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "1.1",
                .malformed(.lengthAndCoding)
            ),
            (
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "1.1",
                .unsupportedTransferCoding
            ),
            ("Transfer-Encoding: chunked\r\n", "1.0", .malformed(.codingInHTTP10)),
        ])
    func ambiguous(_ lines: String, _ version: String, _ refusal: Refusal) {
        #expect(throws: refusal) { try Self.framing("Host: x\r\n" + lines, version: version) }
    }

    @Test(
        "A host that can be one is accepted",
        arguments: [
            "x", "a.b-c_d.example:8080", "127.0.0.1", "[::1]", "[::ffff:1.2.3.4]:1", "x:", "a%20b",
        ])
    func hosts(_ host: String) throws {
        #expect(try Self.framing("Host: \(host)\r\n") == MessageFraming())
    }

    @Test(
        "A host that cannot be one is refused",
        arguments: [
            "", "a b", "a/b", "u@x", "x:y", "x:65536", "x:-1", "[::1", "[]", "[zz::]", "x,y", "::1",
            "é",
        ])
    func badHosts(_ host: String) {
        #expect(throws: Refusal.malformed(.hostInvalid)) { try Self.framing("Host: \(host)\r\n") }
    }

    @Test("HTTP/1.1 needs exactly one Host, HTTP/1.0 at most one")
    func hostCount() throws {
        #expect(throws: Refusal.malformed(.hostMissing)) { try Self.framing("") }
        #expect(throws: Refusal.malformed(.hostRepeated)) {
            try Self.framing("Host: x\r\nHost: x\r\n")
        }
        #expect(try Self.framing("", version: "1.0").isPersistent == false)
        #expect(throws: Refusal.malformed(.hostRepeated)) {
            try Self.framing("Host: x\r\nHost: y\r\n", version: "1.0")
        }
    }

    @Test(
        "The connection persists as version and options say",
        arguments: [
            ("", "1.1", true), ("Connection: close\r\n", "1.1", false),
            ("Connection: foo, CLOSE ,bar\r\n", "1.1", false),
            ("Connection: closed\r\n", "1.1", true), ("Connection: keep-alive\r\n", "1.0", true),
            ("Connection: keep-alive\r\nConnection: close\r\n", "1.0", false), ("", "1.0", false),
        ])
    func persistence(_ line: String, _ version: String, _ persistent: Bool) throws {
        #expect(
            try Self.framing("Host: x\r\n" + line, version: version).isPersistent == persistent)
    }

    @Test("The only expectation is 100-continue, and only where a body follows")
    func expectations() throws {
        let length = "Host: x\r\nContent-Length: 2\r\n"
        #expect(try Self.framing(length + "Expect: 100-Continue\r\n").expectsContinue)
        #expect(try !Self.framing("Host: x\r\nExpect: 100-continue\r\n").expectsContinue)
        #expect(
            try !Self.framing(length + "Expect: 100-continue\r\n", version: "1.0").expectsContinue)
        #expect(throws: Refusal.expectationFailed) {
            try Self.framing(length + "Expect: the-unexpected\r\n")
        }
        #expect(throws: Refusal.expectationFailed) {
            try Self.framing(length + "Expect: 100-continue\r\nExpect: 100-continue\r\n")
        }
    }
}
