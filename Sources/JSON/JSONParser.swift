/// The grammar of RFC 8259 over bytes, into the nodes of a `JSONDocument`.
///
/// Recursive, bounded by the depth. An error gets its pointer on the way up, so a good document
/// pays nothing for it.
struct JSONParser {
    typealias Node = JSONDocument.Node

    private(set) var nodes: [Node] = []
    private var index = 0

    init(capacity: Int) { nodes.reserveCapacity(capacity) }

    mutating func document(_ input: Span<UInt8>, depth: Int) throws(JSONError) {
        if input.count >= 3, input[0] == 0xEF, input[1] == 0xBB, input[2] == 0xBF {
            throw JSONError(.byteOrderMark, offset: 0)
        }
        skipSpace(input)
        try value(input, depth: depth)
        skipSpace(input)
        guard index == input.count else { throw JSONError(.trailingData, offset: index) }
    }

    private mutating func value(_ input: Span<UInt8>, depth: Int) throws(JSONError) {
        guard index < input.count else { throw JSONError(.unexpectedEnd, offset: index) }
        switch input[index] {
        case 0x22: try string(input)
        case 0x7B: try object(input, depth: depth)
        case 0x5B: try array(input, depth: depth)
        case 0x2D, 0x30...0x39: try number(input)
        case 0x74: try literal(input, "true", .true)
        case 0x66: try literal(input, "false", .false)
        case 0x6E: try literal(input, "null", .null)
        default: throw JSONError(.unexpectedByte, offset: index)
        }
    }

    private mutating func object(_ input: Span<UInt8>, depth: Int) throws(JSONError) {
        let node = try open(.object, depth: depth)
        skipSpace(input)
        var more = index < input.count && input[index] != 0x7D
        while more {
            guard index < input.count else { break }
            guard input[index] == 0x22 else {
                let comma = input[index] == 0x7D
                throw JSONError(comma ? .trailingComma : .unexpectedByte, offset: index)
            }
            let name = nodes.count
            try string(input)
            do throws(JSONError) {
                skipSpace(input)
                guard index < input.count else { throw JSONError(.unexpectedEnd, offset: index) }
                guard input[index] == 0x3A else {
                    throw JSONError(.unexpectedByte, offset: index)
                }
                index += 1
                skipSpace(input)
                try value(input, depth: depth - 1)
            } catch {
                throw error.nested(under: text(nodes[name], input))
            }
            nodes[node].count += 1
            more = skipComma(input)
        }
        try close(node, 0x7D, input)
        try refuseDuplicates(in: node, input)
    }

    private mutating func array(_ input: Span<UInt8>, depth: Int) throws(JSONError) {
        let node = try open(.array, depth: depth)
        skipSpace(input)
        var more = index < input.count && input[index] != 0x5D
        while more {
            do throws(JSONError) {
                if index < input.count, input[index] == 0x5D {
                    throw JSONError(.trailingComma, offset: index)
                }
                try value(input, depth: depth - 1)
            } catch {
                throw error.nested(under: String(nodes[node].count))
            }
            nodes[node].count += 1
            more = skipComma(input)
        }
        try close(node, 0x5D, input)
    }

    private mutating func open(_ kind: Node.Kind, depth: Int) throws(JSONError) -> Int {
        guard depth > 0 else { throw JSONError(.tooDeep, offset: index) }
        nodes.append(Node(kind: kind, start: Int32(index)))
        index += 1
        return nodes.count - 1
    }

    private mutating func close(
        _ node: Int, _ bracket: UInt8, _ input: Span<UInt8>
    ) throws(JSONError) {
        guard index < input.count else { throw JSONError(.unexpectedEnd, offset: index) }
        guard input[index] == bracket else { throw JSONError(.unexpectedByte, offset: index) }
        index += 1
        nodes[node].end = Int32(index)
        nodes[node].next = Int32(nodes.count)
    }

    private mutating func skipComma(_ input: Span<UInt8>) -> Bool {
        skipSpace(input)
        guard index < input.count, input[index] == 0x2C else { return false }
        index += 1
        skipSpace(input)
        return true
    }

