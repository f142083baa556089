import Crypto
import Platform

/// Mints HS256 tokens of any content, right and wrong.
package struct TestTokens: Sendable {
    private let secret: [UInt8]

    package init(secret: [UInt8]) { self.secret = secret }

    /// Signs a payload, given as JSON. The header too may be given.
    package func token(
        payload: String, header: String = #"{"alg":"HS256","typ":"JWT"}"#
    ) -> String {
        let input =
            Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
        let bytes = Array(input.utf8)
        let code = HMACSHA256(key: secret).code(for: bytes.span).bytes
        return input + "." + Base64URL.encode(code)
    }
}
