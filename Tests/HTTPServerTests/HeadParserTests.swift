import Testing

@testable import HTTPServer

/// A head as the parser saw it, in comparable form.
struct ParsedHead: Equatable {
    var method: Method
    var version: HTTPVersion
    var path: String
    var query: String?
    var fields: [String]
    var end: Int
}

@Suite struct HeadParserTests {
    /// Parses `text`, given in the pieces that `cuts` ends.
    static func parse(
        _ text: [UInt8], cuts: [Int] = [], _ limits: HTTPLimits = HTTPLimits()
    ) -> Result<ParsedHead, Refusal>? {
        var parser = HeadParser()
        var head = RequestHead()
        for cut in cuts + [text.count] {
            switch parser.parse(text.span.extracting(0..<cut), into: &head, limits) {
            case .needsMore: continue
            case .refused(let refusal): return .failure(refusal)
            case .complete(let end):
                return .success(
                    ParsedHead(
                        method: head.method, version: head.version,
                        path: EchoHandler.text(head.path),
                        query: EchoHandler.text(head.query),
                        fields: (0..<head.fieldCount).map {
                            EchoHandler.text(head.name(at: $0)) + "="
                                + EchoHandler.text(head.value(at: $0))
                        }, end: end))
            }
        }
        return nil
    }

    struct Accepted: Sendable {
        var line: String
        var method: Method
        var path: String
        var query: String?
        var version = HTTPVersion.http11
    }

