import HTTPServer
import Platform

/// Names one attempt in answers and logs: the client's `X-Request-Id` if it is one token of at most
/// 128 characters (RFC 9110 section 5.6.2), else one of ours.
enum RequestID {
    static func of(_ head: borrowing RequestHead, random: any RandomBytes) -> String {
        if head.count(of: "x-request-id") == 1,
            let value = head.value(of: "x-request-id"), isToken(value)
        {
            return value.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        }
        return made(by: random)
    }

    /// 15 characters of 5 random bits each: few enough to live inside the string value.
    static func made(by random: any RandomBytes) -> String {
        let alphabet: StaticString = "0123456789abcdefghjkmnpqrstvwxyz"
        var low = random.word()
        var high = random.word()
        return String(unsafeUninitializedCapacity: 15) { buffer in
            for index in 0..<15 {
                let digit = index < 12 ? low & 31 : high & 31
                if index < 12 { low >>= 5 } else { high >>= 5 }
                buffer[index] = alphabet.utf8Start[Int(digit)]
            }
            return 15
        }
    }

    private static func isToken(_ value: Span<UInt8>) -> Bool {
        guard !value.isEmpty, value.count <= 128 else { return false }
        for index in value.indices {
            switch value[index] {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: continue
            case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: continue
            default: return false
            }
        }
        return true
    }
}
