/// The character classes of RFC 9110 and RFC 3986, as bit sets over ASCII.
enum ByteClass {
    static let carriageReturn: UInt8 = 0x0D
    static let lineFeed: UInt8 = 0x0A
    static let tab: UInt8 = 0x09
    static let space: UInt8 = 0x20
    static let delete: UInt8 = 0x7F

    @inline(__always)
    private static func contains(_ low: UInt64, _ high: UInt64, _ byte: UInt8) -> Bool {
        byte < 64
            ? low >> UInt64(byte) & 1 == 1 : byte < 128 && high >> UInt64(byte - 64) & 1 == 1
    }

    /// `tchar` of RFC 9110 section 5.6.2.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        contains(0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE, byte)
    }

    /// What a path or query may hold (RFC 3986 `pchar`, `/`, `?`), the percent sign included.
    @inline(__always)
    static func isTarget(_ byte: UInt8) -> Bool {
        contains(0xAFFF_FFF2_0000_0000, 0x47FF_FFFE_87FF_FFFF, byte)
    }

    /// What a host name may hold: RFC 3986 `unreserved` and the percent sign. Its `sub-delims` occur
    /// in no real host, and a comma would be two Host fields that someone merged.
    @inline(__always)
    static func isHostName(_ byte: UInt8) -> Bool {
        contains(0x03FF_6020_0000_0000, 0x47FF_FFFE_87FF_FFFE, byte)
    }

    /// A byte of a field value: tab, visible ASCII, space, or `obs-text`.
    @inline(__always)
    static func isFieldValue(_ byte: UInt8) -> Bool {
        byte >= space ? byte != delete : byte == tab
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    /// The value of a hexadecimal digit, or nil.
    @inline(__always)
    static func hexadecimal(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte - 0x30)
        case 0x41...0x46: Int(byte - 0x41 + 10)
        case 0x61...0x66: Int(byte - 0x61 + 10)
        default: nil
        }
    }

    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
}

extension Span<UInt8> {
    /// Equality with ASCII letters' case ignored.
    func equalsIgnoringCase(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        let other = text.utf8Start
        for index in 0..<count
        where ByteClass.lowercased(self[index]) != ByteClass.lowercased(other[index]) {
            return false
        }
        return true
    }

    /// Equality, byte by byte.
    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        let other = text.utf8Start
        for index in 0..<count where self[index] != other[index] { return false }
        return true
    }

    /// `range` without the spaces and tabs at both of its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, self[start] == ByteClass.space || self[start] == ByteClass.tab {
            start += 1
        }
        while end > start, self[end - 1] == ByteClass.space || self[end - 1] == ByteClass.tab {
            end -= 1
        }
        return start..<end
    }
}

extension [UInt8] {
    mutating func append(text: StaticString) {
        append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
