import HTTPServer
import Identity
import Ledger
import Platform

/// Who asks, and until when the token lets them.
struct Caller {
    let customer: CustomerID
    let permittedUntil: Instant
    let token: VerifiedToken
}

/// Token and scope, checked on every attempt, replays included. Confined to its event loop.
struct Gate {
    enum Answer {
        case passed(Caller)
        case refused(GateRefusal)
        /// The token is not known, and as many as a turn may verify have been.
        case postponed
    }

    private let verifier: JWTVerifier
    private let revocations: RevocationList
    private let cache: VerifiedTokenCache
    private var keys: Int
    private let verificationsPerTurn: Int
    private var verificationsLeft: Int
    private let verifications: Counter

    /// Verifies at most `verificationsPerTurn` unknown tokens from one `beginTurn` to the next, and
    /// counts them.
    init(
        _ verifier: JWTVerifier, _ revocations: RevocationList, verificationsPerTurn: Int,
        verifications: Counter
    ) {
        self.revocations = revocations
        self.verificationsPerTurn = verificationsPerTurn
        verificationsLeft = verificationsPerTurn
        self.verifications = verifications
        keys = verifier.generation
        self.verifier = verifier
        cache = VerifiedTokenCache(
            maximumEntries: 65_536, maximumBytes: 64 << 20,
            leewaySeconds: verifier.configuration.leewaySeconds)
    }

    mutating func beginTurn() { verificationsLeft = verificationsPerTurn }

    mutating func pass(
        _ head: borrowing RequestHead, needs scope: Scopes, at now: Instant
    ) -> Answer {
        switch head.count(of: "authorization") {
        case 0: return .refused(.missing)
        case 1: break
        default: return .refused(.invalid(.repeatedHeader, "Send one Authorization header."))
        }
        guard let value = head.value(of: "authorization"),
            let range = BearerToken.credentials(in: value)
        else {
            return .refused(
                .invalid(.wrongScheme, "Send `Authorization: Bearer` and an access token."))
        }
        do throws(TokenRefusal) {
            guard let token = try verified(value.extracting(range), at: now) else {
                return .postponed
            }
            guard let customer = CustomerID(token.subject) else {
                return .refused(
                    .invalid(.invalidClaim, "The token's subject cannot be a customer."))
            }
            if revocations.refuses(token) { return .refused(.revoked) }
            guard token.scopes.contains(scope) else { return .refused(.scope(scope)) }
            let lasting = token.expiresAt.advanced(
                seconds: verifier.configuration.leewaySeconds)
            return .passed(
                Caller(customer: customer, permittedUntil: lasting, token: token))
        } catch {
            return .refused(
                error == .expired
                    ? .expired : .invalid(TokenFault(error), Self.detail(error)))
        }
    }

    /// The refusal of a request that has waited, if its token is no longer good; nil for one that has
    /// not waited.
    func refusalAfterWait(_ request: Parked, at now: Instant) -> GateRefusal? {
        guard request.waitSeconds != nil, let token = request.token else { return nil }
        do throws(TokenRefusal) {
            try token.check(at: now, leewaySeconds: verifier.configuration.leewaySeconds)
        } catch { return .expired }
        return revocations.refuses(token) ? .revoked : nil
    }

    /// To ask later, on any thread, whether the caller's token has been revoked meanwhile.
    func revocation(of caller: Caller) -> @Sendable () -> Bool {
        { [revocations] in revocations.refuses(caller.token) }
    }

    /// Nil when this turn has no verification left for an unknown token.
    private mutating func verified(
        _ bytes: Span<UInt8>, at now: Instant
    ) throws(TokenRefusal) -> VerifiedToken? {
        // A key that was withdrawn vouches for nothing any more.
        let generation = verifier.generation
        if generation != keys {
            cache.removeAll()
            keys = generation
        }
        // Before its characters are looked at: what is known was a token.
        if let known = try cache.token(for: bytes, at: now) { return known }
        guard BearerToken.isToken(bytes) else { throw .malformed }
        guard verificationsLeft > 0 else { return nil }
        verificationsLeft -= 1
        verifications.add()
        let token = try verifier.verify(bytes, at: now)
        cache.insert(token, for: bytes)
        return token
    }

    /// Enough for whoever builds the client, nothing for whoever guesses.
    private static func detail(_ refusal: TokenRefusal) -> String {
        switch refusal {
        case .notYetValid, .issuedInFuture: "The token is not valid yet. Check the issuer's clock."
        case .wrongIssuer, .wrongAudience: "The token was not issued for this service."
        case .missingClaim(let claim): "The token has no \(claim.rawValue) claim."
        case .invalidClaim(let claim): "The token's \(claim.rawValue) claim is not valid."
        case .expired: "The token has expired."
        case .tooLong, .malformed, .forbiddenHeader, .wrongType, .algorithmNotAllowed,
            .unknownKey, .keyMismatch, .signature:
            "The token is not one that this service accepts."
        }
    }
}

/// A refusal with the challenge of RFC 6750 section 3.
enum GateRefusal {
    case missing
    case invalid(TokenFault, String)
    case expired
    case revoked
    case scope(Scopes)

    func response(_ requestID: String) -> Response {
        let problem: Problem
        /// What follows the realm.
        let challenge: String
        switch self {
        case .missing:
            problem = Problem(.tokenMissing, "Send `Authorization: Bearer` and an access token.")
            challenge = ""
        case .invalid(_, let detail):
            problem = Problem(.tokenInvalid, detail)
            challenge = ", error=\"invalid_token\""
        case .expired:
            problem = Problem(.tokenExpired, "Get a fresh access token.")
            challenge = Self.invalidToken("The access token expired")
        case .revoked:
            problem = Problem(.tokenRevoked, "The access was taken away. Log in again.")
            challenge = Self.invalidToken("The access token was revoked")
        case .scope(let scope):
            problem = Problem(.scopeMissing, "This needs a token with the scope \(scope.text).")
            challenge = ", error=\"insufficient_scope\", scope=\"\(scope.text)\""
        }
        var response = problem.response(requestID)
        response.setField("WWW-Authenticate", "Bearer realm=\"transferd\"" + challenge)
        return response
    }

    var fault: TokenFault {
        switch self {
        case .missing: .missing
        case .invalid(let fault, _): fault
        case .expired: .expired
        case .revoked: .revoked
        case .scope: .scope
        }
    }

    private static func invalidToken(_ description: String) -> String {
        ", error=\"invalid_token\", error_description=\"\(description)\""
    }
}

extension Route {
    /// What a token must allow.
    func scope(_ method: Method) -> Scopes {
        switch self {
        case .documentation, .problem: []
        case .transfers where method == .post: .transfersWrite
        case .transferByKey where method == .delete: .transfersWrite
        case .transfers, .transferByKey, .transfer: .transfersRead
        case .accounts, .account: .accountsRead
        }
    }
}
