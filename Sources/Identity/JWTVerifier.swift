import Crypto
import JSON
package import Platform

/// Verifies JWT access tokens (RFC 7519) in JWS compact form (RFC 7515 section 7.1), after the
/// advice of RFC 8725. Shareable between threads.
package final class JWTVerifier: Sendable {
    /// What tokens must look like.
    package struct Configuration: Sendable {
        /// `iss`, compared byte by byte.
        package let issuer: String
        /// What `aud` must be or hold, compared byte by byte.
        package let audience: String
        /// The `alg` values that are accepted.
        package let algorithms: Set<TokenAlgorithm>
        /// How far clocks may differ, in seconds.
        package let leewaySeconds: Int64
        let secret: HMACSHA256?

        /// HS256 needs a secret of at least 32 bytes (RFC 7518 section 3.2), and a secret HS256.
        package init(
            issuer: String, audience: String, algorithms: Set<TokenAlgorithm>,
            secret: [UInt8]? = nil, leewaySeconds: Int64 = 30
        ) throws(ConfigurationError) {
            guard !issuer.isEmpty else { throw .emptyIssuer }
            guard !audience.isEmpty else { throw .emptyAudience }
            guard !algorithms.isEmpty else { throw .noAlgorithm }
            guard algorithms.contains(.hs256) == (secret != nil) else {
                throw .secretUnlessHS256
            }
            if let secret, secret.count < 32 { throw .shortSecret }
            guard (0...300).contains(leewaySeconds) else { throw .leewayOutOfRange }
            self.issuer = issuer
            self.audience = audience
            self.algorithms = algorithms
            self.leewaySeconds = leewaySeconds
            self.secret = secret.map(HMACSHA256.init(key:))
        }
    }

    /// Why a configuration was refused.
    package enum ConfigurationError: Error, Equatable, Sendable {
        /// No `iss` to compare with.
        case emptyIssuer
        /// No `aud` to compare with.
        case emptyAudience
        /// Nothing could be accepted.
        case noAlgorithm
        /// HS256 without a secret, or a secret without HS256.
        case secretUnlessHS256
        /// Fewer than 32 bytes.
        case shortSecret
        /// Not 0 to 300 seconds.
        case leewayOutOfRange
    }

    /// Longer tokens are refused unread.
    package static let maximumTokenBytes = 8192

    /// What this verifier demands.
    package let configuration: Configuration
    private let keys: Guarded<JWKSet>
    private let swaps = Guarded(0)
    private let unknownKeys = Guarded(false)

    /// Starts with `keys`; HS256 alone needs none.
    package init(_ configuration: Configuration, keys: JWKSet = .empty) {
        self.configuration = configuration
        self.keys = Guarded(keys)
    }

    /// The keys that the next verification uses.
    package var currentKeys: JWKSet { keys.withLock { $0 } }

    /// Swaps the keys for all later verifications. Tokens in a `VerifiedTokenCache` outlive it:
    /// empty those where a key was withdrawn.
    package func replaceKeys(_ keys: JWKSet) {
        self.keys.withLock { $0 = keys }
        swaps.withLock { $0 += 1 }
    }

    /// Grows with each swap of the keys.
    package var generation: Int { swaps.withLock { $0 } }

    /// Whether a token named a key that is not known, since the last call: the issuer may have new
    /// keys.
    package func takeUnknownKey() -> Bool {
        unknownKeys.withLock { seen in
            defer { seen = false }
            return seen
        }
    }

    /// Verifies signature and claims; the signature comes first, so that a forger learns nothing
    /// about the claims that would pass.
    package func verify(
        _ token: Span<UInt8>, at now: Instant
    ) throws(TokenRefusal) -> VerifiedToken {
        guard token.count <= Self.maximumTokenBytes else { throw .tooLong }
        let segments = try Segments(token)
        let header = try object(token.extracting(0..<segments.headerEnd), depth: 4)
        let algorithm = try algorithm(of: header.root)
        guard
            let signature = Base64URL.decode(
                token.extracting(segments.payloadEnd + 1..<token.count))
        else { throw .malformed }
        try check(
            signature.span, of: token.extracting(0..<segments.payloadEnd), algorithm,
            keyID: header.root["kid"])
        let payload = try object(
            token.extracting(segments.headerEnd + 1..<segments.payloadEnd), depth: 16)
        return try judge(payload.root, at: now)
    }

    private func object(
        _ segment: Span<UInt8>, depth: Int
    ) throws(TokenRefusal) -> JSONDocument {
        guard let text = Base64URL.decode(segment) else { throw .malformed }
        do throws(JSONError) {
            let document = try JSONDocument(text, maximumDepth: depth)
            guard document.root.kind == .object else { throw JSONError(.unexpectedByte, offset: 0) }
            return document
        } catch {
            throw .malformed
        }
    }

    private func algorithm(of header: JSONValue) throws(TokenRefusal) -> TokenAlgorithm {
        for member in header.members {
            if let forbidden = TokenRefusal.ForbiddenHeader(rawValue: member.name) {
                throw .forbiddenHeader(forbidden)
            }
        }
        if let type = header["typ"] {
            guard let name = type.string?.lowercased(),
                ["jwt", "at+jwt", "application/at+jwt"].contains(name)
            else { throw .wrongType }
        }
        if let id = header["kid"], id.kind != .string { throw .malformed }
        guard let name = header["alg"]?.string, let algorithm = TokenAlgorithm(rawValue: name),
            configuration.algorithms.contains(algorithm)
        else { throw .algorithmNotAllowed }
        return algorithm
    }

    private func check(
        _ signature: Span<UInt8>, of input: Span<UInt8>, _ algorithm: TokenAlgorithm,
        keyID: JSONValue?
    ) throws(TokenRefusal) {
        let valid: Bool
        if let signatureAlgorithm = algorithm.signature {
            // The snapshot is taken out of the lock, so that no verification holds it.
            let key: VerificationKey
            do throws(TokenRefusal) {
                key = try currentKeys.key(id: keyID, for: signatureAlgorithm)
            } catch {
                if error == .unknownKey { unknownKeys.withLock { $0 = true } }
                throw error
            }
            valid = key.isValid(signature, of: input, by: signatureAlgorithm)
        } else {
            valid = configuration.secret?.isValid(signature, for: input) ?? false
        }
        guard valid else { throw .signature }
    }

    private func judge(
        _ payload: JSONValue, at now: Instant
    ) throws(TokenRefusal) -> VerifiedToken {
        let claims = try Claims(payload)
        guard let issuer = claims.issuer else { throw .missingClaim(.issuer) }
        guard let same = issuer.withText({ equalBytes($0, configuration.issuer) }) else {
            throw .invalidClaim(.issuer)
        }
        guard same else { throw .wrongIssuer }
        guard try Claims.audience(claims.audience, includes: configuration.audience) else {
            throw .wrongAudience
        }
        let token = VerifiedToken(
            claims, subject: try Claims.subject(claims.subject), issuer: configuration.issuer)
        try token.check(at: now, leewaySeconds: configuration.leewaySeconds)
        if let issuedAt = claims.issuedAt,
            now.advanced(seconds: configuration.leewaySeconds) < issuedAt
        {
            throw .issuedInFuture
        }
        return token
    }
}

/// Where the two dots of a compact JWS are.
private struct Segments {
    let headerEnd: Int
    let payloadEnd: Int

    init(_ token: Span<UInt8>) throws(TokenRefusal) {
        var dots: [2 of Int] = [0, 0]
        var count = 0
        for index in token.indices where token[index] == 0x2E {
            guard count < 2 else { throw .malformed }
            dots[count] = index
            count += 1
        }
        guard count == 2 else { throw .malformed }
        (headerEnd, payloadEnd) = (dots[0], dots[1])
    }
}
