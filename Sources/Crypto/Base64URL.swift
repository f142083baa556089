/// base64url without padding (RFC 4648 section 5, RFC 7515 appendix C).
package enum Base64URL {
    /// Decodes strictly: nil for padding, white space, any character outside of the alphabet, an
    /// impossible length, or unused bits that are not zero, so that a value has one spelling.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var group: UInt32 = 0
        var bits: UInt32 = 0
        // Read once: each access to a lazily made static costs a check.
        let values = values
        for index in text.indices {
            let value = values[Int(text[index])]
            guard value < 64 else { return nil }
            group = group << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> bits))
                group &= 1 << bits - 1
            }
        }
        return group == 0 ? bytes : nil
    }

    /// As the form over a span.
    package static func decode(_ text: String) -> [UInt8]? {
        let text = Array(text.utf8)
        return decode(text.span)
    }

    /// Appends the text of `bytes`.
    package static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
        var group: UInt32 = 0
        var bits: UInt32 = 0
        let alphabet = alphabet
        for index in bytes.indices {
            group = group << 8 | UInt32(bytes[index])
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(group >> bits & 63)])
            }
            group &= 1 << bits - 1
        }
        if bits > 0 { text.append(alphabet[Int(group << (6 - bits) & 63)]) }
    }

    /// The text of `bytes`.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        append(bytes.span, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
