/// Credentials of the `Bearer` scheme (RFC 6750 section 2.1).
package enum BearerToken {
    /// Where the token is in an `Authorization` header's value; nil for another scheme and for
    /// anything but one b64token after one or more spaces. The scheme is matched in any letter
    /// case (RFC 9110 section 11.1).
    package static func range(in value: Span<UInt8>) -> Range<Int>? {
        let scheme: StaticString = "bearer"
        var index = scheme.utf8CodeUnitCount
        guard value.count > index, value[index] == 0x20 else { return nil }
        let matches = scheme.withUTF8Buffer { scheme in
            for index in scheme.indices where value[index] | 0x20 != scheme[index] { return false }
            return true
        }
        guard matches else { return nil }
        while index < value.count, value[index] == 0x20 { index += 1 }
        let start = index
        while index < value.count, isTokenCharacter(value[index]) { index += 1 }
        guard index > start else { return nil }
        while index < value.count, value[index] == 0x3D { index += 1 }
        return index == value.count ? start..<index : nil
    }

    /// Letters, digits and `+-./_~`, as bits 0 to 63 and 64 to 127.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        let low: UInt64 = 0x03FF_E800_0000_0000
        let high: UInt64 = 0x47FF_FFFE_87FF_FFFE
        return byte < 128 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }
}
