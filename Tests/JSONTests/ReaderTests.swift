import Testing

@testable import JSON

/// The kinds of cases of the public JSONTestSuite (y_, n_, i_), made anew.
@Suite("Reading JSON") struct ReaderTests {
    static func read(_ bytes: [UInt8], depth: Int = 16) -> Result<JSONDocument, JSONError> {
        Result { () throws(JSONError) in try JSONDocument(bytes, maximumDepth: depth) }
    }

    static func reason(_ bytes: [UInt8], depth: Int = 16) -> JSONError.Reason? {
        switch read(bytes, depth: depth) {
        case .success: nil
        case .failure(let error): error.reason
        }
    }

    static let accepted = [
        "0", "-0", "1", "-1", "10", "0.0", "-0.0", "1.5", "1e5", "1E5", "1e+5", "1e-5", "1.25e10",
        "0e0", "0e+1", "1234567890123456789012345678901234567890", "1e400", "-1e-400", " 1 ",
        "\t1\n", "\r\n1\r\n", "true", "false", "null", " true ", #""""#, #""a""#, #"" ""#,
        #""\"""#, #""\\""#, #""\/""#, #""/""#, #""\b\f\n\r\t""#, #""\u0061""#, #""\u00e9""#,
        #""\u00E9""#, #""\u2028""#, "\"\u{2028}\"", #""\u0001""#, #""\u001f""#, #""\u007f""#,
        "\"\u{7F}\"", #""\ud83d\ude00""#, #""\uD83D\uDE00""#, #""\udbff\udffd""#, "\"😀\"",
        "\"é\"", "\"€\"", "\"\u{10FFFD}\"", #""\uFEFF""#, "\"\u{FEFF}\"", #""\u0060\u012a""#,
        #""\\u0000""#, #""\\\"""#, #""a\u0062c""#, "\"\u{D7FF}\u{E000}\"", "\"\u{800}\"",
        "\"\u{80}\"", "\"\u{10000}\"", #""\ufdcf\ufdf0""#, "[]", "[ ]", "[\n]", "[1]", "[1,2]",
        "[ 1 , 2 ]", "[[]]", "[[],[]]", "[null,true,false]", #"["a","b"]"#, "[1,[2,[3]]]",
        "[-0]", "[1e1]", #"[""]"#, "[{}]", "{}", "{ }", #"{"a":1}"#, #"{"a":1,"b":2}"#,
        #"{ "a" : 1 , "b" : 2 }"#, #"{"":0}"#, #"{"a":{}}"#, #"{"a":{"a":{"a":1}}}"#,
        #"{"a":[],"b":{}}"#, #"{"a":1,"A":2}"#, #"{"a\u0062":1,"abc":2}"#,
        "{\"e\u{301}\":1,\"\u{E9}\":2}", #"{"\u0061":1}"#, #"{"a":null}"#,
        #"{"long name with spaces":[{"x":1},{"x":2}]}"#, #"[{"a":1},{"a":1}]"#,
        #"{"a":{"b":1},"b":{"a":1}}"#, #"["\u0020"]"#, "[0.1,0.2,-0.3e-1]",
    ]

