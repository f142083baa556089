import Identity

/// Why a request was refused for its token: in the log and as a label. Says nothing of the token's
/// content.
enum TokenFault: String, CaseIterable {
    case missing
    case repeatedHeader = "repeated_header"
    case wrongScheme = "wrong_scheme"
    case tooLong = "too_long"
    case malformed
    case forbiddenHeader = "forbidden_header"
    case wrongType = "wrong_type"
    case algorithmNotAllowed = "algorithm_not_allowed"
    case unknownKey = "unknown_key"
    case keyMismatch = "key_mismatch"
    case signature
    case expired
    case notYetValid = "not_yet_valid"
    case issuedInFuture = "issued_in_future"
    case wrongIssuer = "wrong_issuer"
    case wrongAudience = "wrong_audience"
    case missingClaim = "missing_claim"
    case invalidClaim = "invalid_claim"
    case revoked
    case scope

    /// Of a token that was good until its request had waited; nil for what `code` does not tell.
    init?(code: String) {
        switch code {
        case ProblemCode.tokenExpired.rawValue: self = .expired
        case ProblemCode.tokenRevoked.rawValue: self = .revoked
        default: return nil
        }
    }

    init(_ refusal: TokenRefusal) {
        self =
            switch refusal {
            case .tooLong: .tooLong
            case .malformed: .malformed
            case .forbiddenHeader: .forbiddenHeader
            case .wrongType: .wrongType
            case .algorithmNotAllowed: .algorithmNotAllowed
            case .unknownKey: .unknownKey
            case .keyMismatch: .keyMismatch
            case .signature: .signature
            case .expired: .expired
            case .notYetValid: .notYetValid
            case .issuedInFuture: .issuedInFuture
            case .wrongIssuer: .wrongIssuer
            case .wrongAudience: .wrongAudience
            case .missingClaim: .missingClaim
            case .invalidClaim: .invalidClaim
            }
    }
}
