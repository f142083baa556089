package import Crypto

/// The `alg` values (RFC 7518 section 3.1, RFC 8037) that can be configured.
package enum TokenAlgorithm: String, Hashable, Sendable, CaseIterable {
    case rs256 = "RS256"
    case ps256 = "PS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"
    /// With a shared secret: for the demo and the sandbox.
    case hs256 = "HS256"

    /// Nil for HS256, which is no signature.
    package var signature: SignatureAlgorithm? {
        switch self {
        case .rs256: .rs256
        case .ps256: .ps256
        case .es256: .es256
        case .edDSA: .edDSA
        case .hs256: nil
        }
    }
}
