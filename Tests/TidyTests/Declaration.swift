/// A function, initialiser or subscript, and where its body is.
struct Function {
    let name: String
    /// Index of the line that it begins on.
    let line: Int
    /// Lines from its name to the brace that ends it; 1 for a requirement without a body.
    let length: Int
    /// The statements of the body, trimmed, without the braces.
    let body: [String]

    /// Every function of a file.
    static func all(in file: SourceFile) -> [Function] {
        file.code.indices.compactMap { Function(at: $0, of: file.code) }
    }

    /// Nil where no function begins.
    init?(at line: Int, of code: [String]) {
        guard ["func", "init", "subscript"].contains(where: { code[line].has($0) }),
            let match = code[line].firstMatch(
                of:
                    #/(?:^|\s)(?:func\s+([^\s(<]+)|(init)[?!]?\s*[(<]|(deinit)\b|(subscript)\s*[(<])/#
            ),
            !code[line].trimmingPrefix(while: \.isWhitespace).hasPrefix("@"),
            !code[line][..<match.range.lowerBound].contains("=")
        else { return nil }
        name = String(match.1 ?? match.2 ?? match.3 ?? match.4 ?? "")
        self.line = line
        var scan = BodyScan()
        var column = match.range.lowerBound
        for index in line..<code.count {
            if index > line {
                column = code[index].startIndex
                if scan.isAfterSignature(code[index]) { break }
            }
            if scan.take(code[index][column...]) {
                length = index - line + 1
                body = scan.body.split(separator: "\n").map {
                    String($0.trimmingPrefix(while: \.isWhitespace))
                }.filter { !$0.isEmpty && !$0.allSatisfy { $0 == " " } }
                return
            }
        }
        length = 1
        body = []
    }
}

/// Follows brackets from a function's name to the end of its body.
private struct BodyScan {
    private var parentheses = 0
    private var braces = 0
    private var last: Character = " "
    private(set) var body = ""

    /// True when a signature without a body ended on the line before.
    func isAfterSignature(_ next: String) -> Bool {
        guard braces == 0, parentheses == 0 else { return false }
        if "(,:&=>".contains(last) { return false }
        let text = next.trimmingPrefix(while: \.isWhitespace)
        return !["{", "->", "throws", "where", "async", ")", ":"].contains { text.hasPrefix($0) }
    }

    /// True when the body has ended.
    mutating func take(_ text: Substring) -> Bool {
        for character in text {
            switch character {
            case "(", "[": parentheses += 1
            case ")", "]": parentheses -= 1
            case "{":
                if parentheses == 0 || braces > 0 { braces += 1 }
            case "}":
                if braces > 0 {
                    braces -= 1
                    if braces == 0 { return true }
                } else if parentheses == 0 {
                    return false
                }
            default: break
            }
            if !character.isWhitespace { last = character }
            if braces > 0, !(character == "{" && body.isEmpty && braces == 1) {
                body.append(character)
            }
        }
        if braces > 0 { body.append("\n") }
        return false
    }
}
