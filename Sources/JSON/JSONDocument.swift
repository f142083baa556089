/// A strictly read JSON text (RFC 8259, restricted to I-JSON, RFC 7493).
///
/// Reading makes one flat array of nodes and no strings: names and texts become `String` only when
/// they are asked for. Numbers keep their text. Immutable, so it may be shared.
package final class JSONDocument: Sendable {
    struct Node {
        enum Kind: UInt8 {
            case null
            case `false`
            case `true`
            case number
            case string
            case array
            case object
        }
        var kind: Kind
        /// For strings: holds an escape, so its text is not its bytes.
        var escaped = false
        /// Its bytes in the source; for strings without the quotes.
        var start: Int32
        var end: Int32 = 0
        /// Index of the node after this value and all that it holds.
        var next: Int32 = 0
        /// Number of elements or members.
        var count: Int32 = 0
    }

    /// Deepest nesting of arrays and objects that a caller may ask for.
    package static let depthCeiling = 256

    /// The text that was read.
    package let source: [UInt8]
    let nodes: [Node]

    /// Reads the whole of `source`; arrays and objects may nest `maximumDepth` deep (0: scalars
    /// only, at most `depthCeiling`).
    package init(_ source: [UInt8], maximumDepth: Int) throws(JSONError) {
        precondition((0...Self.depthCeiling).contains(maximumDepth), "depth out of range")
        guard source.count <= 1 << 30 else { throw JSONError(.tooLarge, offset: 0) }
        var parser = JSONParser(capacity: min(source.count / 8 + 4, 64))
        try parser.document(source.span, depth: maximumDepth)
        self.nodes = parser.nodes
        self.source = source
    }

    /// As `init(_:maximumDepth:)`, copying the input.
    package convenience init(
        parsing input: Span<UInt8>, maximumDepth: Int
    ) throws(JSONError) {
        var bytes: [UInt8] = []
        input.withUnsafeBufferPointer { bytes = Array($0) }
        try self.init(bytes, maximumDepth: maximumDepth)
    }

    /// The value that the text is.
    package var root: JSONValue { JSONValue(document: self, index: 0) }

    /// Runs `body` on the unescaped UTF-8 of a string node.
    func withText<Result>(of node: Node, _ body: (Span<UInt8>) -> Result) -> Result {
        let bytes = source
        let raw = bytes.span.extracting(Int(node.start)..<Int(node.end))
        guard node.escaped else { return body(raw) }
        var text: [UInt8] = []
        JSONText.unescape(raw, into: &text)
        return body(text.span)
    }

    func string(of node: Node) -> String {
        withText(of: node) { JSONText.string($0) }
    }
}
