@testable import JSON

private let depth = 24

/// A JSON text. What is accepted is written again and read as the same.
func fuzzJSON(_ input: [UInt8]) {
    let document: JSONDocument
    do throws(JSONError) {
        document = try JSONDocument(input, maximumDepth: depth)
    } catch {
        require((0...input.count).contains(error.offset), "an error outside of the text: \(error)")
        require(error.pointer.isEmpty || error.pointer.utf8.first == 0x2F, "no pointer: \(error)")
        return
    }
    let root = document.root
    require(
        String(validating: input, as: UTF8.self) != nil, "accepted what is not UTF-8")
    let written = written(root)
    guard let again = try? JSONDocument(written, maximumDepth: depth) else {
        fail("\(shown(written)) is refused")
    }
    require(isSame(root, again.root), "\(shown(written)) is another document")
    require(JSONFuzz.written(again.root) == written, "\(shown(written)) has a second spelling")
    // Nothing but white space can be taken away from an object's or array's end.
    if root.kind == .object || root.kind == .array,
        let end = input.lastIndex(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) })
    {
        let cut = Array(input[..<end])
        require((try? JSONDocument(cut, maximumDepth: depth)) == nil, "a part is accepted")
    }
    if let number = root.int64 {
        require(root.numberText.flatMap { Int64($0) } == number, "\(number) is another number")
    }
}

private func written(_ value: JSONValue) -> [UInt8] { JSONFuzz.written(value) }

/// Shared with other targets.
enum JSONFuzz {
    static func written(_ value: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        write(value, to: &writer)
        return writer.finish()
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

/// Equal, texts byte by byte; and each value alone is its own bytes.
private func isSame(_ a: JSONValue, _ b: JSONValue) -> Bool {
    guard a.kind == b.kind, a.bool == b.bool, a.numberText == b.numberText, a.count == b.count,
        bytes(a.string) == bytes(b.string)
    else { return false }
    guard a.rawBytes.count == 0 || (try? JSONDocument(a.rawBytes, maximumDepth: depth)) != nil
    else { return false }
    guard a.kind == .object || a.kind == .array else { return true }
    let elements = zip(a.elements, b.elements).allSatisfy { isSame($0, $1) }
    return elements
        && zip(a.members, b.members).allSatisfy {
            bytes($0.name) == bytes($1.name) && isSame($0.value, $1.value)
        }
}

private func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }
