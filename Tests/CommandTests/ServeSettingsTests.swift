import Foundation
import Glibc
import Identity
import Platform
import TestSupport
import Testing

extension DatabaseTests.ServeTests {
    private func token() -> String {
        var issuer = DemoTokenIssuer(
            issuer: "issuer", audience: "bank",
            secret: Array((Self.secret.values.first ?? "").utf8), random: SystemRandomBytes())
        return issuer.token(
            subject: "alice", scopes: [.transfersRead, .transfersWrite, .accountsRead],
            at: SystemWallClock().now(), lifetimeSeconds: 600)
    }

    /// The statuses of requests one after the other, until one is `last` or `count` are done.
    private func statuses(
        _ line: String, port: Int, until last: Int, count: Int
    ) throws -> [Int] {
        let token = token()
        var found: [Int] = []
        while found.count < count, found.last != last {
            found.append(
                try Answer.to(
                    "\(line) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                        + "Authorization: Bearer \(token)\r\n\r\n", port: port
                ).status)
        }
        return found
    }

    @Test(
        "A customer who asks more than the limits allow gets 429, where they are not off",
        arguments: [
            ("READS", "GET /api/accounts"),
            ("WRITES", "DELETE /api/transfers/by-key/0193a5c4-8f7e-7b1a-9d3e-2f6c1a0b4d5e"),
        ])
    func rates(kind: String, line: String) throws {
        let path = try configuration()
        for (rate, isLimited) in [("1", true), ("0", false)] {
            var environment = Self.secret
            environment["TRANSFERD_LIMITS_\(kind)_PER_SECOND"] = rate
            environment["TRANSFERD_LIMITS_\(kind)_BURST"] = "2"
            let program = try Program(["serve", "--config", path], environment: environment)
            let port = try #require(try ready(program)["port"] as? Int)
            let found = try statuses(
                line, port: port, until: 429, count: isLimited ? 1000 : 20)
            #expect((found.last == 429) == isLimited)
            #expect(found.prefix(2) == [200, 200])
            program.signal(SIGTERM)
            #expect(program.wait().status == 0)
        }
    }

    @Test("A key set that is replaced is read again, and one that is none changes nothing")
    func rotation() throws {
        func keys(_ id: String) -> String {
            """
            {"keys":[{"kty":"RSA","n":"0w","e":"AQAB"},\
            {"kty":"OKP","crv":"Ed25519","alg":"EdDSA","kid":"\(id)",\
            "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}
            """
        }
        let file = try folder.write(keys("first"), to: "jwks.json")
        let program = try Program(
            ["serve", "--config", try configuration()],
            environment: [
                "TRANSFERD_TOKENS_ALGORITHMS": "EdDSA", "TRANSFERD_TOKENS_JWKS_FILE": file,
            ])
        _ = try ready(program)
        #expect(!program.errors.contains("keys.replaced"))
        #expect(program.errors.contains("/keys/0 is refused"))
        for (text, event) in [
            (keys("second"), "keys.replaced"), ("none", "keys.unreadable"),
            ("{\"keys\": []}", "keys.none"),
        ] {
            _ = try folder.write(text, to: "jwks.json")
            #expect(eventually { program.errors.contains(event) })
        }
        program.signal(SIGTERM)
        #expect(program.wait().status == 0)
    }
}

/// Asks again until it is so; false after half a minute.
func eventually(_ isSo: () throws -> Bool) rethrows -> Bool {
    let clock = SystemMonotonicClock()
    let end = clock.now().advanced(milliseconds: 30_000)
    repeat {
        if try isSo() { return true }
        sched_yield()
    } while clock.now() < end
    return false
}
