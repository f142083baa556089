package import Platform

/// What a token's signature vouches for. Immutable; a class so that handing it on costs one
/// reference count.
package final class VerifiedToken: Sendable {
    /// `sub`, the customer: 1 to 64 bytes of printable ASCII without spaces.
    package let subject: String
    /// What `scope`, or without it `scp`, grants of the known scopes.
    package let scopes: Scopes
    /// `exp`; the token counts for the leeway longer.
    package let expiresAt: Instant
    /// `nbf`
    package let notBefore: Instant?
    /// `iss`, equal to the configured issuer.
    package let issuer: String
    /// `jti`: 1 to 256 bytes.
    package let tokenID: String?
    /// When it was issued; nil where it does not say.
    package let issuedAt: Instant?
    /// `sid`: 1 to 256 bytes.
    package let sessionID: String?
    /// For the check of strong customer authentication.
    package let evidence: AuthorisationEvidence

    init(_ claims: Claims, subject: String, issuer: String) {
        self.subject = subject
        self.issuer = issuer
        scopes = claims.scopes
        expiresAt = claims.expiresAt
        notBefore = claims.notBefore
        tokenID = claims.tokenID
        issuedAt = claims.issuedAt
        sessionID = claims.sessionID
        evidence = claims.evidence
    }

    /// Refuses the token outside of its time: `nbf` - leeway ≤ `now` < `exp` + leeway.
    package func check(at now: Instant, leewaySeconds: Int64) throws(TokenRefusal) {
        guard now < expiresAt.advanced(seconds: leewaySeconds) else { throw .expired }
        if let notBefore, now.advanced(seconds: leewaySeconds) < notBefore { throw .notYetValid }
    }
}

/// What a token says of the customer's strong authentication, unjudged.
package struct AuthorisationEvidence: Hashable, Sendable {
    /// `auth_time`
    package let authenticatedAt: Instant?
    /// `txn` (RFC 8417 section 2.2): 1 to 256 bytes.
    package let transactionID: String?
    /// `authorization_details` (RFC 9396) as it stands in the token: a JSON array.
    package let authorizationDetails: [UInt8]?
}

/// The scopes that this server knows; others in a token are ignored.
package struct Scopes: OptionSet, Hashable, Sendable {
    /// One bit for each scope; never stored.
    package let rawValue: UInt8

    /// From bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `transfers:read`
    package static let transfersRead = Scopes(rawValue: 1)
    /// `transfers:write`
    package static let transfersWrite = Scopes(rawValue: 2)
    /// `accounts:read`
    package static let accountsRead = Scopes(rawValue: 4)

    /// Every known scope with its name on the wire.
    package static let names: [(Scopes, String)] = [
        (.transfersRead, "transfers:read"), (.transfersWrite, "transfers:write"),
        (.accountsRead, "accounts:read"),
    ]

    /// One scope-token (RFC 6749 section 3.3); empty when unknown.
    init(named name: Span<UInt8>) {
        for (scope, known) in Self.names where equalBytes(name, known) {
            self = scope
            return
        }
        self = []
    }

    /// Space-separated names in a fixed order (RFC 8693 section 4.2).
    package var text: String {
        Self.names.filter { contains($0.0) }.map { $0.1 }.joined(separator: " ")
    }
}

/// Whether `text` is exactly `expected`. Not `String ==`, which joins canonically equivalent texts.
func equalBytes(_ text: Span<UInt8>, _ expected: String) -> Bool {
    let expected = expected.utf8
    guard text.count == expected.count else { return false }
    var index = 0
    for byte in expected {
        guard text[index] == byte else { return false }
        index += 1
    }
    return true
}
