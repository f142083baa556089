import Testing

@testable import JSON

@Suite("Writing JSON") struct WriterTests {
    private static func text(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.finish(), as: UTF8.self)
    }

    @Test("Members, elements and nested values get their commas")
    func commas() {
        let text = Self.text { writer in
            writer.beginObject()
            writer.member("a", "x")
            writer.member("b", 1 as Int64)
            writer.beginObject("c")
            writer.endObject()
            writer.beginArray("d")
            writer.integer(1)
            writer.beginArray()
            writer.endArray()
            writer.beginObject()
            writer.member("e", true)
            writer.member("f", raw: Array("[1,2]".utf8))
            writer.endObject()
            writer.null()
            writer.bool(false)
            writer.endArray()
            writer.nullMember("g")
            writer.member("h", plain: { $0 += [0x31, 0x32] })
            writer.name(dynamic: "i\"")
            writer.string("end")
            writer.endObject()
        }
        #expect(
            text
                == #"{"a":"x","b":1,"c":{},"d":[1,[],{"e":true,"f":[1,2]},null,false],"#
                + #""g":null,"h":"12","i\"":"end"}"#)
    }

    @Test(
        "Strings get the fewest escapes",
        arguments: [
            ("", #""""#), ("a/b", #""a/b""#), ("\"\\", #""\"\\""#),
            ("\u{08}\u{09}\u{0A}\u{0C}\u{0D}", #""\b\t\n\f\r""#),
            ("\u{00}\u{01}\u{0B}\u{0E}\u{1F}", #""\u0000\u0001\u000b\u000e\u001f""#),
            ("\u{7F}é€😀\u{2028}", "\"\u{7F}é€😀\u{2028}\""), ("a\"b\"c", #""a\"b\"c""#),
        ])
    func escapes(text: String, json: String) {
        #expect(Self.text { $0.string(text) } == json)
    }

    @Test(
        "Integers are written in full",
        arguments: [
            (0, "0"), (-1, "-1"), (7, "7"), (-100, "-100"), (Int64.max, "9223372036854775807"),
            (Int64.min, "-9223372036854775808"),
        ])
    func integers(value: Int64, json: String) {
        #expect(Self.text { $0.integer(value) } == json)
    }

    @Test("A writer goes on after bytes that were there")
    func appending() {
        var writer = JSONWriter(appendingTo: Array("HTTP".utf8))
        writer.beginArray()
        writer.endArray()
        #expect(writer.finish() == Array("HTTP[]".utf8))
    }

    @Test("Every scalar that the reader allows is read back as it was written")
    func roundTripScalars() throws {
        var text = ""
        for value in (1...0x10FFFF) as ClosedRange<UInt32> {
            guard value < 0x3100 || value % 251 == 0, let scalar = Unicode.Scalar(value) else {
                continue
            }
            if value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(value) { continue }
            text.unicodeScalars.append(scalar)
        }
        var writer = JSONWriter()
        writer.string(text)
        let document = try JSONDocument(writer.finish(), maximumDepth: 0)
        #expect(document.root.string.map { Array($0.utf8) } == Array(text.utf8))
    }
}
