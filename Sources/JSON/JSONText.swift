/// Texts of strings that the parser has already accepted.
enum JSONText {
    /// Appends `raw`, the bytes between the quotes, with escapes undone.
    static func unescape(_ raw: Span<UInt8>, into text: inout [UInt8]) {
        text.reserveCapacity(text.count + raw.count)
        var index = 0
        while index < raw.count {
            guard raw[index] == 0x5C else {
                text.append(raw[index])
                index += 1
                continue
            }
            let escape = raw[index + 1]
            index += 2
            switch escape {
            case 0x62: text.append(0x08)
            case 0x66: text.append(0x0C)
            case 0x6E: text.append(0x0A)
            case 0x72: text.append(0x0D)
            case 0x74: text.append(0x09)
            case 0x75:
                var scalar = UInt32(codeUnit(raw, at: index))
                index += 4
                if scalar >= 0xD800, scalar < 0xDC00 {
                    let low = UInt32(codeUnit(raw, at: index + 2))
                    scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
                    index += 6
                }
                append(scalar, to: &text)
            default: text.append(escape)
            }
        }
    }

    /// Four hexadecimal digits, known to be there.
    static func codeUnit(_ raw: Span<UInt8>, at index: Int) -> UInt16 {
        var value: UInt16 = 0
        for digit in index..<index + 4 { value = value << 4 | UInt16(hexValue(raw[digit]) ?? 0) }
        return value
    }

    static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }

    static func string(_ text: Span<UInt8>) -> String {
        text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    private static func append(_ scalar: UInt32, to text: inout [UInt8]) {
        if scalar < 0x80 {
            text.append(UInt8(scalar))
        } else if scalar < 0x800 {
            text.append(UInt8(0xC0 | scalar >> 6))
            text.append(UInt8(0x80 | scalar & 0x3F))
        } else if scalar < 0x10000 {
            text.append(UInt8(0xE0 | scalar >> 12))
            text.append(UInt8(0x80 | scalar >> 6 & 0x3F))
            text.append(UInt8(0x80 | scalar & 0x3F))
        } else {
            text.append(UInt8(0xF0 | scalar >> 18))
            text.append(UInt8(0x80 | scalar >> 12 & 0x3F))
            text.append(UInt8(0x80 | scalar >> 6 & 0x3F))
            text.append(UInt8(0x80 | scalar & 0x3F))
        }
    }
}
