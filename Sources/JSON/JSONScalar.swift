/// Checks of single characters inside strings.
enum JSONScalar {
    /// The index after the escape that begins at `start`, a surrogate pair being one escape.
    static func escapeEnd(_ input: Span<UInt8>, at start: Int) throws(JSONError) -> Int {
        guard start + 1 < input.count else {
            throw JSONError(.unexpectedEnd, offset: input.count)
        }
        switch input[start + 1] {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: return start + 2
        case 0x75: break
        default: throw JSONError(.invalidEscape, offset: start)
        }
        let unit = try codeUnit(input, at: start)
        switch unit {
        case 0: throw JSONError(.nulCharacter, offset: start)
        case 0xDC00...0xDFFF: throw JSONError(.loneSurrogate, offset: start)
        case 0xD800...0xDBFF: break
        default:
            if isNoncharacter(unit) { throw JSONError(.noncharacter, offset: start) }
            return start + 6
        }
        let second = start + 6
        guard second < input.count else { throw JSONError(.unexpectedEnd, offset: input.count) }
        guard input[second] == 0x5C else { throw JSONError(.loneSurrogate, offset: start) }
        guard second + 1 < input.count else {
            throw JSONError(.unexpectedEnd, offset: input.count)
        }
        guard input[second + 1] == 0x75 else { throw JSONError(.loneSurrogate, offset: start) }
        let low = try codeUnit(input, at: second)
        guard (0xDC00...0xDFFF).contains(low) else {
            throw JSONError(.loneSurrogate, offset: start)
        }
        let scalar = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
        if isNoncharacter(scalar) { throw JSONError(.noncharacter, offset: start) }
        return second + 6
    }

    /// The value of `\uXXXX` at `start`.
    private static func codeUnit(
        _ input: Span<UInt8>, at start: Int
    ) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for index in start + 2..<start + 6 {
            guard index < input.count else {
                throw JSONError(.unexpectedEnd, offset: input.count)
            }
            guard let digit = JSONText.hexValue(input[index]) else {
                throw JSONError(.invalidEscape, offset: start)
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// The index after the UTF-8 sequence of two to four bytes at `start` (RFC 3629 section 4).
    static func multibyteEnd(_ input: Span<UInt8>, at start: Int) throws(JSONError) -> Int {
        let lead = input[start]
        let length: Int
        var scalar: UInt32
        switch lead {
        case 0xC2...0xDF: (length, scalar) = (2, UInt32(lead & 0x1F))
        case 0xE0...0xEF: (length, scalar) = (3, UInt32(lead & 0x0F))
        case 0xF0...0xF4: (length, scalar) = (4, UInt32(lead & 0x07))
        default: throw JSONError(.invalidUTF8, offset: start)
        }
        for index in start + 1..<start + length {
            guard index < input.count else {
                throw JSONError(.unexpectedEnd, offset: input.count)
            }
            guard input[index] & 0xC0 == 0x80 else {
                throw JSONError(.invalidUTF8, offset: start)
            }
            scalar = scalar << 6 | UInt32(input[index] & 0x3F)
        }
        let shortest: UInt32 = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000
        guard scalar >= shortest, scalar <= 0x10FFFF, !(0xD800...0xDFFF).contains(scalar) else {
            throw JSONError(.invalidUTF8, offset: start)
        }
        if isNoncharacter(scalar) { throw JSONError(.noncharacter, offset: start) }
        return start + length
    }

    private static func isNoncharacter(_ scalar: UInt32) -> Bool {
        (0xFDD0...0xFDEF).contains(scalar) || scalar & 0xFFFE == 0xFFFE
    }
}
