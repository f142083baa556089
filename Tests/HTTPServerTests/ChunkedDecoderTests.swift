import Testing

@testable import HTTPServer

@Suite struct ChunkedDecoderTests {
    struct Decoded: Equatable {
        var body: String
        var consumed: Int
        var progress: ChunkedDecoder.Progress
    }

    /// Decodes `text` handed over in pieces that end at `cuts`.
    static func decode(
        _ text: String, cuts: [Int] = [], _ limits: HTTPLimits = HTTPLimits()
    ) -> Decoded {
        var decoder = ChunkedDecoder()
        var body: [UInt8] = []
        let bytes = Array(text.utf8)
        var start = 0
        for cut in cuts + [bytes.count] {
            let (consumed, progress) = decoder.decode(
                bytes.span.extracting(start..<cut), into: &body, limits)
            if progress != .needsMore || cut == bytes.count {
                return Decoded(
                    body: String(decoding: body, as: UTF8.self), consumed: start + consumed,
                    progress: progress)
            }
            start = cut
        }
        return Decoded(body: "", consumed: 0, progress: .needsMore)
    }

    @Test(
        "A chunked body is decoded, wherever it is cut",
        arguments: [
            ("0\r\n\r\n", ""), ("3\r\nabc\r\n0\r\n\r\n", "abc"),
            ("1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", "abc"), ("0003\r\nabc\r\n000\r\n\r\n", "abc"),
            ("a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789"),
            ("3;x=y;z=\"q;\"\r\nabc\r\n0;last\r\n\r\n", "abc"),
            ("3\r\nabc\r\n0\r\nTrailer: v\r\nB:\r\n\r\n", "abc"),
            ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"),
        ])
    func decodes(_ text: String, _ body: String) {
        let count = text.utf8.count
        let expected = Decoded(body: body, consumed: count, progress: .complete)
        #expect(Self.decode(text) == expected)
        #expect(Self.decode(text + "GET /") == expected)
        for cut in 1..<count { #expect(Self.decode(text, cuts: [cut]) == expected) }
        #expect(Self.decode(text, cuts: Array(1..<count)) == expected)
        for end in 0..<count {
            #expect(
                Self.decode(String(decoding: text.utf8.prefix(end), as: UTF8.self)).progress
                    == .needsMore)
        }
    }

    @Test(
        "An invalid chunked body is refused, wherever it is cut",
        arguments: [
            ("\r\n", Refusal.malformed(.chunkSize)), (";a\r\n", .malformed(.chunkSize)),
            ("g\r\n", .malformed(.chunkSize)), ("0x3\r\n", .malformed(.chunkSize)),
            ("+3\r\n", .malformed(.chunkSize)), ("-3\r\n", .malformed(.chunkSize)),
            (" 3\r\n", .malformed(.chunkSize)), ("3 \r\n", .malformed(.chunkSize)),
            ("3\n", .malformed(.chunkSize)), ("3\rabc", .malformed(.chunkSize)),
            ("3;a\nabc", .malformed(.chunkSize)), ("3;\0\r\n", .malformed(.chunkSize)),
            ("000000003\r\n", .malformed(.chunkSize)), ("fffffffff\r\n", .malformed(.chunkSize)),
            ("ffffffff\r\n", .bodyTooLarge), ("4001\r\n", .bodyTooLarge),
            ("3\r\nabcd\r\n", .malformed(.chunkEnd)), ("3\r\nabc\n", .malformed(.chunkEnd)),
            ("3\r\nabc0\r\n", .malformed(.chunkEnd)), ("3\r\nabc\rX", .malformed(.chunkEnd)),
            ("0\r\n A: b\r\n", .malformed(.trailer)), ("0\r\n: b\r\n", .malformed(.trailer)),
            ("0\r\nA : b\r\n", .malformed(.trailer)), ("0\r\nA: b\n", .malformed(.trailer)),
            ("0\r\nA: b\r\r", .malformed(.trailer)), ("0\r\nA: \0\r\n", .malformed(.trailer)),
            ("0\r\n\n", .malformed(.trailer)), ("0\r\n\rX", .malformed(.trailer)),
            ("0\r\nA\r\n", .malformed(.trailer)),
        ])
    func refuses(_ text: String, _ refusal: Refusal) {
        #expect(Self.decode(text).progress == .refused(refusal))
        let bytes = Array(1..<text.utf8.count)
        #expect(Self.decode(text, cuts: bytes).progress == .refused(refusal))
    }

    @Test("Decoded size, extensions and trailers are bounded, exactly")
    func limits() {
        var limits = HTTPLimits()
        limits.bodyBytes = 4
        limits.chunkExtensionBytes = 4
        limits.trailerBytes = 8
        limits.headFieldLines = 1
        let end = "0\r\n\r\n"
        #expect(Self.decode("4\r\nabcd\r\n" + end, cuts: [], limits).progress == .complete)
        #expect(
            Self.decode("2\r\nab\r\n3\r\n", cuts: [], limits).progress == .refused(.bodyTooLarge))
        // The carriage return that ends an extension counts as one of its bytes.
        #expect(Self.decode("0;abc\r\n\r\n", cuts: [], limits).progress == .complete)
        #expect(
            Self.decode("1;a\r\nx\r\n0;bcd\r\n", cuts: [], limits).progress
                == .refused(.bodyTooLarge))
        #expect(Self.decode("0\r\nA: bcd\r\n\r\n", cuts: [], limits).progress == .complete)
        #expect(
            Self.decode("0\r\nA: bcde\r\n\r\n", cuts: [], limits).progress
                == .refused(.trailersTooLarge))
        #expect(
            Self.decode("0\r\nA: bcdefgh\r\n", cuts: [], limits).progress
                == .refused(.trailersTooLarge))
        #expect(
            Self.decode("0\r\nA:\r\nB:\r\n", cuts: [], limits).progress
                == .refused(.trailersTooLarge))
    }
}
