/// One value of a `JSONDocument`, which it keeps alive. Two machine words; cheap to pass.
package struct JSONValue: Sendable {
    /// The kinds of RFC 8259 section 3.
    package enum Kind: Sendable {
        case null
        case bool
        case number
        case string
        case array
        case object
    }

    let document: JSONDocument
    let index: Int

    var node: JSONDocument.Node { document.nodes[index] }

    /// Its kind.
    package var kind: Kind {
        switch node.kind {
        case .null: .null
        case .false, .true: .bool
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    /// Offset of its first byte in the source, a string's opening quote included.
    package var offset: Int {
        let node = node
        return node.kind == .string ? Int(node.start) - 1 : Int(node.start)
    }

    /// Its bytes as they stand in the source, a string's quotes included.
    package var rawBytes: [UInt8] {
        let node = node
        let quote = node.kind == .string ? 1 : 0
        return Array(document.source[Int(node.start) - quote..<Int(node.end) + quote])
    }

    /// Whether it is `null`.
    package var isNull: Bool { node.kind == .null }

    /// Nil unless it is `true` or `false`.
    package var bool: Bool? {
        switch node.kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// A string's text with escapes undone; nil for other kinds. `==` on `String` joins
    /// canonically equivalent texts: compare identifiers with `textEquals` or as UTF-8.
    package var string: String? {
        let node = node
        guard node.kind == .string else { return nil }
        return document.string(of: node)
    }

    /// Runs `body` on a string's UTF-8 with escapes undone; nil for other kinds.
    package func withText<Result>(_ body: (Span<UInt8>) -> Result) -> Result? {
        let node = node
        guard node.kind == .string else { return nil }
        return document.withText(of: node, body)
    }

    /// Whether it is a string with exactly this text, byte by byte.
    package func textEquals(_ text: StaticString) -> Bool {
        let node = node
        return node.kind == .string && document.textEquals(node, text)
    }

    /// A number's text as it stands in the source; nil for other kinds.
    package var numberText: String? {
        let node = node
        guard node.kind == .number else { return nil }
        return document.string(of: node)
    }

    /// The exact integer; nil for other kinds, for a fraction or an exponent (`1.0`, `1e3`), and
    /// outside of `Int64`.
    package var int64: Int64? {
        let node = node
        guard node.kind == .number else { return nil }
        let source = document.source
        let digits = source.span.extracting(Int(node.start)..<Int(node.end))
        let negative = digits[0] == 0x2D
        var value: Int64 = 0
        for position in (negative ? 1 : 0)..<digits.count {
            guard digits[position] &- 0x30 < 10 else { return nil }
            // Grows away from zero on its own side, so that Int64.min is reached.
            let digit = Int64(digits[position] - 0x30)
            let (scaled, overflow1) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow2) = scaled.addingReportingOverflow(negative ? -digit : digit)
            guard !overflow1, !overflow2 else { return nil }
            value = sum
        }
        return value
    }

    /// Number of elements or members; 0 for scalars.
    package var count: Int { Int(node.count) }

    /// An array's elements in order; empty for other kinds.
    package var elements: JSONElements {
        JSONElements(document: document, index: index + 1, left: kind == .array ? count : 0)
    }

    /// An object's members in order of the source; empty for other kinds.
    package var members: JSONMembers {
        JSONMembers(document: document, index: index + 1, left: kind == .object ? count : 0)
    }

    /// An object's member of that name; nil when it has none or is no object.
    package subscript(name: StaticString) -> JSONValue? {
        for member in members where member.nameEquals(name) { return member.value }
        return nil
    }
}

/// A member of an object.
package struct JSONMember: Sendable {
    let document: JSONDocument
    let index: Int

    /// The name with escapes undone. Compare with `nameEquals`.
    package var name: String { document.string(of: document.nodes[index]) }

    /// Whether the name is exactly this, byte by byte.
    package func nameEquals(_ text: StaticString) -> Bool {
        document.textEquals(document.nodes[index], text)
    }

    /// The member's value.
    package var value: JSONValue { JSONValue(document: document, index: index + 1) }
}

/// The elements of an array.
package struct JSONElements: Sequence, IteratorProtocol, Sendable {
    let document: JSONDocument
    var index: Int
    var left: Int

    /// The next element.
    package mutating func next() -> JSONValue? {
        guard left > 0 else { return nil }
        let value = JSONValue(document: document, index: index)
        index = Int(document.nodes[index].next)
        left -= 1
        return value
    }
}

/// The members of an object.
package struct JSONMembers: Sequence, IteratorProtocol, Sendable {
    let document: JSONDocument
    var index: Int
    var left: Int

    /// The next member.
    package mutating func next() -> JSONMember? {
        guard left > 0 else { return nil }
        let member = JSONMember(document: document, index: index)
        index = Int(document.nodes[index + 1].next)
        left -= 1
        return member
    }
}

extension JSONDocument {
    func textEquals(_ node: Node, _ text: StaticString) -> Bool {
        guard node.escaped else {
            let count = Int(node.end - node.start)
            guard count == text.utf8CodeUnitCount else { return false }
            let start = Int(node.start)
            return source.withUnsafeBufferPointer { own in
                text.withUTF8Buffer { other in
                    for index in 0..<count where own[start + index] != other[index] {
                        return false
                    }
                    return true
                }
            }
        }
        return withText(of: node) { own in
            text.withUTF8Buffer { other in
                guard own.count == other.count else { return false }
                for index in other.indices where own[index] != other[index] { return false }
                return true
            }
        }
    }
}