    @Test("Sound documents are accepted", arguments: accepted)
    func accepts(text: String) { #expect(Self.reason(Array(text.utf8)) == nil) }

    static let refused: [(String, JSONError.Reason)] = [
        ("", .unexpectedEnd), (" ", .unexpectedEnd), ("\n", .unexpectedEnd),
        ("[", .unexpectedEnd), ("{", .unexpectedEnd), ("[1", .unexpectedEnd),
        ("[1,", .unexpectedEnd), (#"{"a""#, .unexpectedEnd), (#"{"a":"#, .unexpectedEnd),
        (#"{"a":1"#, .unexpectedEnd), (#"{"a":1,"#, .unexpectedEnd), (#"""#, .unexpectedEnd),
        (#""a"#, .unexpectedEnd), (#""\"#, .unexpectedEnd), (#""\""#, .unexpectedEnd),
        (#""\u"#, .unexpectedEnd), (#""\u00"#, .unexpectedEnd), (#""\ud83d"#, .unexpectedEnd),
        (#""\ud83d\"#, .unexpectedEnd), (#""\ud83d\ud"#, .unexpectedEnd), ("[[]", .unexpectedEnd),
        ("]", .unexpectedByte), ("}", .unexpectedByte), (",", .unexpectedByte),
        (":", .unexpectedByte), ("a", .unexpectedByte), ("'a'", .unexpectedByte),
        ("+1", .unexpectedByte), (".5", .unexpectedByte), ("NaN", .unexpectedByte),
        ("Infinity", .unexpectedByte), ("True", .unexpectedByte), ("#", .unexpectedByte),
        ("/**/1", .unexpectedByte), ("// x\n1", .unexpectedByte), ("[,]", .unexpectedByte),
        ("[,1]", .unexpectedByte), ("[1,,2]", .unexpectedByte), ("[1 2]", .unexpectedByte),
        ("[1;2]", .unexpectedByte), ("[1:2]", .unexpectedByte), ("[1}", .unexpectedByte),
        ("{]", .unexpectedByte), ("{1:1}", .unexpectedByte), ("{a:1}", .unexpectedByte),
        ("{'a':1}", .unexpectedByte), (#"{"a"}"#, .unexpectedByte), (#"{"a",1}"#, .unexpectedByte),
        (#"{"a"1}"#, .unexpectedByte), (#"{"a"::1}"#, .unexpectedByte),
        (#"{"a":}"#, .unexpectedByte), (#"{"a":,}"#, .unexpectedByte),
        (#"{"a":1 "b":2}"#, .unexpectedByte), (#"{"a":1;"b":2}"#, .unexpectedByte),
        (#"{"a":1]"#, .unexpectedByte), (#"{,"a":1}"#, .unexpectedByte),
        (#"{"a":1,,"b":2}"#, .unexpectedByte), ("{null:1}", .unexpectedByte),
        ("{[]:1}", .unexpectedByte), ("[1/**/]", .unexpectedByte), ("\u{0B}1", .unexpectedByte),
        ("\u{0C}1", .unexpectedByte), ("\u{A0}1", .unexpectedByte), ("\u{2028}1", .unexpectedByte),
        ("\u{2060}1", .unexpectedByte), ("[\u{00}]", .unexpectedByte), ("é", .unexpectedByte),
        ("[\u{FF11}]", .unexpectedByte), ("\\u0061", .unexpectedByte), ("[\\n]", .unexpectedByte),
        ("tru", .invalidLiteral), ("t", .invalidLiteral), ("truE", .invalidLiteral),
        ("fals", .invalidLiteral), ("nul", .invalidLiteral), ("nulL", .invalidLiteral),
        ("[nope]", .invalidLiteral), ("nan", .invalidLiteral),
        ("trueish", .trailingData), ("nulll", .trailingData),
        ("-", .invalidNumber), ("--1", .invalidNumber), ("-a", .invalidNumber),
        ("-.5", .invalidNumber), ("01", .invalidNumber), ("-01", .invalidNumber),
        ("00", .invalidNumber), ("1.", .invalidNumber), ("1.e1", .invalidNumber),
        ("0.", .invalidNumber), ("1e", .invalidNumber), ("1e+", .invalidNumber),
        ("1e-", .invalidNumber), ("1E", .invalidNumber), ("1ee1", .invalidNumber),
        ("1e1.5", .invalidNumber), ("1.2.3", .invalidNumber), ("0x10", .invalidNumber),
        ("1a", .invalidNumber), ("1_000", .invalidNumber), ("1-", .invalidNumber),
        ("1+2", .invalidNumber), ("-Infinity", .invalidNumber), ("-NaN", .invalidNumber),
        ("- 1", .invalidNumber), ("[1.]", .invalidNumber), ("[-]", .invalidNumber),
        ("[0e]", .invalidNumber), ("[012]", .invalidNumber), ("1f", .invalidNumber),
        ("[1,]", .trailingComma), ("[1 , ]", .trailingComma), (#"{"a":1,}"#, .trailingComma),
        (#"{"a":1, }"#, .trailingComma), ("[[1,],2]", .trailingComma),
        ("1 1", .trailingData), ("1,", .trailingData), ("[]]", .trailingData),
        ("{}}", .trailingData), ("[][]", .trailingData), ("{}#", .trailingData),
        ("[] //x", .trailingData), (#""a" "b""#, .trailingData), ("null\u{00}", .trailingData),
        ("1\u{A0}", .trailingData), ("{}\u{FEFF}", .trailingData), (#""a"x"#, .trailingData),
        ("\u{FEFF}1", .byteOrderMark), ("\u{FEFF}", .byteOrderMark), ("\u{FEFF}{}", .byteOrderMark),
        ("\"\n\"", .controlCharacter), ("\"\t\"", .controlCharacter),
        ("\"\u{00}\"", .controlCharacter), ("\"a\u{1F}b\"", .controlCharacter),
        ("\"\r\"", .controlCharacter), ("{\"a\n\":1}", .controlCharacter),
        (#""\a""#, .invalidEscape), (#""\x41""#, .invalidEscape), (#""\'""#, .invalidEscape),
        (#""\0""#, .invalidEscape), (#""\ ""#, .invalidEscape), (#""\U0041""#, .invalidEscape),
        (#""\u00g0""#, .invalidEscape), (#""\u 041""#, .invalidEscape),
        (#""\u+041""#, .invalidEscape), (#""\u00""#, .invalidEscape), ("\"\\é\"", .invalidEscape),
        (#""\ud83d\u00zz""#, .invalidEscape), ("\"\\\n\"", .invalidEscape),
        (#""\ud800""#, .loneSurrogate), (#""\udc00""#, .loneSurrogate),
        (#""\ud800x""#, .loneSurrogate), (#""\ud800\n""#, .loneSurrogate),
        (#""\ud800\ud800""#, .loneSurrogate), (#""\ud800\u0061""#, .loneSurrogate),
        (#""\ude00\ud83d""#, .loneSurrogate), (#"{"\udfff":1}"#, .loneSurrogate),
        (#""\ufffe""#, .noncharacter), (#""\uffff""#, .noncharacter), (#""\ufdd0""#, .noncharacter),
        (#""\ufdef""#, .noncharacter), (#""\ud83f\udfff""#, .noncharacter),
        ("\"\u{FFFE}\"", .noncharacter),
        ("\"\u{1FFFE}\"", .noncharacter), ("\"\u{10FFFF}\"", .noncharacter),
        (#""\u0000""#, .nulCharacter), (#""a\u0000b""#, .nulCharacter),
        (#"{"\u0000":1}"#, .nulCharacter),
        (#"{"a":1,"a":1}"#, .duplicateMember), (#"{"a":1,"\u0061":2}"#, .duplicateMember),
        (#"{"\u0061":1,"a":2}"#, .duplicateMember), (#"{"":1,"":2}"#, .duplicateMember),
        (#"{"a":1,"b":2,"a":3}"#, .duplicateMember), (#"{"\/":1,"/":2}"#, .duplicateMember),
        (#"{"😀":1,"\ud83d\ude00":2}"#, .duplicateMember),
        (#"[{"x":{"a":1,"a":2}}]"#, .duplicateMember),
    ]

    @Test("Unsound documents are refused, each for its fault", arguments: refused)
    func refuses(text: String, expected: JSONError.Reason) {
        #expect(Self.reason(Array(text.utf8)) == expected)
    }

    @Test("The tables hold the promised number of inputs")
    func count() { #expect(Self.accepted.count + Self.refused.count >= 150) }

    @Test(
        "Bytes that are not UTF-8 are refused",
        arguments: [
            [0x80], [0xBF], [0xFF], [0xFE], [0xC0, 0x80], [0xC1, 0xBF], [0xC3, 0x28], [0xC3],
            [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xE0, 0x80, 0x80],
            [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xF0, 0x28, 0x8C, 0xBC],
            [0xC3, 0xC3, 0xA9], [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], [0x61, 0xE9],
        ] as [[UInt8]])
    func notUTF8(bytes: [UInt8]) {
        #expect(Self.reason([0x22] + bytes + [0x22]) == .invalidUTF8)
        #expect(Self.reason([0x7B, 0x22] + bytes + Array(#"":1}"#.utf8)) == .invalidUTF8)
    }

    @Test(
        "Raw noncharacters are refused, their neighbours are not",
        arguments: [
            ([0xEF, 0xB7, 0x8F], nil), ([0xEF, 0xB7, 0x90], .noncharacter),
            ([0xEF, 0xB7, 0xAF], .noncharacter), ([0xEF, 0xB7, 0xB0], nil),
            ([0xEF, 0xBF, 0xBD], nil), ([0xEF, 0xBF, 0xBE], .noncharacter),
            ([0xF0, 0x9F, 0xBF, 0xBD], nil), ([0xF0, 0x9F, 0xBF, 0xBF], .noncharacter),
        ] as [([UInt8], JSONError.Reason?)])
    func noncharacters(bytes: [UInt8], expected: JSONError.Reason?) {
        #expect(Self.reason([0x22] + bytes + [0x22]) == expected)
    }

    @Test("UTF-16 is refused, with and without its mark")
    func utf16() {
        #expect(Self.reason([0x5B, 0x00, 0x5D, 0x00]) == .unexpectedByte)
        #expect(Self.reason([0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00]) == .unexpectedByte)
        #expect(Self.reason([0x00, 0x5B, 0x00, 0x5D]) == .unexpectedByte)
    }

    @Test(
        "An error tells the offset and the pointer",
        arguments: [
            ("", .unexpectedEnd, 0, ""), ("[1,2,x]", .unexpectedByte, 5, "/2"),
            (#"{"a":{"b":[0,tru]}}"#, .invalidLiteral, 13, "/a/b/1"),
            (#"{"a":1,"b":01}"#, .invalidNumber, 12, "/b"),
            (#"{"a":1,"a":2}"#, .duplicateMember, 7, "/a"),
            (#"{"x":{"a":1,"b":2,"\u0062":3}}"#, .duplicateMember, 18, "/x/b"),
            (#"{"a/b":{"m~n":+1}}"#, .unexpectedByte, 14, "/a~1b/m~0n"),
            (#"{"\u00e9":["\x"]}"#, .invalidEscape, 12, "/é/0"),
            (#"{"a":1}}"#, .trailingData, 7, ""), (#"[[],[1,],3]"#, .trailingComma, 7, "/1/1"),
            (#"{"a" 1}"#, .unexpectedByte, 5, "/a"), (#"{"a":1 "b"}"#, .unexpectedByte, 7, ""),
            (#"{"a":["b"#, .unexpectedEnd, 8, "/a/0"), (#"{"":[nul]}"#, .invalidLiteral, 5, "//0"),
            (#"["abc\ud800"]"#, .loneSurrogate, 5, "/0"),
            ("[1.5e]", .invalidNumber, 5, "/0"),
        ] as [(String, JSONError.Reason, Int, String)])
    func position(text: String, reason: JSONError.Reason, offset: Int, pointer: String) {
        guard case .failure(let error) = Self.read(Array(text.utf8)) else {
            Issue.record("accepted")
            return
        }
        #expect(error == JSONError(reason, offset: offset, pointer: pointer))
    }

    @Test("Nesting is allowed exactly as deep as the reader is told", arguments: [0, 1, 2, 7, 256])
    func depth(limit: Int) {
        func nested(_ open: String, _ close: String, _ depth: Int) -> [UInt8] {
            Array(
                (String(repeating: open, count: depth) + "1"
                    + String(repeating: close, count: depth))
                    .utf8)
        }
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            #expect(Self.reason(nested(open, close, limit), depth: limit) == nil)
            #expect(Self.reason(nested(open, close, limit + 1), depth: limit) == .tooDeep)
        }
        let attack = [UInt8](repeating: 0x5B, count: 1_000_000)
        #expect(Self.reason(attack, depth: limit) == .tooDeep)
    }

    @Test("A duplicate is found among any number of members", arguments: [2, 16, 17, 18, 2000])
    func manyMembers(count: Int) {
        func object(_ names: [Int]) -> [UInt8] {
            Array(("{" + names.map { #""n\#($0)":[\#($0)]"# }.joined(separator: ",") + "}").utf8)
        }
        let names = Array(0..<count)
        #expect(Self.reason(object(names)) == nil)
        for twin in [0, count / 2, count - 1] {
            guard case .failure(let error) = Self.read(object(names + [twin])) else {
                Issue.record("accepted")
                continue
            }
            #expect(error.reason == .duplicateMember)
            #expect(error.pointer == "/n\(twin)")
        }
    }

    @Test("No document that is cut short anywhere is accepted")
    func truncation() {
        let document = Array(
            #"""
            {"debtorAccount":{"iban":"DE89370400440532013000"},"a":[1.5e+3,true,null,{"é":"😀"}],
             "text":"\u00e9\ud83d\ude00\\\"\n","e":{},"f":[],"g":false}
            """#.utf8)
        #expect(Self.reason(document) == nil)
        for length in document.indices {
            #expect(Self.reason(Array(document[..<length])) != nil, "\(length)")
        }
    }
}
