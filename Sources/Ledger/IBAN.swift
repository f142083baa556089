package import Platform

/// An international bank account number (ISO 13616) whose shape and check digits are right: two
/// letters, two digits and 1 to 30 letters or digits. Whether its country has IBANs, and of which
/// length, is `IBANRegistry`'s to say.
///
/// Its description and log value are masked; the number itself is only in `text`.
package struct IBAN: Hashable, Sendable, Loggable, CustomStringConvertible {
    /// The electronic form: upper case, without spaces, 5 to 34 ASCII characters.
    package let text: String

    /// Reads an IBAN in either letter case, with spaces (U+0020) anywhere.
    package init(_ written: Span<UInt8>) throws(IBANRefusal) {
        var bytes = [35 of UInt8](repeating: 0)
        var count = 0
        for index in 0..<written.count {
            let byte = written[index]
            switch byte {
            case 0x20: continue
            case 0x61...0x7A: bytes[count] = byte - 0x20
            case 0x30...0x39, 0x41...0x5A: bytes[count] = byte
            default: throw .character
            }
            count += 1
            guard count <= 34 else { throw .length }
        }
        guard count >= 5 else { throw .length }
        guard isLetter(bytes[0]), isLetter(bytes[1]), !isLetter(bytes[2]), !isLetter(bytes[3])
        else { throw .shape }
        // ISO 7064 makes 02 to 98. 00, 01 and 99 would pass the remainder test as second names of
        // accounts that have 97, 98 and 02.
        let check = (bytes[2] - 0x30) * 10 + bytes[3] - 0x30
        guard (2...98).contains(check), Self.remainder97(bytes.span.extracting(0..<count)) == 1
        else { throw .checkDigits }
        text = bytes.span.extracting(0..<count).withUnsafeBufferPointer {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Reads the same from a string.
    package init(_ written: String) throws(IBANRefusal) {
        let bytes = Array(written.utf8)
        try self.init(bytes.span)
    }

    /// The two letters of the country.
    package var country: Substring { text.prefix(2) }

    /// Country, check digits and the last four characters: `DE89…3000`. Of a number so short that
    /// this would show most of it, the first four only.
    package var description: String {
        text.utf8.count >= 15 ? "\(text.prefix(4))…\(text.suffix(4))" : "\(text.prefix(4))…"
    }

    package var logValue: LogValue { .text(description) }

    /// ISO 7064 MOD 97-10 over the number with its first four characters moved to the end, A to Z
    /// read as 10 to 35.
    private static func remainder97(_ bytes: Span<UInt8>) -> Int {
        var remainder = 0
        for index in 4..<bytes.count + 4 {
            let byte = Int(bytes[index < bytes.count ? index : index - bytes.count])
            remainder =
                byte >= 0x41 ? remainder * 100 + byte - 0x41 + 10 : remainder * 10 + byte - 0x30
            // So seldom that 64 bits still hold the next two digits.
            if remainder >= 1_000_000_000_000_000 { remainder %= 97 }
        }
        return remainder % 97
    }
}

private func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }

/// Why a text is no IBAN of any country.
package enum IBANRefusal: Error, Hashable, Sendable, CaseIterable {
    case character
    case length
    case shape
    case checkDigits

    /// For people: what is wrong and what to send.
    package var detail: String {
        switch self {
        case .character: "Send the IBAN in letters A to Z and digits only; spaces are ignored."
        case .length: "Send an IBAN of 5 to 34 letters and digits."
        case .shape:
            "Send an IBAN that begins with two letters and two digits, such as "
                + "DE89370400440532013000."
        case .checkDigits:
            "The check digits do not match the number: send the IBAN as the account's bank wrote it."
        }
    }
}
