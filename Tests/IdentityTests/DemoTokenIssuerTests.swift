import Platform
import Testing

@testable import Identity

@Suite("The demo's issuer") struct DemoTokenIssuerTests {
    private static func issuer() -> DemoTokenIssuer {
        DemoTokenIssuer(
            issuer: World.issuer, audience: World.audience, secret: World.secret,
            random: SeededRandomBytes(seed: 1))
    }

    @Test("Its tokens verify, live as long as asked and have ids of their own")
    func verifies() throws {
        var issuer = Self.issuer()
        let verifier = try World.verifier(algorithms: [.hs256])
        var ids: Set<String> = []
        for _ in 0..<10 {
            let token = try verifier.verify(
                issuer.token(
                    subject: "cust-1", scopes: [.transfersWrite, .accountsRead], at: World.now,
                    lifetimeSeconds: 60))
            #expect(token.subject == "cust-1")
            #expect(token.scopes == [.transfersWrite, .accountsRead])
            #expect(token.expiresAt == World.now.advanced(seconds: 60))
            #expect(token.evidence.authenticatedAt == nil)
            ids.insert(try #require(token.tokenID))
        }
        #expect(ids.count == 10)
        #expect(ids.allSatisfy { UUID128($0) != nil })
    }

    @Test("A token carries the session and the authentication that were asked for")
    func authentication() throws {
        var issuer = Self.issuer()
        let details = Array(#"[{"type":"payment_initiation"}]"#.utf8)
        let token = try World.verifier(algorithms: [.hs256]).verify(
            issuer.token(
                subject: "cust-1", scopes: .transfersWrite, at: World.now, lifetimeSeconds: 60,
                sessionID: "s-1",
                authentication: DemoTokenIssuer.Authentication(
                    authenticatedAt: World.now, transactionID: "x-1",
                    authorizationDetails: details)))
        #expect(token.sessionID == "s-1")
        #expect(token.evidence.transactionID == "x-1")
        #expect(token.evidence.authenticatedAt == World.now)
        #expect(token.evidence.authorizationDetails == details)
    }
}
