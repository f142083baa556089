/// Documents from a seed (SplitMix64): the same on every run.
struct Random {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((word ^ (word >> 31)) % UInt64(bound))
    }

    /// A sound document nested at most `depth` deep.
    mutating func document(depth: Int) -> [UInt8] {
        Array((space() + value(depth: depth) + space()).utf8)
    }

    /// `document` with one to three bytes changed, put in, taken out or copied from elsewhere.
    mutating func mutation(of document: [UInt8]) -> [UInt8] {
        var bytes = document
        for _ in 0...next(below: 3) where !bytes.isEmpty {
            let index = next(below: bytes.count)
            switch next(below: 5) {
            case 0: bytes[index] = UInt8(next(below: 256))
            case 1: bytes.remove(at: index)
            case 2: bytes[index] = bytes[next(below: bytes.count)]
            case 3:
                bytes.insert(Array(Self.spice.utf8)[next(below: Self.spice.utf8.count)], at: index)
            default: bytes.removeSubrange(index...)
            }
        }
        return bytes
    }

    private static let spice = "{}[],:\"\\u0dDeE+-.09 \n\ttrfn/"

    private mutating func space() -> String {
        ["", "", "", " ", "\n", "\t ", "\r\n"][next(below: 7)]
    }

    private mutating func value(depth: Int) -> String {
        switch next(below: depth > 0 ? 9 : 6) {
        case 0: ["null", "true", "false"][next(below: 3)]
        case 1, 2: number()
        case 3, 4, 5: string()
        case 6: array(depth: depth - 1)
        default: object(depth: depth - 1)
        }
    }

    private mutating func number() -> String {
        var text = next(below: 2) == 0 ? "-" : ""
        text += next(below: 4) == 0 ? "0" : "\(1 + next(below: 1_000_000_000))"
        if next(below: 3) == 0 { text += ".\(next(below: 1000))" }
        if next(below: 4) == 0 {
            text += ["e", "E", "e+", "E-"][next(below: 4)] + "\(next(below: 400))"
        }
        return text
    }

    private mutating func string() -> String {
        let pieces = [
            "a", "iban", " ", "é", "€", "😀", "\u{7F}", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9",
            "\\ud83d\\ude00", "\\u2028", "\u{2028}", "e\u{301}", "0", "\\b", "\\u001F",
        ]
        var text = "\""
        for _ in 0..<next(below: 6) { text += pieces[next(below: pieces.count)] }
        return text + "\""
    }

    private mutating func array(depth: Int) -> String {
        var elements: [String] = []
        for _ in 0..<next(below: 4) { elements.append(space() + value(depth: depth) + space()) }
        return "[" + elements.joined(separator: ",") + "]"
    }

    private mutating func object(depth: Int) -> String {
        var members: [String] = []
        for index in 0..<next(below: 5) {
            // The index keeps names apart; the text before it does not matter.
            let name = string().dropLast() + "\(index)\""
            members.append("\(space())\(name)\(space()):\(space())\(value(depth: depth))\(space())")
        }
        return "{" + members.joined(separator: ",") + "}"
    }
}