    @Test(
        "A valid request line is read",
        arguments: [
            Accepted(line: "GET / HTTP/1.1", method: .get, path: "/"),
            Accepted(line: "GET / HTTP/1.0", method: .get, path: "/", version: .http10),
            Accepted(line: "POST /api/transfers HTTP/1.1", method: .post, path: "/api/transfers"),
            Accepted(line: "HEAD /a?b HTTP/1.1", method: .head, path: "/a", query: "b"),
            Accepted(line: "PUT /a? HTTP/1.1", method: .put, path: "/a", query: ""),
            Accepted(line: "DELETE /a?b?c/d HTTP/1.1", method: .delete, path: "/a", query: "b?c/d"),
            Accepted(line: "PATCH /%41%7e HTTP/1.1", method: .patch, path: "/%41%7e"),
            Accepted(line: "OPTIONS * HTTP/1.1", method: .options, path: "*"),
            Accepted(line: "OPTIONS /a HTTP/1.1", method: .options, path: "/a"),
            Accepted(line: "BREW /pot HTTP/1.1", method: .other, path: "/pot"),
            Accepted(line: "get / HTTP/1.1", method: .other, path: "/"),
            Accepted(line: "GET //a HTTP/1.1", method: .get, path: "//a"),
            Accepted(line: "GET http://x/a?b HTTP/1.1", method: .get, path: "/a", query: "b"),
            Accepted(line: "GET HTTP://x:80/ HTTP/1.1", method: .get, path: "/"),
            Accepted(line: "GET https://x HTTP/1.1", method: .get, path: "/"),
            Accepted(line: "GET http://[::1]:8?q HTTP/1.1", method: .get, path: "/", query: "q"),
            Accepted(
                line: "GET /!$&'()*+,;=:@-._~ HTTP/1.1", method: .get, path: "/!$&'()*+,;=:@-._~"),
        ])
    func accepts(_ example: Accepted) throws {
        let text = example.line + "\r\nHost: x\r\n\r\n"
        let head = try #require(Self.parse(Array(text.utf8))).get()
        #expect(
            head
                == ParsedHead(
                    method: example.method, version: example.version, path: example.path,
                    query: example.query, fields: ["Host=x"], end: text.utf8.count))
    }

    @Test("Field values lose the white space around them and keep what is inside")
    func fieldValues() throws {
        let text = "GET / HTTP/1.1\r\nHost:x\r\nA: \t b \t c\t \r\nEmpty:\r\nLatin: \u{FF}\r\n\r\n"
        let head = try #require(Self.parse(Array(text.utf8))).get()
        #expect(head.fields == ["Host=x", "A=b \t c", "Empty=", "Latin=\u{FF}"])
    }

    @Test("One empty line before the request line is passed over, two are not")
    func leadingEmptyLine() throws {
        let one = Array("\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        #expect(try #require(Self.parse(one)).get().fields == ["Host=x"])
        #expect(Self.parse([13, 10] + one) == .failure(.malformed(.requestLine)))
    }

    @Test("The result does not depend on where the bytes are cut")
    func everySplit() throws {
        let good = Array(
            "\r\nPOST /a?b HTTP/1.1\r\nHost: x\r\nLong-Name: some value\r\n\r\nbody".utf8)
        let whole = try #require(Self.parse(good)).get()
        for first in 1..<good.count {
            #expect(try Self.parse(good, cuts: [first])?.get() == whole)
        }
        #expect(try Self.parse(good, cuts: Array(1..<good.count))?.get() == whole)
        for bad in ["GET / HTTP/1.1\r\nA: b\rc\r\n\r\n", "GET / HTTP/1.1\nA: b\r\n\r\n"] {
            let bytes = Array(bad.utf8)
            let refusal = Self.parse(bytes)
            #expect(refusal != nil)
            #expect(Self.parse(bytes, cuts: Array(1..<bytes.count)) == refusal)
        }
    }

    @Test("A head that goes on is not refused")
    func incomplete() {
        for text in [
            "", "G", "GET / HTTP/1.1", "GET / HTTP/1.1\r", "GET / HTTP/1.1\r\nHost: x\r\n\r",
        ] {
            #expect(Self.parse(Array(text.utf8)) == nil)
        }
    }

    struct Refused: Sendable {
        var text: String
        var refusal: Refusal
    }

    @Test(
        "An invalid head is refused as soon as it is seen",
        arguments: [
            Refused(text: "GET / HTTP/1.1\n", refusal: .malformed(.lineFeed)),
            Refused(text: "\n", refusal: .malformed(.lineFeed)),
            Refused(text: "GET / HTTP/1.1\rX", refusal: .malformed(.carriageReturn)),
            Refused(text: "GET / HTTP/1.1\r\nA: b\rc", refusal: .malformed(.carriageReturn)),
            Refused(text: "GET / HTTP/1.1\r\nA: b\r\r\n", refusal: .malformed(.carriageReturn)),
            Refused(text: "GET /\0", refusal: .malformed(.controlByte)),
            Refused(text: "\u{16}\u{3}\u{1}", refusal: .malformed(.controlByte)),
            Refused(text: "GET / HTTP/1.1\r\nA: \u{7F}", refusal: .malformed(.controlByte)),
            Refused(text: "GET / HTTP/1.1\r\nA: \u{1B}", refusal: .malformed(.controlByte)),
            Refused(text: "GET\t/ HTTP/1.1\r\n", refusal: .malformed(.requestLine)),
            Refused(text: "GET  / HTTP/1.1\r\n", refusal: .malformed(.requestLine)),
            Refused(text: "GET /  HTTP/1.1\r\n", refusal: .malformed(.requestLine)),
            Refused(text: "GET / HTTP/1.1 \r\n", refusal: .malformed(.requestLine)),
            Refused(text: " GET / HTTP/1.1\r\n", refusal: .malformed(.requestLine)),
            Refused(text: "GET /\r\n", refusal: .malformed(.requestLine)),
            Refused(text: "GET\r\n", refusal: .malformed(.requestLine)),
            Refused(text: "GET / http/1.1\r\n", refusal: .malformed(.requestLine)),
            Refused(text: "GET / HTTP/11\r\n", refusal: .malformed(.requestLine)),
            Refused(text: "GET / HTTP/1.1x\r\n", refusal: .malformed(.requestLine)),
            Refused(text: "G@T / HTTP/1.1\r\n", refusal: .malformed(.requestLine)),
            Refused(text: "GET / HTTP/1.2\r\n", refusal: .versionNotSupported),
            Refused(text: "GET / HTTP/0.9\r\n", refusal: .versionNotSupported),
            Refused(text: "GET / HTTP/3.0\r\n", refusal: .versionNotSupported),
            Refused(text: "PRI * HTTP/2.0\r\n", refusal: .versionNotSupported),
            Refused(text: "CONNECT x:443 HTTP/1.1\r\n", refusal: .malformed(.connect)),
            Refused(text: "GET x:80 HTTP/1.1\r\n", refusal: .malformed(.requestTarget)),
            Refused(text: "GET * HTTP/1.1\r\n", refusal: .malformed(.requestTarget)),
            Refused(text: "OPTIONS ** HTTP/1.1\r\n", refusal: .malformed(.requestTarget)),
            Refused(text: "GET a HTTP/1.1\r\n", refusal: .malformed(.requestTarget)),
            Refused(text: "GET ftp://x/ HTTP/1.1\r\n", refusal: .malformed(.requestTarget)),
            Refused(text: "GET http:// HTTP/1.1\r\n", refusal: .malformed(.requestTarget)),
            Refused(text: "GET http:///a HTTP/1.1\r\n", refusal: .malformed(.hostInvalid)),
            Refused(text: "GET http://u@x/ HTTP/1.1\r\n", refusal: .malformed(.hostInvalid)),
            Refused(text: "GET http://x:99999/ HTTP/1.1\r\n", refusal: .malformed(.hostInvalid)),
            Refused(text: "GET /#a HTTP/1.1\r\n", refusal: .malformed(.requestTarget)),
            Refused(text: "GET /é HTTP/1.1\r\n", refusal: .malformed(.requestTarget)),
            Refused(text: "GET /<a> HTTP/1.1\r\n", refusal: .malformed(.requestTarget)),
            Refused(text: "GET /\\ HTTP/1.1\r\n", refusal: .malformed(.requestTarget)),
            Refused(text: "GET /% HTTP/1.1\r\n", refusal: .malformed(.requestTarget)),
            Refused(text: "GET /%4 HTTP/1.1\r\n", refusal: .malformed(.requestTarget)),
            Refused(text: "GET /%4g HTTP/1.1\r\n", refusal: .malformed(.requestTarget)),
            Refused(text: "GET / HTTP/1.1\r\n A: b\r\n", refusal: .malformed(.foldedField)),
            Refused(text: "GET / HTTP/1.1\r\nA: b\r\n\tc\r\n", refusal: .malformed(.foldedField)),
            Refused(text: "GET / HTTP/1.1\r\nA : b\r\n", refusal: .malformed(.fieldName)),
            Refused(text: "GET / HTTP/1.1\r\n: b\r\n", refusal: .malformed(.fieldName)),
            Refused(text: "GET / HTTP/1.1\r\nA b\r\n", refusal: .malformed(.fieldName)),
            Refused(text: "GET / HTTP/1.1\r\nA\tb: c\r\n", refusal: .malformed(.fieldName)),
            Refused(text: "GET / HTTP/1.1\r\nÄ: b\r\n", refusal: .malformed(.fieldName)),
            Refused(text: "GET / HTTP/1.1\r\nA(b): c\r\n", refusal: .malformed(.fieldName)),
        ])
    func refuses(_ example: Refused) {
        #expect(Self.parse(Array(example.text.utf8)) == .failure(example.refusal))
    }

    @Test("The limits of a head are exact")
    func limits() throws {
        var limits = HTTPLimits()
        limits.headFieldLines = 2
        limits.requestTargetBytes = 10
        let line = "GET /123456789 HTTP/1.1\r\n"
        let two = line + "A: b\r\nC: d\r\n"
        limits.headBytes = two.utf8.count + 2
        #expect(
            try #require(Self.parse(Array((two + "\r\n").utf8), cuts: [], limits)).get().fields
                .count == 2)
        #expect(Self.parse(Array((two + "\r\nbody").utf8), cuts: [], limits) != nil)
        #expect(
            Self.parse(Array((two + "E: f\r\n").utf8), cuts: [], limits) == .failure(.headTooLarge))
        limits.headBytes += 100
        #expect(
            Self.parse(Array((two + "E: f\r\n").utf8), cuts: [], limits) == .failure(.tooManyFields)
        )
        #expect(
            Self.parse(Array("GET /1234567890 HTTP/1.1\r\n".utf8), cuts: [], limits)
                == .failure(.targetTooLong))
        limits.headBytes = 1000
        #expect(
            Self.parse(Array(("GET /" + String(repeating: "a", count: 90)).utf8), cuts: [], limits)
                == .failure(.targetTooLong))
        let endless = Array((line + "A: " + String(repeating: "b", count: 1000)).utf8)
        #expect(Self.parse(endless, cuts: [], limits) == .failure(.headTooLarge))
    }

    @Test("Fields are found in any case, counted by line and listed in order")
    func lookup() {
        var parser = HeadParser()
        var head = RequestHead()
        let text = Array("GET / HTTP/1.1\r\nx-A: 1\r\nX-B: 2\r\nX-a: 3\r\n\r\n".utf8)
        _ = parser.parse(text.span, into: &head, HTTPLimits())
        let first = EchoHandler.text(head.value(of: "X-A"))
        #expect(first == "1")
        #expect(head.count(of: "x-a") == 2)
        #expect(head.count(of: "x-c") == 0)
        let none = EchoHandler.text(head.value(of: "x-c"))
        #expect(none == nil)
        var values: [String] = []
        head.forEachValue(of: "X-A") { values.append(EchoHandler.text($0)) }
        #expect(values == ["1", "3"])
    }
}