    private mutating func skipSpace(_ input: Span<UInt8>) {
        while index < input.count {
            switch input[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    private mutating func append(_ kind: Node.Kind, from start: Int, escaped: Bool = false) {
        nodes.append(
            Node(
                kind: kind, escaped: escaped, start: Int32(start), end: Int32(index),
                next: Int32(nodes.count + 1)))
    }

    private mutating func literal(
        _ input: Span<UInt8>, _ word: StaticString, _ kind: Node.Kind
    ) throws(JSONError) {
        let start = index
        let matches = word.withUTF8Buffer { word in
            guard start + word.count <= input.count else { return false }
            for offset in word.indices where input[start + offset] != word[offset] { return false }
            return true
        }
        guard matches else { throw JSONError(.invalidLiteral, offset: start) }
        index += word.utf8CodeUnitCount
        append(kind, from: start)
    }

    private mutating func number(_ input: Span<UInt8>) throws(JSONError) {
        let start = index
        if input[index] == 0x2D { index += 1 }
        if index < input.count, input[index] == 0x30 {
            index += 1
        } else {
            try digits(input)
        }
        if index < input.count, input[index] == 0x2E {
            index += 1
            try digits(input)
        }
        if index < input.count, input[index] | 0x20 == 0x65 {
            index += 1
            if index < input.count, input[index] == 0x2B || input[index] == 0x2D { index += 1 }
            try digits(input)
        }
        // `01`, `1x`, `0x10`, `1.2.3`: one malformed number, not a number and something else.
        if index < input.count {
            switch input[index] {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E, 0x5F:
                throw JSONError(.invalidNumber, offset: index)
            default: break
            }
        }
        append(.number, from: start)
    }

    private mutating func digits(_ input: Span<UInt8>) throws(JSONError) {
        let first = index
        while index < input.count, input[index] &- 0x30 < 10 { index += 1 }
        guard index > first else { throw JSONError(.invalidNumber, offset: index) }
    }

    private mutating func string(_ input: Span<UInt8>) throws(JSONError) {
        index += 1
        let start = index
        var escaped = false
        while index < input.count {
            let byte = input[index]
            if byte == 0x22 {
                append(.string, from: start, escaped: escaped)
                index += 1
                return
            } else if byte == 0x5C {
                escaped = true
                index = try JSONScalar.escapeEnd(input, at: index)
            } else if byte < 0x20 {
                throw JSONError(.controlCharacter, offset: index)
            } else if byte < 0x80 {
                index += 1
            } else {
                index = try JSONScalar.multibyteEnd(input, at: index)
            }
        }
        throw JSONError(.unexpectedEnd, offset: index)
    }

    private func text(_ node: Node, _ input: Span<UInt8>) -> String {
        JSONText.string(textBytes(node, input).span)
    }

    private func textBytes(_ node: Node, _ input: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        JSONText.unescape(input.extracting(Int(node.start)..<Int(node.end)), into: &text)
        return text
    }

    // Names are compared as UTF-8, not as `String`, whose equality also joins canonically
    // equivalent texts.
    private func refuseDuplicates(in node: Int, _ input: Span<UInt8>) throws(JSONError) {
        let count = Int(nodes[node].count)
        guard count > 1 else { return }
        var names: Set<[UInt8]>? = count > Self.pairwiseLimit ? [] : nil
        let first = node + 1
        var name = first
        for _ in 0..<count {
            var duplicate = false
            if names != nil {
                duplicate = names?.insert(textBytes(nodes[name], input)).inserted == false
            } else {
                var earlier = first
                while earlier < name, !duplicate {
                    duplicate = sameText(nodes[earlier], nodes[name], input)
                    earlier = Int(nodes[earlier + 1].next)
                }
            }
            if duplicate {
                let offset = Int(nodes[name].start) - 1
                throw JSONError(.duplicateMember, offset: offset)
                    .nested(under: text(nodes[name], input))
            }
            name = Int(nodes[name + 1].next)
        }
    }

    /// Objects with more members than this use a set: comparing pairs would be quadratic.
    private static let pairwiseLimit = 16

    private func sameText(_ a: Node, _ b: Node, _ input: Span<UInt8>) -> Bool {
        if a.escaped || b.escaped { return textBytes(a, input) == textBytes(b, input) }
        let count = b.end - b.start
        guard a.end - a.start == count else { return false }
        for offset in 0..<Int(count) {
            guard input[Int(a.start) + offset] == input[Int(b.start) + offset] else {
                return false
            }
        }
        return true
    }
}
