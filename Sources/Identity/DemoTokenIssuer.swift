import Crypto
import JSON
package import Platform

/// Makes HS256 tokens for the demo, the sandbox and `transferd token`. Confined to one thread.
package struct DemoTokenIssuer {
    /// What the strong authentication claims of a token shall say; none by default.
    package struct Authentication: Sendable {
        /// `auth_time`, in whole seconds.
        package var authenticatedAt: Instant
        /// `txn`
        package var transactionID: String?
        /// `authorization_details`: one JSON array.
        package var authorizationDetails: [UInt8]?

        /// `authorizationDetails` goes into the token as it is.
        package init(
            authenticatedAt: Instant, transactionID: String? = nil,
            authorizationDetails: [UInt8]? = nil
        ) {
            self.authenticatedAt = authenticatedAt
            self.transactionID = transactionID
            self.authorizationDetails = authorizationDetails
        }
    }

    private let issuer: String
    private let audience: String
    private let secret: HMACSHA256
    private var ids: UUIDv7Generator

    /// `secret` has at least 32 bytes, as the verifier demands.
    package init(issuer: String, audience: String, secret: [UInt8], random: any RandomBytes) {
        precondition(secret.count >= 32, "HS256 needs a secret of 32 bytes")
        self.issuer = issuer
        self.audience = audience
        self.secret = HMACSHA256(key: secret)
        ids = UUIDv7Generator(random: random)
    }

    /// A token issued at `now`, with a UUIDv7 as `jti`.
    package mutating func token(
        subject: String, scopes: Scopes, at now: Instant, lifetimeSeconds: Int64,
        sessionID: String? = nil, authentication: Authentication? = nil
    ) -> String {
        let id = ids.next(at: now)
        var claims = JSONWriter()
        claims.beginObject()
        claims.member("iss", issuer)
        claims.member("aud", audience)
        claims.member("sub", subject)
        claims.member("scope", scopes.text)
        claims.member("iat", now.seconds)
        claims.member("exp", now.seconds + lifetimeSeconds)
        claims.member("jti", plain: { id.append(textTo: &$0) })
        if let sessionID { claims.member("sid", sessionID) }
        if let authentication {
            claims.member("auth_time", authentication.authenticatedAt.seconds)
            if let id = authentication.transactionID { claims.member("txn", id) }
            if let details = authentication.authorizationDetails {
                claims.member("authorization_details", raw: details)
            }
        }
        claims.endObject()
        return sign(claims.finish())
    }

    private func sign(_ payload: [UInt8]) -> String {
        var token = Array(Base64URL.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)).utf8)
        token.append(0x2E)
        Base64URL.append(payload.span, to: &token)
        let code = secret.code(for: token.span).bytes
        token.append(0x2E)
        Base64URL.append(code.span, to: &token)
        return String(decoding: token, as: UTF8.self)
    }
}
