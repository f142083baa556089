import Ledger
import Platform
import TestSupport
import Testing

@Suite("Idempotency keys, against Python's uuid") struct IdempotencyKeyTests {
    /// Reads one hexadecimal value a line; answers with the UUID that it is, or `-`.
    private static let script = #"""
        import sys, uuid
        for line in open(sys.argv[1]):
            try:
                text = bytes.fromhex(line.strip()).decode()
                print(uuid.UUID(text.removeprefix('"').removesuffix('"')))
            except ValueError: print("-")
        """#

    /// What Python accepts and we refuse, and why.
    private static let stricter: [IdempotencyKeyRefusal: String] = [
        .length: "Braces, `urn:uuid:` and missing hyphens: a key has one length.",
        .notUUID: "Hyphens are where RFC 9562 section 4 has them.",
        .quotes: "A quote at one end only is no RFC 9651 string.",
        .blank: "A key has no blanks in it.",
        .character: "Python reads digits of all scripts and strips controls.",
        .nilUUID: "It is everybody's.",
        .maxUUID: "It is everybody's.",
    ]

    private static func value(_ choices: Choices) -> [UInt8] {
        let words = (choices.below(1 << 62), choices.below(1 << 62))
        var text = UUID128(high: UInt64(words.0) << 2, low: UInt64(words.1) << 1).description
        switch choices.below(12) {
        case 0, 1, 2: break
        case 3, 4: text = "\"\(text)\""
        case 5: text = text.uppercased()
        case 6: text = text.filter { $0 != "-" }
        case 7: text = choices.one(of: ["{\(text)}", "urn:uuid:\(text)", "\"\(text)", "\(text)\""])
        case 8: text = UUID128.nil.description
        case 9: text = UUID128.max.description
        default:
            return choices.mutation(
                of: Array(text.utf8), spice: Array("-\"abF09 {}:;,\t\\é".utf8))
        }
        return Array(text.utf8)
    }

    @Test("What we accept Python reads as the same UUID; the rest has a listed reason")
    func differential() throws {
        let choices = Choices(seed: 9562)
        let inputs = (0..<4000).map { _ in Self.value(choices) }
        let output = try Python.run(
            Self.script, input: Array(inputs.map(hex).joined(separator: "\n").utf8))
        let answers = String(decoding: output, as: UTF8.self).split(separator: "\n")
        try #require(answers.count == inputs.count)
        var counts: [String: Int] = [:]
        for (input, answer) in zip(inputs, answers) {
            let text = String(decoding: input, as: UTF8.self)
            do throws(IdempotencyKeyRefusal) {
                let key = try IdempotencyKey(headerValue: input.span)
                counts["both accept", default: 0] += 1
                #expect(key.description == answer, "\(text)")
            } catch {
                let kind = answer == "-" ? "both refuse" : "only Python accepts: \(error)"
                counts[kind, default: 0] += 1
                #expect(answer == "-" || Self.stricter[error] != nil, "\(error) of \(text)")
            }
        }
        for (what, count) in counts.sorted(by: { $0.key < $1.key }) { print("\(count)\t\(what)") }
        #expect(counts["both accept", default: 0] > 1500)
        #expect(counts["both refuse", default: 0] > 200)
    }
}
