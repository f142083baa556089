import Platform
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Requests, against h11 and httptools") struct HeadTests {
    /// Reads one hexadecimal request a line; answers for each what h11 and what httptools read, in
    /// one line each: `-` and why it was refused, or method, target, fields and body.
    private static let script = #"""
        import re, sys
        import h11, httptools

        def written(method, target, headers, body):
            # Path and query, whatever the target's form.
            if not target.startswith(b"/") and target != b"*":
                target = re.sub(rb"(?i)^https?://[^/?]*", b"", target)
                if not target.startswith(b"/"): target = b"/" + target
            # h11 writes a coding's name in lower case.
            lower = lambda n, v: v.lower() if n.lower() == b"transfer-encoding" else v
            fields = ["%s=%s" % (n.lower().hex(), lower(n, v.strip(b" \t")).hex()) for n, v in headers]
            return " ".join(["+", method.hex(), target.hex(), ",".join(fields), body.hex()])

        def by_h11(data):
            connection = h11.Connection(h11.SERVER)
            connection.receive_data(data)
            try:
                request, body = connection.next_event(), b""
                if request is h11.NEED_DATA: return "- incomplete"
                while True:
                    event = connection.next_event()
                    if type(event) is h11.Data: body += bytes(event.data)
                    elif type(event) is h11.EndOfMessage: break
                    else: return "- incomplete"
                return written(request.method, request.target, request.headers, body)
            except h11.RemoteProtocolError as error:
                return "- " + str(error).splitlines()[0][:60]

        class Request:
            def __init__(self):
                self.target, self.headers, self.body = b"", [], b""
                self.method, self.in_head, self.complete = None, True, False
            def on_url(self, url):
                if not self.complete: self.target += url
            def on_header(self, name, value):
                if self.in_head: self.headers.append((name, value))
            def on_headers_complete(self):
                self.in_head = False
                if self.method is None: self.method = self.parser.get_method()
            def on_body(self, data):
                if not self.complete: self.body += data
            def on_message_complete(self): self.complete = True

        def by_httptools(data):
            request = Request()
            request.parser = httptools.HttpRequestParser(request)
            error = "incomplete"
            try: request.parser.feed_data(data)
            except httptools.HttpParserUpgrade: error = "upgrade"
            except httptools.HttpParserError as found: error = str(found)
            if not request.complete: return "- " + error[:60]
            return written(request.method, request.target, request.headers, request.body)

        for line in open(sys.argv[1]):
            data = bytes.fromhex(line.strip())
            print(by_h11(data))
            print(by_httptools(data))
        """#

    /// What we accept and a peer refuses: why that is right.
    private static let widerThanH11: [(answer: String, reason: String)] = [
        ("no request line received", "RFC 9112 section 2.2 asks to tolerate one empty line.")
    ]

    private static let widerThanHTTPTools: [(answer: String, reason: String)] = [
        ("Invalid method", "Any token is a method (RFC 9110 section 9.1); it gets 405 or 404."),
        ("Expected space after method", "The same, where a token begins like a known method."),
        (
            "Expected HTTP/2 Connection Preface",
            "The same: PRI is a method like others to HTTP/1.1."
        ),
        ("Invalid character in chunk extensions", "Extensions are dropped, so no grammar is held."),
    ]

    /// What a peer accepts and we refuse: why we must.
    private static let stricter: [Refusal: String] = [
        .malformed(.lineFeed): "RFC 9112 section 2.2 lets one accept a bare LF; proxies disagree.",
        .malformed(.carriageReturn):
            "RFC 9112 section 2.2: a bare CR is refused, at the start too.",
        .malformed(.controlByte): "RFC 9110 section 5.5: no control bytes in a field.",
        .malformed(.foldedField): "RFC 9112 section 5.2: a server may refuse folded lines.",
        .malformed(.requestLine): "A request line has two spaces, before the version too.",
        .malformed(.requestTarget): "RFC 9112 section 3.2: of the forms an origin server serves.",
        .malformed(.connect): "This server is no proxy.",
        .malformed(.hostMissing): "RFC 9112 section 3.2: refused by a server, if not by a parser.",
        .malformed(.hostRepeated): "The same section.",
        .malformed(.hostInvalid): "The same section: `uri-host [ \":\" port ]`.",
        .malformed(.contentLength): "RFC 9112 section 6.3: `5,5` may be refused as well as read.",
        .malformed(.contentLengthRepeated): "The same section, where two lines agree.",
        .malformed(.lengthAndCoding): "RFC 9112 section 6.1: a server may refuse both at once.",
        .malformed(.codingInHTTP10): "The same section: the framing of such a message is faulty.",
        .malformed(.chunkSize): "An extension holds no CR.",
        .malformed(.trailer): "As in the head, a trailer's lines end with CRLF.",
        .unsupportedTransferCoding: "Of the codings we know chunked, and that once.",
        .versionNotSupported: "RFC 9112 section 2.3: HTTP/1.0 and HTTP/1.1 are served.",
        .expectationFailed: "RFC 9110 section 10.1.1: 417 where an expectation is not known.",
    ]

    /// What our server reads: `-` and why it is refused, or the same as the peers write.
    private static func read(_ bytes: [UInt8]) -> (line: String, refusal: Refusal?) {
        let now = MonotonicTime(nanoseconds: 1_000_000_000)
        var state = ConnectionState(limits: HTTPLimits(), now: now)
        bytes.withUnsafeBufferPointer { state.receive($0) }
        while true {
            switch state.next(now) {
            case .admit: state.admitRead(now)
            case .write: state.wrote(state.pendingOutput)
            case .refuse(let refusal): return ("- \(refusal.name)", refusal)
            case .handle: return (written(state.buffers.head, state.buffers.body), nil)
            case .wait, .close, .reset, .shutdownWrite: return ("- incomplete", nil)
            }
        }
    }

    private static func written(_ head: borrowing RequestHead, _ body: [UInt8]) -> String {
        var target = bytes(head.path)
        if let query = head.query { target += [0x3F] + bytes(query) }
        var fields: [String] = []
        for index in 0..<head.fieldCount {
            let name = bytes(head.name(at: index)).map(ByteClass.lowercased)
            var value = bytes(head.value(at: index))
            if name == Array("transfer-encoding".utf8) { value = value.map(ByteClass.lowercased) }
            fields.append(hex(name) + "=" + hex(value))
        }
        return [
            "+", hex(bytes(head.methodName)), hex(target), fields.joined(separator: ","), hex(body),
        ].joined(separator: " ")
    }

    private static func bytes(_ span: Span<UInt8>) -> [UInt8] {
        span.indices.map { span[$0] }
    }

    @Test("What we accept both accept and read equally; every exception has a reason")
    func differential() throws {
        let generator = RequestGenerator(seed: 20_261_130)
        var inputs: [[UInt8]] = []
        for _ in 0..<2500 { inputs += [generator.request(), generator.damaged()] }
        let python = try Python.interpreter(importing: "h11, httptools", package: "httptools h11")
        let output = try Python.run(
            Self.script, input: Array(inputs.map(hex).joined(separator: "\n").utf8),
            interpreter: python)
        let answers = String(decoding: output, as: UTF8.self).split(separator: "\n").map(
            String.init)
        try #require(answers.count == 2 * inputs.count)
        var counts: [String: Int] = [:]
        for (index, input) in inputs.enumerated() {
            let ours = Self.read(input)
            compare(ours, answers[2 * index], "h11", Self.widerThanH11, input, &counts)
            compare(
                ours, answers[2 * index + 1], "httptools", Self.widerThanHTTPTools, input, &counts)
        }
        for (what, count) in counts.sorted(by: { $0.key < $1.key }) { print("\(count)\t\(what)") }
        for peer in ["h11", "httptools"] {
            #expect(counts["\(peer): both accept", default: 0] > 2000)
            #expect(counts["\(peer): both refuse", default: 0] > 500)
        }
    }

    private func compare(
        _ ours: (line: String, refusal: Refusal?), _ theirs: String, _ peer: String,
        _ wider: [(answer: String, reason: String)], _ input: [UInt8],
        _ counts: inout [String: Int]
    ) {
        let text = String(decoding: input, as: UTF8.self).debugDescription
        switch (ours.line.first == "+", theirs.first == "+") {
        case (true, true):
            counts["\(peer): both accept", default: 0] += 1
            #expect(ours.line == theirs, "\(peer) reads \(text) differently")
        case (false, false): counts["\(peer): both refuse", default: 0] += 1
        case (true, false):
            counts["\(peer): refuses alone: \(theirs.dropFirst(2))", default: 0] += 1
            #expect(
                wider.contains { theirs.contains($0.answer) }, "\(peer): \(theirs) for \(text)")
        case (false, true):
            counts["\(peer): accepts alone: \(ours.line.dropFirst(2))", default: 0] += 1
            let isListed = ours.refusal.map { Self.stricter[$0] != nil } ?? false
            #expect(isListed, "we refuse alone (\(ours.line)), \(peer) does not: \(text)")
        }
    }
}
