import TestSupport
import Testing

@testable import JSON

@Suite("Against Python's json") struct PythonTests {
    /// Reads one hexadecimal document a line; answers one line each: `-` when refused, else a
    /// canonical form.
    private static let script = #"""
        import json, sys
        class Raw(str): pass
        class Pairs(list): pass
        def refuse(name): raise ValueError(name)
        def canonical(value):
            if value is None: return "null"
            if value is True: return "true"
            if value is False: return "false"
            if isinstance(value, Raw): return "#" + value
            if isinstance(value, str):
                return "'" + value.encode("utf-8", "surrogatepass").hex() + "'"
            if isinstance(value, Pairs):
                return "{" + ",".join(canonical(k) + ":" + canonical(v) for k, v in value) + "}"
            return "[" + ",".join(map(canonical, value)) + "]"
        for line in open(sys.argv[1]):
            try:
                text = bytes.fromhex(line.strip()).decode("utf-8", "strict")
                print(canonical(json.loads(text, parse_int=Raw, parse_float=Raw,
                    parse_constant=refuse, object_pairs_hook=Pairs)))
            except ValueError:
                print("-")
        """#

    /// What Python accepts and this reader refuses, and why it must.
    private static let stricter: [JSONError.Reason: String] = [
        .duplicateMember: "RFC 7493 section 2.3: the last or the first? Nobody can know.",
        .loneSurrogate: "RFC 7493 section 2.1: is not text.",
        .noncharacter: "RFC 7493 section 2.1: is not for interchange.",
        .nulCharacter: "Stored text never holds U+0000.",
        .tooDeep: "The caller's limit.",
    ]

    @Test("What the reader accepts Python accepts and reads equally; the rest has a listed reason")
    func differential() throws {
        var random = Random(state: 20_261_130)
        var inputs = ReaderTests.accepted.map { Array($0.utf8) }
        inputs += ReaderTests.refused.map { Array($0.0.utf8) }
        for _ in 0..<3000 {
            let document = random.document(depth: 4)
            inputs.append(document)
            inputs.append(random.mutation(of: document))
        }
        let lines = inputs.map(Self.hex).joined(separator: "\n")
        let output = try Python.run(Self.script, input: Array(lines.utf8))
        let answers = String(decoding: output, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        try #require(answers.count == inputs.count + 1)
        var accepted = 0
        for (input, answer) in zip(inputs, answers) {
            let text = String(decoding: input, as: UTF8.self)
            switch ReaderTests.read(input) {
            case .success(let document):
                accepted += 1
                #expect(Self.canonical(document.root) == answer, "\(text)")
            case .failure(let error):
                let allowed = answer == "-" || Self.stricter[error.reason] != nil
                #expect(allowed, "\(error) in \(text)")
            }
        }
        #expect(accepted > 3000)
        #expect(inputs.count - accepted > 1000)
    }

    @Test("What the writer writes the reader and Python read as it was")
    func roundTrip() throws {
        var random = Random(state: 7)
        var documents: [JSONDocument] = []
        var written: [[UInt8]] = []
        for _ in 0..<500 {
            let document = try JSONDocument(random.document(depth: 4), maximumDepth: 8)
            var writer = JSONWriter()
            Self.write(document.root, to: &writer)
            documents.append(document)
            written.append(writer.finish())
        }
        let lines = written.map(Self.hex).joined(separator: "\n")
        let output = try Python.run(Self.script, input: Array(lines.utf8))
        let answers = String(decoding: output, as: UTF8.self).split(separator: "\n")
        try #require(answers.count == documents.count)
        for ((document, bytes), answer) in zip(zip(documents, written), answers) {
            let again = try JSONDocument(bytes, maximumDepth: 8)
            #expect(Self.canonical(again.root) == Self.canonical(document.root))
            #expect(Self.canonical(document.root) == answer)
        }
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func canonical(_ value: JSONValue) -> String {
        switch value.kind {
        case .null: "null"
        case .bool: value.bool == true ? "true" : "false"
        case .number: "#" + (value.numberText ?? "")
        case .string: "'" + hex((value.string ?? "").utf8) + "'"
        case .array: "[" + value.elements.map(canonical).joined(separator: ",") + "]"
        case .object:
            "{"
                + value.members.map { "'" + hex($0.name.utf8) + "':" + canonical($0.value) }
                .joined(separator: ",") + "}"
        }
    }

    private static func write(_ value: JSONValue, to writer: inout JSONWriter) {
        switch value.kind {
        case .null: writer.null()
        case .bool: writer.bool(value.bool == true)
        case .number: writer.raw(value.rawBytes)
        case .string: writer.string(value.string ?? "")
        case .array:
            writer.beginArray()
            for element in value.elements { write(element, to: &writer) }
            writer.endArray()
        case .object:
            writer.beginObject()
            for member in value.members {
                writer.name(dynamic: member.name)
                write(member.value, to: &writer)
            }
            writer.endObject()
        }
    }
}
