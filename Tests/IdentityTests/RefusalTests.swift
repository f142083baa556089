import Crypto
import Platform
import Testing

@testable import Identity

@Suite("Refused tokens") struct RefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let what: String
        let token: String
        let refusal: TokenRefusal

        var testDescription: String { what }

        init(_ what: String, _ token: String, _ refusal: TokenRefusal) {
            (self.what, self.token, self.refusal) = (what, token, refusal)
        }

        /// A good token but for some claims.
        init(_ what: String, claims: [String: String?], _ refusal: TokenRefusal) {
            self.init(what, World.token(World.payload(claims)), refusal)
        }

        init(_ what: String, header: String, _ refusal: TokenRefusal) {
            self.init(what, World.token(header: header, World.payload()), refusal)
        }
    }

    static let form: [Case] = [
        Case("empty", "", .malformed),
        Case("no dots", "abcd", .malformed),
        Case("one dot", "abcd.abcd", .malformed),
        Case("dots only", "..", .malformed),
        Case("three dots", World.token(World.payload()) + ".", .malformed),
        Case("a leading dot", "." + World.token(World.payload()), .malformed),
        Case("a trailing space", World.token(World.payload()) + " ", .malformed),
        Case("padding", World.token(World.payload()) + "=", .malformed),
        Case("a header that is no base64url", "e+.e30.", .malformed),
        Case("a header that is no JSON", "e30x.e30.", .malformed),
        Case("a header that is an array", World.token(header: "[]", "{}"), .malformed),
        Case("a header with a duplicate", header: #"{"alg":"none","alg":"HS256"}"#, .malformed),
        Case(
            "a header with an escaped duplicate", header: #"{"\u0061lg":"none","alg":"HS256"}"#,
            .malformed),
        Case("a header after a byte-order mark", header: "\u{FEFF}" + World.header, .malformed),
        Case("a header nested too deep", header: #"{"alg":"HS256","x":[[[[]]]]}"#, .malformed),
        Case("a numeric kid", header: #"{"alg":"HS256","kid":1}"#, .malformed),
        Case("a payload that is an array", World.token("[]"), .malformed),
        Case("a payload that is no JSON", World.token("exp"), .malformed),
        Case(
            "a payload with a duplicate claim",
            World.token(#"{"sub":"a","sub":"b","exp":1800000600}"#), .malformed),
        Case("a payload with trailing data", World.token(World.payload() + "{}"), .malformed),
        Case(
            "a payload nested too deep",
            claims: [
                "x": String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
            ], .malformed),
        Case("8193 bytes", String(repeating: "a", count: 8193), .tooLong),
    ]

    static let headers: [Case] = [
        Case("no alg", header: #"{"typ":"JWT"}"#, .algorithmNotAllowed),
        Case("alg none", header: #"{"alg":"none"}"#, .algorithmNotAllowed),
        Case("alg None", header: #"{"alg":"None"}"#, .algorithmNotAllowed),
        Case("alg in lower case", header: #"{"alg":"hs256"}"#, .algorithmNotAllowed),
        Case("alg HS512", header: #"{"alg":"HS512"}"#, .algorithmNotAllowed),
        Case("alg null", header: #"{"alg":null}"#, .algorithmNotAllowed),
        Case("alg an array", header: #"{"alg":["HS256"]}"#, .algorithmNotAllowed),
        Case("crit", header: #"{"alg":"HS256","crit":["exp"]}"#, .forbiddenHeader(.crit)),
        Case("empty crit", header: #"{"alg":"HS256","crit":[]}"#, .forbiddenHeader(.crit)),
        Case("null crit", header: #"{"alg":"HS256","crit":null}"#, .forbiddenHeader(.crit)),
        Case("escaped crit", header: #"{"alg":"HS256","cri\u0074":[]}"#, .forbiddenHeader(.crit)),
        Case("jwk", header: #"{"alg":"HS256","jwk":{"kty":"oct"}}"#, .forbiddenHeader(.jwk)),
        Case("jku", header: #"{"alg":"HS256","jku":"https://a"}"#, .forbiddenHeader(.jku)),
        Case("x5u", header: #"{"alg":"HS256","x5u":"https://a"}"#, .forbiddenHeader(.x5u)),
        Case("x5c", header: #"{"alg":"HS256","x5c":["a"]}"#, .forbiddenHeader(.x5c)),
        Case("typ of another token", header: #"{"alg":"HS256","typ":"dpop+jwt"}"#, .wrongType),
        Case("typ of an ID token list", header: #"{"alg":"HS256","typ":["JWT"]}"#, .wrongType),
        Case("unknown kid", header: #"{"alg":"RS256","kid":"other"}"#, .unknownKey),
        Case("kid of another case", header: #"{"alg":"RS256","kid":"RSA"}"#, .unknownKey),
        Case("kid of a key of another kind", header: #"{"alg":"ES256","kid":"rsa"}"#, .keyMismatch),
        Case("RS256 signed with HMAC", header: #"{"alg":"RS256","kid":"rsa"}"#, .signature),
        Case("PS256 signed with HMAC", header: #"{"alg":"PS256","kid":"rsa"}"#, .signature),
        Case("ES256 signed with HMAC", header: #"{"alg":"ES256","kid":"ec"}"#, .signature),
        Case("EdDSA signed with HMAC", header: #"{"alg":"EdDSA","kid":"ed"}"#, .signature),
        Case(
            "HS256 under another secret",
            World.token(World.payload(), secret: Array("another secret".utf8)), .signature),
        Case(
            "HS256 under the public key",
            World.token(World.payload(), secret: Array(World.rsaModulus.utf8)), .signature),
        Case(
            "an empty signature",
            String(World.token(World.payload()).prefix { $0 != "." }) + ".e30.", .signature),
    ]

    static let claims: [Case] = [
        Case("no exp", claims: ["exp": nil], .missingClaim(.expiry)),
        Case("exp null", claims: ["exp": "null"], .invalidClaim(.expiry)),
        Case("exp a string", claims: ["exp": #""1800000600""#], .invalidClaim(.expiry)),
        Case("exp negative", claims: ["exp": "-1"], .invalidClaim(.expiry)),
        Case("exp with an exponent", claims: ["exp": "1e99"], .invalidClaim(.expiry)),
        Case("exp in the year 10000", claims: ["exp": "253402300800"], .invalidClaim(.expiry)),
        Case(
            "exp beyond 64 bits", claims: ["exp": "99999999999999999999"], .invalidClaim(.expiry)),
        Case("exp in milliseconds", claims: ["exp": "1800000600000"], .invalidClaim(.expiry)),
        Case("exp passed by the leeway", claims: ["exp": "1799999970"], .expired),
        Case("exp a fraction too old", claims: ["exp": "1799999969.999999"], .expired),
        Case("exp of zero", claims: ["exp": "0"], .expired),
        Case("nbf in the future", claims: ["nbf": "1800000031"], .notYetValid),
        Case("nbf a fraction too late", claims: ["nbf": "1800000030.000001"], .notYetValid),
        Case("nbf a string", claims: ["nbf": #""0""#], .invalidClaim(.notBefore)),
        Case("iat in the future", claims: ["iat": "1800000031"], .issuedInFuture),
        Case("iat true", claims: ["iat": "true"], .invalidClaim(.issuedAt)),
        Case("no iss", claims: ["iss": nil], .missingClaim(.issuer)),
        Case("another iss", claims: ["iss": #""https://issuer.example/""#], .wrongIssuer),
        Case(
            "iss in other letters", claims: ["iss": #""https://ISSUER.example""#], .wrongIssuer),
        Case("iss an array", claims: ["iss": #"["a"]"#], .invalidClaim(.issuer)),
        Case("no aud", claims: ["aud": nil], .missingClaim(.audience)),
        Case("another aud", claims: ["aud": #""https://bank.example""#], .wrongAudience),
        Case("an empty aud", claims: ["aud": "[]"], .wrongAudience),
        Case("auds without ours", claims: ["aud": #"["a","b"]"#], .wrongAudience),
        Case(
            "aud with a number", claims: ["aud": #"["\#(World.audience)",1]"#],
            .invalidClaim(.audience)),
        Case("aud an object", claims: ["aud": "{}"], .invalidClaim(.audience)),
        Case("no sub", claims: ["sub": nil], .missingClaim(.subject)),
        Case("an empty sub", claims: ["sub": #""""#], .invalidClaim(.subject)),
        Case("sub with a space", claims: ["sub": #""a b""#], .invalidClaim(.subject)),
        Case("sub with a control", claims: ["sub": #""a\n""#], .invalidClaim(.subject)),
        Case("sub beyond ASCII", claims: ["sub": #""é""#], .invalidClaim(.subject)),
        Case("sub a number", claims: ["sub": "7"], .invalidClaim(.subject)),
        Case(
            "sub of 65 bytes", claims: ["sub": "\"" + String(repeating: "a", count: 65) + "\""],
            .invalidClaim(.subject)),
        Case("scope an array", claims: ["scope": "[]"], .invalidClaim(.scope)),
        Case(
            "scp with a number", claims: ["scope": nil, "scp": "[1]"], .invalidClaim(.scopeList)),
        Case("scp a string", claims: ["scope": nil, "scp": #""a""#], .invalidClaim(.scopeList)),
        Case("jti a number", claims: ["jti": "1"], .invalidClaim(.tokenID)),
        Case("an empty jti", claims: ["jti": #""""#], .invalidClaim(.tokenID)),
        Case("sid null", claims: ["sid": "null"], .invalidClaim(.sessionID)),
        Case("txn an object", claims: ["txn": "{}"], .invalidClaim(.transactionID)),
        Case(
            "txn of 257 bytes", claims: ["txn": "\"" + String(repeating: "a", count: 257) + "\""],
            .invalidClaim(.transactionID)),
        Case(
            "auth_time a string", claims: ["auth_time": #""1""#],
            .invalidClaim(.authenticationTime)),
        Case(
            "authorization_details an object", claims: ["authorization_details": "{}"],
            .invalidClaim(.authorizationDetails)),
    ]

    @Test("A token is refused for exactly its fault", arguments: form + headers + claims)
    func refused(_ item: Case) throws {
        #expect(try World.verifier().refusal(of: item.token) == item.refusal)
    }

    @Test("The good token that the faults are made from is accepted")
    func accepted() throws {
        #expect(try World.verifier().refusal(of: World.token(World.payload())) == nil)
    }

    @Test("An algorithm that is not configured is refused, though its key is known")
    func notConfigured() throws {
        let verifier = try World.verifier(algorithms: [.es256])
        for alg in ["RS256", "PS256", "EdDSA", "HS256"] {
            let token = World.token(header: #"{"alg":"\#(alg)","kid":"rsa"}"#, World.payload())
            #expect(verifier.refusal(of: token) == .algorithmNotAllowed)
        }
    }

    @Test("A token without a kid is refused where two keys would fit it")
    func ambiguousKey() throws {
        let other = World.rsaKey.replacing("\"rsa\"", with: "\"other\"")
        let keys = try World.keySet(World.rsaKey, other)
        let token = World.token(header: #"{"alg":"RS256"}"#, World.payload())
        #expect(try World.verifier(keys: keys).refusal(of: token) == .unknownKey)
        // With one key the choice is clear, and only the signature is left to be wrong.
        let one = try World.keySet(World.rsaKey)
        #expect(try World.verifier(keys: one).refusal(of: token) == .signature)
    }

    @Test("Only an expired token has the contract's code token_expired")
    func contractCodes() {
        #expect(TokenRefusal.expired.contractCode.rawValue == "token_expired")
        let others = (Self.form + Self.headers + Self.claims).map(\.refusal)
        for refusal in others + [.issuedInFuture] where refusal != .expired {
            #expect(refusal.contractCode.rawValue == "token_invalid")
        }
    }

    @Test("Every byte of an HS256 token that is changed, and every cut, is refused")
    func mutations() throws {
        let verifier = try World.verifier()
        let token = Array(World.token(World.payload()).utf8)
        for index in token.indices {
            for replacement in [UInt8(ascii: "A"), UInt8(ascii: "_"), UInt8(ascii: ".")]
            where token[index] != replacement {
                var changed = token
                changed[index] = replacement
                #expect(verifier.refusal(of: String(decoding: changed, as: UTF8.self)) != nil)
            }
            let cut = String(decoding: token[..<index], as: UTF8.self)
            #expect(verifier.refusal(of: cut) != nil)
        }
    }

    @Test(
        "A configuration that could not be safe is refused",
        arguments: [
            (World.issuer, World.audience, [], nil, 30, .noAlgorithm),
            ("", World.audience, [.rs256], nil, 30, .emptyIssuer),
            (World.issuer, "", [.rs256], nil, 30, .emptyAudience),
            (World.issuer, World.audience, [.hs256], nil, 30, .secretUnlessHS256),
            (World.issuer, World.audience, [.rs256], World.secret, 30, .secretUnlessHS256),
            (World.issuer, World.audience, [.hs256], [1, 2, 3], 30, .shortSecret),
            (World.issuer, World.audience, [.rs256], nil, -1, .leewayOutOfRange),
            (World.issuer, World.audience, [.rs256], nil, 301, .leewayOutOfRange),
        ]
            as [(
                String, String, Set<TokenAlgorithm>, [UInt8]?, Int64, JWTVerifier.ConfigurationError
            )]
    )
    func configuration(
        issuer: String, audience: String, algorithms: Set<TokenAlgorithm>, secret: [UInt8]?,
        leeway: Int64, refusal: JWTVerifier.ConfigurationError
    ) {
        #expect(throws: refusal) {
            try JWTVerifier.Configuration(
                issuer: issuer, audience: audience, algorithms: algorithms, secret: secret,
                leewaySeconds: leeway)
        }
    }
}
