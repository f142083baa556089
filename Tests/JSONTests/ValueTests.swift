import Testing

@testable import JSON

@Suite("Values of a document") struct ValueTests {
    private static func root(_ text: String) throws -> JSONValue {
        try JSONDocument(Array(text.utf8), maximumDepth: 8).root
    }

    @Test("Members, elements, kinds and offsets are those of the source")
    func tree() throws {
        let root = try Self.root(#"{"a":[1,"x",{"b":null}],"c":true,"d":{"e":[[]]},"f":-2.5}"#)
        #expect(root.kind == .object)
        #expect(root.count == 4)
        #expect(root.members.map(\.name) == ["a", "c", "d", "f"])
        let array = try #require(root["a"])
        #expect(array.kind == .array)
        #expect(array.elements.map(\.kind) == [.number, .string, .object])
        #expect(array.elements.map(\.offset) == [6, 8, 12])
        #expect(
            array.elements.map { String(decoding: $0.rawBytes, as: UTF8.self) }
                == ["1", #""x""#, #"{"b":null}"#])
        #expect(root["c"]?.bool == true)
        #expect(root["d"]?["e"]?.elements.map(\.count) == [0])
        #expect(root["f"]?.numberText == "-2.5")
        #expect(root["missing"] == nil)
        #expect(array["a"] == nil)
        #expect(root.elements.map(\.offset) == [])
    }

    @Test("A value of another kind than asked for is nil")
    func kinds() throws {
        let root = try Self.root(#"["1",1,true,null,[],{}]"#)
        let values = Array(root.elements)
        #expect(values.map { $0.string != nil } == [true, false, false, false, false, false])
        #expect(values.map { $0.int64 != nil } == [false, true, false, false, false, false])
        #expect(values.map { $0.numberText != nil } == [false, true, false, false, false, false])
        #expect(values.map { $0.bool != nil } == [false, false, true, false, false, false])
        #expect(values.map(\.isNull) == [false, false, false, true, false, false])
        #expect(values.map { $0.withText { $0.count } } == [1, nil, nil, nil, nil, nil])
        #expect(values.map(\.kind) == [.string, .number, .bool, .null, .array, .object])
    }

    @Test(
        "Escapes are undone",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
            (#""x\ud83d\ude00y""#, "x😀y"), (#""\udbff\udffd""#, "\u{10FFFD}"),
            (#""\ud800\udc00""#, "\u{10000}"), (#""""#, ""), (#""\\u0041""#, #"\u0041"#),
        ])
    func escapes(json: String, text: String) throws {
        let value = try Self.root(json)
        #expect(value.string.map { Array($0.utf8) } == Array(text.utf8))
        #expect(value.withText { $0.count } == text.utf8.count)
    }

    @Test(
        "Only whole numbers within 64 bits are integers",
        arguments: [
            ("0", 0), ("-0", 0), ("42", 42), ("-42", -42), ("9223372036854775807", .max),
            ("-9223372036854775808", .min), ("9223372036854775808", nil),
            ("-9223372036854775809", nil), ("1.0", nil), ("1e3", nil), ("1E0", nil),
            ("100000000000000000000000", nil), ("-0.0", nil),
        ] as [(String, Int64?)])
    func integers(json: String, expected: Int64?) throws {
        #expect(try Self.root(json).int64 == expected)
    }

    @Test("Texts and names are compared byte by byte, not by canonical equivalence")
    func exactComparison() throws {
        let root = try Self.root("{\"\u{212A}\":\"e\u{301}\",\"\\u004b\":\"\\u0065\"}")
        #expect(root.members.map { $0.nameEquals("K") } == [false, true])
        #expect(root["K"]?.textEquals("e") == true)
        #expect(root["\u{212A}"]?.textEquals("é") == false)
        #expect(root["\u{212A}"]?.textEquals("e\u{301}") == true)
    }

    @Test("A span is read like an array")
    func span() throws {
        let bytes = Array(#"xx{"a":1}yy"#.utf8)
        let document = try JSONDocument(
            parsing: bytes.span.extracting(2..<9), maximumDepth: 1)
        #expect(document.root["a"]?.int64 == 1)
    }

    @Test("A value keeps its document alive")
    func lifetime() throws {
        var values: [JSONValue] = []
        for number in 0..<3 { values += try Self.root("[\(number)]").elements }
        #expect(values.map(\.int64) == [0, 1, 2])
    }
}
