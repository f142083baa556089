import JSON
import Platform

/// The claims of a payload (RFC 7519 section 4), typed but not yet judged.
struct Claims {
    var subject: JSONValue?
    var issuer: JSONValue?
    var audience: JSONValue?
    var expiresAt = Instant(microseconds: 0)
    var notBefore: Instant?
    var issuedAt: Instant?
    var tokenID: String?
    var sessionID: String?
    var scopes: Scopes = []
    var evidence: AuthorisationEvidence

    init(_ payload: JSONValue) throws(TokenRefusal) {
        var expiry: JSONValue?
        var notBefore: JSONValue?
        var issuedAt: JSONValue?
        var authenticatedAt: JSONValue?
        var tokenID: JSONValue?
        var sessionID: JSONValue?
        var transactionID: JSONValue?
        var details: JSONValue?
        var scope: JSONValue?
        var scopeList: JSONValue?
        for member in payload.members {
            let value = member.value
            switch member.name {
            case "sub": subject = value
            case "iss": issuer = value
            case "aud": audience = value
            case "exp": expiry = value
            case "nbf": notBefore = value
            case "iat": issuedAt = value
            case "auth_time": authenticatedAt = value
            case "jti": tokenID = value
            case "sid": sessionID = value
            case "txn": transactionID = value
            case "authorization_details": details = value
            case "scope": scope = value
            case "scp": scopeList = value
            default: break
            }
        }
        guard let expiry = try NumericDate.read(expiry, .expiry) else {
            throw .missingClaim(.expiry)
        }
        expiresAt = expiry
        self.notBefore = try NumericDate.read(notBefore, .notBefore)
        self.issuedAt = try NumericDate.read(issuedAt, .issuedAt)
        self.tokenID = try Self.identifier(tokenID, .tokenID)
        self.sessionID = try Self.identifier(sessionID, .sessionID)
        if let details, details.kind != .array { throw .invalidClaim(.authorizationDetails) }
        evidence = AuthorisationEvidence(
            authenticatedAt: try NumericDate.read(authenticatedAt, .authenticationTime),
            transactionID: try Self.identifier(transactionID, .transactionID),
            authorizationDetails: details?.rawBytes)
        if let scope {
            scopes = try Self.scopes(spaceSeparated: scope)
        } else if let scopeList {
            scopes = try Self.scopes(listed: scopeList)
        }
    }

    /// `sub` as a customer's id: 1 to 64 bytes of printable ASCII without spaces.
    static func subject(_ value: JSONValue?) throws(TokenRefusal) -> String {
        guard let value else { throw .missingClaim(.subject) }
        let sound = value.withText { text in
            guard (1...64).contains(text.count) else { return false }
            for index in text.indices where !(0x21...0x7E).contains(text[index]) { return false }
            return true
        }
        guard sound == true, let subject = value.string else { throw .invalidClaim(.subject) }
        return subject
    }

    /// Whether `aud`, one string or an array of them, names `expected`.
    static func audience(
        _ value: JSONValue?, includes expected: String
    ) throws(TokenRefusal) -> Bool {
        guard let value else { throw .missingClaim(.audience) }
        if let matches = value.withText({ equalBytes($0, expected) }) { return matches }
        guard value.kind == .array else { throw .invalidClaim(.audience) }
        var found = false
        for element in value.elements {
            guard let matches = element.withText({ equalBytes($0, expected) }) else {
                throw .invalidClaim(.audience)
            }
            found = found || matches
        }
        return found
    }

    private static func identifier(
        _ value: JSONValue?, _ claim: TokenRefusal.Claim
    ) throws(TokenRefusal) -> String? {
        guard let value else { return nil }
        let count = value.withText { $0.count } ?? 0
        guard (1...256).contains(count), let text = value.string else {
            throw .invalidClaim(claim)
        }
        return text
    }

    private static func scopes(
        spaceSeparated value: JSONValue
    ) throws(TokenRefusal) -> Scopes {
        let scopes = value.withText { text in
            var scopes: Scopes = []
            var start = 0
            for index in 0...text.count where index == text.count || text[index] == 0x20 {
                scopes.formUnion(Scopes(named: text.extracting(start..<index)))
                start = index + 1
            }
            return scopes
        }
        guard let scopes else { throw .invalidClaim(.scope) }
        return scopes
    }

    private static func scopes(listed value: JSONValue) throws(TokenRefusal) -> Scopes {
        guard value.kind == .array else { throw .invalidClaim(.scopeList) }
        var scopes: Scopes = []
        for element in value.elements {
            guard let scope = element.withText({ Scopes(named: $0) }) else {
                throw .invalidClaim(.scopeList)
            }
            scopes.formUnion(scope)
        }
        return scopes
    }
}

/// Seconds since the epoch, whole or with a decimal fraction (RFC 7519 section 2).
enum NumericDate {
    /// The first second of the year 10000: later dates are mistakes or attacks.
    private static let ceiling: Int64 = 253_402_300_800

    /// Nil for an absent claim. Refuses other kinds, negative numbers, exponents and years beyond
    /// 9999; cuts to microseconds.
    static func read(
        _ value: JSONValue?, _ claim: TokenRefusal.Claim
    ) throws(TokenRefusal) -> Instant? {
        guard let value else { return nil }
        guard let text = value.numberText, let instant = instant(Array(text.utf8)) else {
            throw .invalidClaim(claim)
        }
        return instant
    }

    private static func instant(_ text: [UInt8]) -> Instant? {
        var seconds: Int64 = 0
        var index = 0
        while index < text.count, text[index] != 0x2E {
            guard (0x30...0x39).contains(text[index]) else { return nil }
            seconds = seconds * 10 + Int64(text[index] - 0x30)
            guard seconds < ceiling else { return nil }
            index += 1
        }
        var microseconds: Int64 = 0
        var scale: Int64 = 100_000
        index += 1
        while index < text.count {
            guard (0x30...0x39).contains(text[index]) else { return nil }
            microseconds += Int64(text[index] - 0x30) * scale
            scale /= 10
            index += 1
        }
        return Instant(microseconds: seconds * 1_000_000 + microseconds)
    }
}
