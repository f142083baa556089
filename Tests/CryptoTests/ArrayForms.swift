@testable import Crypto

// `#expect` cannot capture a span.
extension HMACSHA256 {
    func code(over message: [UInt8]) -> Digest256 { code(for: message.span) }

    func accepts(_ code: [UInt8], over message: [UInt8]) -> Bool {
        isValid(code.span, for: message.span)
    }
}

extension VerificationKey {
    func accepts(
        _ signature: [UInt8], over message: [UInt8], by algorithm: SignatureAlgorithm
    ) -> Bool {
        isValid(signature.span, of: message.span, by: algorithm)
    }
}

extension ECDSASignature {
    static func der(from raw: [UInt8]) -> [UInt8]? { der(fromRaw: raw.span) }
}
