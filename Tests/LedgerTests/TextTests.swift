import Crypto
import Ledger
import Testing

@Suite("Text")
struct TextTests {
    /// The digests were computed by Python's unicodedata and hashlib over the normalised texts,
    /// each followed by a line feed.
    @Test("Form C is what an independent program makes of scalars, marks and syllables")
    func normalization() {
        let scalars = (UInt32(0)...0xFFFF).map { [$0] } + (UInt32(0x2F800)...0x2FA1F).map { [$0] }
        #expect(
            digest(scalars) == "a1fe74508fcd7297976e992c72c044b082935658d0f35ed93853503c9f4ec312")
        #expect(
            digest(product([0x41...0x7A, 0x300...0x36F]))
                == "99d9bb818cfa0fe0926beef76e41659f79a465e8358764d12c9acc1a588e4d02")
        #expect(
            digest(product([0x65...0x65, 0x300...0x36F, 0x300...0x36F]))
                == "7995b37fc4cf619ffdacc95cbe9e33db66da31040a3550e0ae7c4af6d69e528f")
        let hangul = product([0x1100...0x1112, 0x1161...0x1175, 0x11A7...0x11C2])
        #expect(
            digest(hangul) == "46ec7a792ce8474956996567b9a5011ed9fa52af61aa0e20cb659c77bc92b0b9")
    }

    private func product(_ ranges: [ClosedRange<UInt32>]) -> [[UInt32]] {
        ranges.reduce([[]]) { texts, range in texts.flatMap { text in range.map { text + [$0] } } }
    }

    /// Surrogates are left out.
    private func digest(_ texts: [[UInt32]]) -> String {
        let hasher = SHA256Hasher()
        for text in texts {
            let scalars = text.compactMap(Unicode.Scalar.init)
            guard scalars.count == text.count else { continue }
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars)
            let normal = normalizedText(String(view))
            hasher.update(Array(normal.utf8) + [0x0A])
        }
        return hasher.finish().hex
    }

    @Test("SEPA allows exactly the basic Latin set")
    func sepa() {
        let allowed = Set(
            ("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" + "/-?:().,'+ ")
                .unicodeScalars)
        for value in UInt32(0)...0xFFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            #expect(CharacterSetPolicy.sepa.allows(scalar) == allowed.contains(scalar))
        }
    }

    @Test(
        "Control, direction, separator, invisible, private and unassigned characters are refused",
        arguments: CharacterSetPolicy.allCases)
    func alwaysRefused(policy: CharacterSetPolicy) {
        let ranges: [ClosedRange<UInt32>] = [
            0x00...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069, 0x200E...0x200F,
            0x61C...0x61C, 0x2028...0x2029, 0xFEFF...0xFEFF, 0x200B...0x200B, 0xE000...0xF8FF,
            0xFFFE...0xFFFF, 0xE0001...0xE0001, 0xE0020...0xE007F, 0x10FFFE...0x10FFFF,
            0xFDD0...0xFDEF, 0x378...0x379,
        ]
        for value in ranges.joined() {
            guard let scalar = Unicode.Scalar(value) else { continue }
            #expect(!policy.allows(scalar), "U+\(String(value, radix: 16))")
        }
    }

    @Test(
        "The Unicode policy allows how people write their names",
        arguments: [
            "Zoë Łuczak", "Владимир", "李小龍", "한글", "محمد", "נועה", "می\u{200C}خواهم", "श्री",
            "O\u{2019}Neill", "😀", "Ng\u{1ECD}c", "a<b>&\"c\"",
        ])
    func unicode(text: String) {
        let rule = TextRule(policy: .unicode, length: 1...70)
        #expect(rule.refusal(of: normalizedText(text)) == nil)
    }

    @Test(
        "Lengths are counted in characters after normalisation",
        arguments: [
            ("a", 70, true), ("a", 71, false), ("e\u{301}", 70, true), ("é", 71, false),
            ("😀", 70, true), ("😀", 71, false), ("", 1, false),
        ])
    func lengths(unit: String, count: Int, allowed: Bool) {
        let text = normalizedText(String(repeating: unit, count: count))
        let refusal = TextRule(policy: .unicode, length: 1...70).refusal(of: text)
        #expect((refusal == nil) == allowed)
        if let refusal { #expect(refusal.hasPrefix("Send 1 to 70 characters")) }
    }

    @Test("A blank text is refused", arguments: [" ", "   ", "\u{A0}", "\u{3000} "])
    func blank(text: String) {
        #expect(
            TextRule(policy: .unicode, length: 1...70).refusal(of: text)
                == "Send a text that is not blank.")
    }

    @Test("The refusal of a character names it and not the text")
    func namesTheCharacter() throws {
        let rule = TextRule(policy: .sepa, length: 1...70)
        let refusal = try #require(rule.refusal(of: "Zoë"))
        #expect(refusal.hasPrefix("U+00EB is not allowed: send "))
        #expect(!refusal.contains("Zo"))
        #expect(try #require(rule.refusal(of: "a\nb")).hasPrefix("U+000A "))
        #expect(try #require(rule.refusal(of: "😀")).hasPrefix("U+1F600 "))
    }

    @Test(
        "A SEPA identification has no slash at its ends and no two together",
        arguments: [("/a", false), ("a/", false), ("a//b", false), ("/", false), ("a/b", true)])
    func slashes(text: String, allowed: Bool) {
        let identifier = TextRule(policy: .sepa, length: 1...35, isIdentifier: true)
        #expect((identifier.refusal(of: text) == nil) == allowed)
        #expect(TextRule(policy: .sepa, length: 1...35).refusal(of: text) == nil)
        let unicode = TextRule(policy: .unicode, length: 1...35, isIdentifier: true)
        #expect(unicode.refusal(of: text) == nil)
    }
}
