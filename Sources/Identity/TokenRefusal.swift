/// Why a token was refused. Closed: the API needs no default branch.
package enum TokenRefusal: Error, Hashable, Sendable {
    /// More than `JWTVerifier.maximumTokenBytes`.
    case tooLong
    /// Not three base64url segments, or a header or payload that is not one strict JSON object.
    case malformed
    /// A header member that would change how the token has to be read (RFC 7515 section 4.1).
    case forbiddenHeader(ForbiddenHeader)
    /// A `typ` other than `JWT` and `at+jwt`.
    case wrongType
    /// `alg` is absent, `none`, unknown or not configured.
    case algorithmNotAllowed
    /// No key has the token's `kid`, or the token names none and several would fit.
    case unknownKey
    /// The key that `kid` names is not for the token's `alg`.
    case keyMismatch
    /// The signature is not the key's.
    case signature
    /// `exp` and the leeway have passed.
    case expired
    /// `nbf` lies in the future by more than the leeway.
    case notYetValid
    /// `iat` lies in the future by more than the leeway.
    case issuedInFuture
    /// `iss` is not the configured issuer.
    case wrongIssuer
    /// `aud` does not name this server.
    case wrongAudience
    /// A required claim is absent.
    case missingClaim(Claim)
    /// A claim has a type or value that it must not have.
    case invalidClaim(Claim)

    /// The members of a header that refuse a token, by their names on the wire.
    package enum ForbiddenHeader: String, Hashable, Sendable, CaseIterable {
        case crit
        case jwk
        case jku
        case x5u
        case x5c
    }

    /// The claims that are read, by their names on the wire.
    package enum Claim: String, Hashable, Sendable {
        case issuer = "iss"
        case audience = "aud"
        case subject = "sub"
        case expiry = "exp"
        case notBefore = "nbf"
        case issuedAt = "iat"
        case tokenID = "jti"
        case sessionID = "sid"
        case transactionID = "txn"
        case authenticationTime = "auth_time"
        case authorizationDetails = "authorization_details"
        case scope = "scope"
        case scopeList = "scp"
    }

    /// The contract's two codes for a refused token.
    package enum ContractCode: String, Sendable {
        case tokenExpired = "token_expired"
        case tokenInvalid = "token_invalid"
    }

    /// The code that the API answers with.
    package var contractCode: ContractCode {
        switch self {
        case .expired: .tokenExpired
        case .tooLong, .malformed, .forbiddenHeader, .wrongType, .algorithmNotAllowed,
            .unknownKey, .keyMismatch, .signature, .notYetValid, .issuedInFuture, .wrongIssuer,
            .wrongAudience, .missingClaim, .invalidClaim:
            .tokenInvalid
        }
    }
}
