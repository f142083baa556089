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

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x2B, 0x2D, 0x2E, 0x2F, 0x5F, 0x7E: true
        default: false
        }
    }
}
