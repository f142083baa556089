/// A value of a configuration file, with the line on which it begins.
struct ConfigurationNode {
    enum Value {
        case object([(name: String, line: Int, node: ConfigurationNode)])
        case array([ConfigurationNode])
        case text(String)
        /// As it is written.
        case number(String)
        case boolean(Bool)
        case null
    }

    let line: Int
    let value: Value
}

/// Reads JSON5 as people write it in configuration: JSON with comments, names without quotes,
/// either kind of quotes and commas before closing brackets.
///
/// Foundation's JSON5 tells neither duplicate names nor lines, and a setting that stands twice must
/// not be guessed at.
struct JSON5Reader {
    struct Fault: Error {
        let line: Int
        let message: String
    }

    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var depth = 0
    private static let maximumDepth = 8

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads the one value of `bytes`, which are UTF-8.
    static func read(_ bytes: [UInt8]) throws(Fault) -> ConfigurationNode {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw Fault(line: 1, message: "the file is not UTF-8 text")
        }
        var reader = JSON5Reader(bytes)
        try reader.skipBlanks()
        let node = try reader.node()
        try reader.skipBlanks()
        guard reader.index == bytes.count else { throw reader.fault("something follows the end") }
        return node
    }

    private func fault(_ message: String) -> Fault { Fault(line: line, message: message) }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take() -> UInt8? {
        guard let byte = next else { return nil }
        index += 1
        if byte == 0x0A { line += 1 }
        return byte
    }

    private mutating func node() throws(Fault) -> ConfigurationNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw fault("it is nested too deep") }
        let start = line
        let value: ConfigurationNode.Value
        switch next {
        case UInt8(ascii: "{"): value = .object(try members())
        case UInt8(ascii: "["): value = .array(try elements())
        case UInt8(ascii: "\""), UInt8(ascii: "'"): value = .text(try string())
        case let byte? where (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E].contains(byte):
            value = .number(word())
        case nil: throw fault("the file ends where a value should stand")
        default:
            switch word() {
            case "true": value = .boolean(true)
            case "false": value = .boolean(false)
            case "null": value = .null
            case "": throw fault("a value should stand here")
            case let other: throw fault("\(other) is no value; put texts in quotes")
            }
        }
        return ConfigurationNode(line: start, value: value)
    }

    private mutating func members() throws(Fault) -> [(
        name: String, line: Int, node: ConfigurationNode
    )] {
        _ = take()
        var members: [(name: String, line: Int, node: ConfigurationNode)] = []
        while true {
            try skipBlanks()
            if next == UInt8(ascii: "}") { break }
            let start = line
            let quoted = next == UInt8(ascii: "\"") || next == UInt8(ascii: "'")
            let name = quoted ? try string() : word()
            guard !name.isEmpty else { throw fault("a name should stand here") }
            if let first = members.first(where: { $0.name == name }) {
                throw fault("\(name) stands twice, first on line \(first.line); leave one of them")
            }
            try skipBlanks()
            guard take() == UInt8(ascii: ":") else {
                throw fault("a colon is missing after \(name)")
            }
            try skipBlanks()
            members.append((name, start, try node()))
            try skipBlanks()
            if next == UInt8(ascii: ",") { _ = take() } else { break }
        }
        guard take() == UInt8(ascii: "}") else { throw fault("a comma or } is missing") }
        return members
    }

    private mutating func elements() throws(Fault) -> [ConfigurationNode] {
        _ = take()
        var elements: [ConfigurationNode] = []
        while true {
            try skipBlanks()
            if next == UInt8(ascii: "]") { break }
            elements.append(try node())
            try skipBlanks()
            if next == UInt8(ascii: ",") { _ = take() } else { break }
        }
        guard take() == UInt8(ascii: "]") else { throw fault("a comma or ] is missing") }
        return elements
    }

    /// Letters, digits and what else a bare name or number is made of.
    private mutating func word() -> String {
        let start = index
        while let byte = next {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "$"),
                UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), 0x80...0xFF:
                index += 1
            default: return String(decoding: bytes[start..<index], as: UTF8.self)
            }
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func string() throws(Fault) -> String {
        let quote = take()
        var text: [UInt8] = []
        while let byte = take() {
            switch byte {
            case quote: return String(decoding: text, as: UTF8.self)
            case 0x0A, 0x0D: throw fault("a text has no closing quote on its line")
            case UInt8(ascii: "\\"): try escape(&text)
            default: text.append(byte)
            }
        }
        throw fault("a text has no closing quote")
    }

    private mutating func escape(_ text: inout [UInt8]) throws(Fault) {
        switch take() {
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "r"): text.append(0x0D)
        case 0x0A: break
        case UInt8(ascii: "u"):
            let digits = String(decoding: bytes[index...].prefix(4), as: UTF8.self)
            // `UInt32` would take a sign, too.
            guard digits.utf8.count == 4, digits.utf8.allSatisfy(Self.isHexadecimal),
                let code = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(code)
            else { throw fault("\\u needs four hexadecimal digits of a character") }
            index += 4
            text += Array(String(Character(scalar)).utf8)
        case let byte?
        where [0x22, 0x27, 0x2F, 0x5C].contains(byte):
            text.append(byte)
        default: throw fault("a text has an escape that is not known")
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }

    private mutating func skipBlanks() throws(Fault) {
        while let byte = next {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: _ = take()
            case UInt8(ascii: "/"): try skipComment()
            default: return
            }
        }
    }

    private mutating func skipComment() throws(Fault) {
        let start = line
        _ = take()
        switch take() {
        case UInt8(ascii: "/"):
            while let byte = next, byte != 0x0A { _ = take() }
        case UInt8(ascii: "*"):
            var last: UInt8 = 0
            while let byte = take() {
                if last == UInt8(ascii: "*"), byte == UInt8(ascii: "/") { return }
                last = byte
            }
            throw Fault(line: start, message: "a comment has no end")
        default: throw fault("a single / stands here; comments begin with // or /*")
        }
    }
}
