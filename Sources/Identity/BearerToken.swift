/// Credentials of the `Bearer` scheme (RFC 6750 section 2.1).
package enum BearerToken {
    /// Where the credentials are in an `Authorization` header's value; nil for another scheme and
    /// without any. The scheme, matched in any letter case (RFC 9110 section 11.1), is followed by
    /// one or more spaces. Whether the credentials are a token, `isToken` says.
    package static func credentials(in value: Span<UInt8>) -> Range<Int>? {
        let scheme: StaticString = "bearer"
        var index = scheme.utf8CodeUnitCount
        guard value.count > index, value[index] == 0x20 else { return nil }
        let matches = scheme.withUTF8Buffer { scheme in
            for index in scheme.indices where value[index] | 0x20 != scheme[index] { return false }
            return true
        }
        guard matches else { return nil }
        while index < value.count, value[index] == 0x20 { index += 1 }
        return index < value.count ? index..<value.count : nil
    }

    /// Whether the credentials are exactly one b64token.
    package static func isToken(_ credentials: Span<UInt8>) -> Bool {
        var index = 0
        while index < credentials.count, isTokenCharacter(credentials[index]) { index += 1 }
        guard index > 0 else { return false }
        while index < credentials.count, credentials[index] == 0x3D { index += 1 }
        return index == credentials.count
    }

    /// Letters, digits and `+-./_~`, as bits 0 to 63 and 64 to 127.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        let low: UInt64 = 0x03FF_E800_0000_0000
        let high: UInt64 = 0x47FF_FFFE_87FF_FFFE
        return byte < 128 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }
}
