import JSON

@testable import Configuration

private let environment = [
    "TRANSFERD_DATABASE": "d", "TRANSFERD_TOKENS_ISSUER": "i",
    "TRANSFERD_TOKENS_AUDIENCE": "a", "TRANSFERD_TOKENS_JWKS_FILE": "j",
]

/// A configuration file. What is accepted is written again as JSON and read as the same.
func fuzzConfiguration(_ input: [UInt8]) {
    // The loader adds the meaning; it must answer everything with a sentence.
    do throws(ConfigurationError) {
        _ = try ConfigurationLoader.load(
            file: input, name: "f", environment: environment, database: nil)
    } catch { require(!error.description.isEmpty, "refused without a word") }
    let lines = 1 + input.count { $0 == 0x0A }
    let strict = try? JSONDocument(input, maximumDepth: 8)
    let node: ConfigurationNode
    do throws(JSON5Reader.Fault) {
        node = try JSON5Reader.read(input)
    } catch {
        require((1...lines).contains(error.line), "line \(error.line) of \(lines)")
        require(!error.message.isEmpty, "refused without a word")
        return
    }
    var written = ""
    write(node, lines, to: &written)
    guard let again = try? JSON5Reader.read(Array(written.utf8)) else {
        fail("\(written.debugDescription) is refused")
    }
    require(isSame(node, again), "\(written.debugDescription) is another configuration")
    // Where both readers accept a text it says the same.
    if let strict {
        let json = JSONFuzz.written(strict.root)
        guard let other = try? JSON5Reader.read(json) else { return }
        require(isSame(node, other), "\(shown(json)) reads differently")
    }
}

private func write(_ node: ConfigurationNode, _ lines: Int, to text: inout String) {
    require((1...lines).contains(node.line), "line \(node.line) of \(lines)")
    switch node.value {
    case .object(let members):
        text += "{"
        for member in members {
            require((1...node.line + lines).contains(member.line), "line \(member.line)")
            text += quoted(member.name) + ": "
            write(member.node, lines, to: &text)
            text += ","
        }
        text += "}"
    case .array(let elements):
        text += "["
        for element in elements {
            write(element, lines, to: &text)
            text += ","
        }
        text += "]"
    case .text(let value): text += quoted(value)
    case .number(let value): text += value
    case .boolean(let value): text += String(value)
    case .null: text += "null"
    }
}

private func quoted(_ value: String) -> String {
    var text = "\""
    for scalar in value.unicodeScalars {
        switch scalar {
        case "\"", "\\": text += "\\" + String(scalar)
        case "\n": text += "\\n"
        case "\r": text += "\\r"
        default: text.unicodeScalars.append(scalar)
        }
    }
    return text + "\""
}

private func isSame(_ a: ConfigurationNode, _ b: ConfigurationNode) -> Bool {
    switch (a.value, b.value) {
    case (.object(let a), .object(let b)):
        a.count == b.count
            && zip(a, b).allSatisfy {
                $0.name.utf8.elementsEqual($1.name.utf8) && isSame($0.node, $1.node)
            }
    case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy(isSame)
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.number(let a), .number(let b)): a == b
    case (.boolean(let a), .boolean(let b)): a == b
    case (.null, .null): true
    default: false
    }
}
