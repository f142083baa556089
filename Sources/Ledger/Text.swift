@_spi(_Unicode) import Swift

/// `text` in Unicode normalisation form C, in which all texts are compared, counted and stored.
///
/// Unicode promises that the form of assigned characters never changes.
package func normalizedText(_ text: String) -> String {
    // ASCII is in form C already, and most texts are ASCII.
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: text._nfc)
    return String(scalars)
}

/// Which characters a text may have. The raw values are what the configuration says.
package enum CharacterSetPolicy: String, Hashable, Sendable, CaseIterable {
    /// The basic Latin set of the EPC's SEPA implementation guidelines (section 1.4):
    /// letters, digits, `/ - ? : ( ) . , ' +` and space.
    case sepa
    /// Every character that is assigned and visible, or joins such ones.
    case unicode

    /// Whether a text may have this character. Whatever the policy, control characters and those
    /// that change the direction of writing are refused: they make a text read as another one.
    package func allows(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .sepa: Self.isBasicLatin(scalar)
        case .unicode:
            scalar.isASCII ? (0x20...0x7E).contains(scalar.value) : Self.isVisible(scalar)
        }
    }

    private static func isBasicLatin(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        case "/", "-", "?", ":", "(", ")", ".", ",", "'", "+", " ": true
        default: false
        }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // C0, C1 and DEL; U+2028 and U+2029.
        case .control, .lineSeparator, .paragraphSeparator: false
        // Nobody can say how these look, nor what a later Unicode's form C makes of them: a
        // fingerprint must not change with the library.
        case .unassigned, .privateUse, .surrogate: false
        // Bidi overrides, isolates and marks, byte-order mark, tags and the like are invisible.
        // The two joiners are how words of several scripts are written.
        case .format: scalar.value == 0x200C || scalar.value == 0x200D
        default: true
        }
    }
}

/// The rule for one text member.
package struct TextRule: Hashable, Sendable {
    /// Which characters the text may have.
    package var policy: CharacterSetPolicy
    /// In Unicode scalars after normalisation.
    package var length: ClosedRange<Int>
    /// Whether the text names something to machines. The SEPA implementation guidelines forbid
    /// such a text to begin or end with "/" or to have "//".
    package var isIdentifier: Bool

    package init(policy: CharacterSetPolicy, length: ClosedRange<Int>, isIdentifier: Bool = false) {
        self.policy = policy
        self.length = length
        self.isIdentifier = isIdentifier
    }

    /// For people: what is wrong with `text` and what to send; nil if nothing is. `text` is in
    /// form C already. The fault of the characters is told before that of the length.
    package func refusal(of text: String) -> String? {
        isPlain(text) ? nil : refusal(ofAny: text)
    }

    /// Whether `text` is fine as nearly every text is: letters, digits, spaces and the like within
    /// the length. Says no where only a closer look can tell.
    private func isPlain(_ text: String) -> Bool {
        let bytes = text.utf8
        guard length.contains(bytes.count), !isIdentifier || policy != .sepa else { return false }
        var blank = true
        for byte in bytes {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: blank = false
            case 0x20, 0x27...0x29, 0x2B...0x2F, 0x3A, 0x3F: break
            default: return false
            }
        }
        return !blank
    }

    private func refusal(ofAny text: String) -> String? {
        let scalars = text.unicodeScalars
        if let refused = scalars.first(where: { !policy.allows($0) }) { return detail(of: refused) }
        let count = scalars.count
        guard length.contains(count) else {
            return "Send \(length.lowerBound) to \(length.upperBound) characters, not \(count)."
        }
        guard scalars.contains(where: { !$0.properties.isWhitespace }) else {
            return "Send a text that is not blank."
        }
        if isIdentifier, policy == .sepa,
            scalars.first == "/" || scalars.last == "/" || text.utf8.hasDoubleSlash
        {
            return "Send an identification that neither begins nor ends with \"/\" nor has \"//\"."
        }
        return nil
    }

    private func detail(of scalar: Unicode.Scalar) -> String {
        var digits = String(scalar.value, radix: 16, uppercase: true)
        digits = String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        return switch policy {
        case .sepa:
            "U+\(digits) is not allowed: send letters A to Z, digits, spaces and / - ? : ( ) . , ' + "
                + "only."
        case .unicode:
            "U+\(digits) is not allowed: send no control, direction, invisible, private or "
                + "unassigned characters."
        }
    }
}

extension String.UTF8View {
    fileprivate var hasDoubleSlash: Bool {
        zip(self, dropFirst()).contains { $0 == 0x2F && $1 == 0x2F }
    }
}
