import Platform
import Testing

@testable import Identity

@Suite("Accepted tokens") struct AcceptanceTests {
    @Test("A token's claims arrive as they were signed")
    func claims() throws {
        let token = try World.verifier().verify(
            World.token(
                World.payload([
                    "jti": #""t-1""#, "sid": #""s-1""#, "txn": #""x-1""#, "nbf": "1799999999.5",
                    "auth_time": "1799999990",
                    "authorization_details": #"[ {"type": "payment_initiation"} ]"#,
                ])))
        #expect(token.subject == "cust-7")
        #expect(token.scopes == [.transfersRead, .transfersWrite])
        #expect(token.expiresAt == Instant(seconds: 1_800_000_600))
        #expect(token.notBefore == Instant(milliseconds: 1_799_999_999_500))
        #expect(token.issuer == World.issuer)
        #expect(token.tokenID == "t-1")
        #expect(token.sessionID == "s-1")
        #expect(token.evidence.transactionID == "x-1")
        #expect(token.evidence.authenticatedAt == Instant(seconds: 1_799_999_990))
        #expect(
            token.evidence.authorizationDetails
                == Array(#"[ {"type": "payment_initiation"} ]"#.utf8))
    }

    @Test("Optional claims that are absent are nil")
    func absent() throws {
        let token = try World.verifier().verify(
            World.token(World.payload(["iat": nil, "scope": nil])))
        #expect(token.scopes == [])
        #expect(token.notBefore == nil)
        #expect(token.tokenID == nil)
        #expect(token.sessionID == nil)
        #expect(
            token.evidence
                == AuthorisationEvidence(
                    authenticatedAt: nil, transactionID: nil, authorizationDetails: nil))
    }

    @Test(
        "Scopes come from a spaced string or, without one, from a list; unknown ones are ignored",
        arguments: [
            (#""transfers:write""#, nil, .transfersWrite),
            (#""openid accounts:read  transfers:read""#, nil, [.accountsRead, .transfersRead]),
            (#"""# + #"""#, nil, []),
            (#""Transfers:Write transfers:writer transfers""#, nil, []),
            (nil, #"["transfers:write","other"]"#, .transfersWrite),
            (#""transfers:read""#, #"["transfers:write"]"#, .transfersRead),
            (nil, #"["transfers:write accounts:read"]"#, []),
            (nil, nil, []),
        ] as [(String?, String?, Scopes)])
    func scopes(scope: String?, list: String?, expected: Scopes) throws {
        let token = try World.verifier().verify(
            World.token(World.payload(["scope": scope, "scp": list])))
        #expect(token.scopes == expected)
    }

    @Test(
        "Claims at the edge of what is allowed are accepted",
        arguments: [
            ["exp": "1799999970.000001"], ["exp": "253402300799"], ["nbf": "1800000030"],
            ["iat": "1800000030"], ["nbf": "0"], ["exp": "1800000600.123456789"],
            ["aud": #"["other","\#(World.audience)"]"#],
            ["aud": #"["\#(World.audience)"]"#],
            ["sub": "\"" + String(repeating: "~", count: 64) + "\""], ["sub": #""!""#],
            ["unknown": "{}"], ["sub": #""\u0061""#],
        ] as [[String: String]])
    func edges(changes: [String: String]) throws {
        let token = World.token(World.payload(changes.mapValues { $0 }))
        #expect(try World.verifier().refusal(of: token) == nil)
    }

    @Test(
        "The types JWT and at+jwt are accepted in any letter case, and so is none",
        arguments: [
            #"{"alg":"HS256"}"#, #"{"alg":"HS256","typ":"jwt"}"#,
            #"{"alg":"HS256","typ":"at+JWT"}"#, #"{"alg":"HS256","typ":"application/at+jwt"}"#,
            #"{"alg":"HS256","kid":"any","cty":"x","other":[1]}"#,
        ])
    func types(header: String) throws {
        let token = World.token(header: header, World.payload())
        #expect(try World.verifier().refusal(of: token) == nil)
    }

    @Test("A token of exactly 8192 bytes is read")
    func longest() throws {
        let verifier = try World.verifier()
        let empty = World.token(World.payload(["x": #""""#])).utf8.count
        // Three bytes of payload are four of the token.
        let filler = (8192 - empty) / 4 * 3
        let token = World.token(
            World.payload(["x": "\"" + String(repeating: "x", count: filler) + "\""]))
        #expect((8189...8192).contains(token.utf8.count))
        #expect(verifier.refusal(of: token) == nil)
    }

    @Test("Without leeway a token ends with the very instant of its exp")
    func exactExpiry() throws {
        let verifier = try World.verifier(leewaySeconds: 0)
        let token = World.token(World.payload())
        let end = Instant(seconds: 1_800_000_600)
        let before = Instant(microseconds: end.microseconds - 1)
        #expect(verifier.refusal(of: token, at: before) == nil)
        #expect(verifier.refusal(of: token, at: end) == .expired)
    }
}
