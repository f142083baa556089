import Foundation
import Glibc
import Testing

@testable import Configuration

@Suite(.timeLimit(.minutes(5)))
struct ConfigTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    private func rows(_ ending: Ending) throws -> [String: [String: Any]] {
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(ending.out.utf8)) as? [String: Any])
        let settings = try #require(object["settings"] as? [[String: Any]])
        return Dictionary(uniqueKeysWithValues: settings.map { ($0["key"] as? String ?? "", $0) })
    }

    @Test("config tells every setting's value and where it comes from, later sources first")
    func sources() throws {
        let path = try folder.write(minimalFile, to: "my.json5")
        let secret = try folder.write(String(repeating: "x", count: 32), to: "secret")
        let environment = [
            "TRANSFERD_SERVER_PORT": "9000", "TRANSFERD_TOKENS_ISSUER": "other",
            "TRANSFERD_TOKENS_ALGORITHMS": "HS256", "TRANSFERD_TOKENS_HS256_SECRET_FILE": secret,
        ]
        let ending = try Program.run("config", "--config", path, "--json", environment: environment)
        #expect(ending.status == 0)
        let rows = try rows(ending)
        #expect(Set(rows.keys) == Set(SettingsTable.all.map(\.key)))
        #expect(rows["server.port"]?["value"] as? Int == 9000)
        #expect(rows["server.port"]?["source"] as? String == "environment")
        #expect(rows["server.port"]?["place"] as? String == "TRANSFERD_SERVER_PORT")
        #expect(rows["tokens.issuer"]?["value"] as? String == "other")
        #expect(rows["tokens.audience"]?["source"] as? String == "file")
        #expect(rows["tokens.audience"]?["place"] as? String == "\(path) line 3")
        #expect(rows["limits.writesPerSecond"]?["value"] as? Int == 50)
        #expect(rows["limits.writesPerSecond"]?["source"] as? String == "default")
        #expect(
            rows["policy.schemeMaximum"]?["value"] as? [String: String] == ["EUR": "999999999.99"])

        let text = try Program.run("config", "--config", path, environment: environment)
        let line = text.out.split(separator: "\n").first { $0.hasPrefix("server.port ") }
        #expect(
            line?.split(separator: " ").map(String.init)
                == ["server.port", "9000", "TRANSFERD_SERVER_PORT"])
    }

    @Test("A secret is never printed, only that there is one")
    func secrets() throws {
        let path = try folder.write(minimalFile, to: "my.json5")
        let secret = "0123456789abcdef0123456789abcdef"
        let environment = [
            "TRANSFERD_TOKENS_HS256_SECRET": secret, "TRANSFERD_TOKENS_ALGORITHMS": "HS256",
        ]
        for flags in [[], ["--json"]] {
            let ending = try Program(
                ["config", "--config", path] + flags, environment: environment
            ).wait()
            #expect(ending.status == 0)
            #expect(!(ending.out + ending.err).contains(secret))
            #expect(ending.out.contains("tokens.hs256Secret"))
            #expect(ending.out.contains("********"))
            #expect(ending.out.contains("TRANSFERD_TOKENS_HS256_SECRET"))
        }
    }

    @Test(
        "config refuses what serve refuses of files and limits, in the same words",
        arguments: [
            (["HS256_SECRET": "short", "ALGORITHMS": "HS256"], nil, "shorter than 32 bytes"),
            (["HS256_SECRET_FILE": "KEYS", "ALGORITHMS": "HS256"], nil, "cannot be read"),
            (
                ["HS256_SECRET_FILE": "KEYS", "ALGORITHMS": "HS256"], "short\n",
                "32 bytes, a newline"
            ),
            (["JWKS_FILE": "KEYS"], nil, "cannot be read"),
            (["JWKS_FILE": "KEYS"], "{\"keys\":[]}", "no key"),
            (["JWKS_FILE": "KEYS"], "keys", "not strict JSON"),
            (["HS256_SECRET": String(repeating: "x", count: 32), "ALGORITHMS": "HS256"], "", ""),
        ] as [([String: String], String?, String)])
    func preflight(tokens: [String: String], keys: String?, reason: String) throws {
        let path = try folder.write(
            """
            {
                server: {port: 0, connections: 100}, operations: {port: 0},
                database: {path: "/nowhere/bank.db"},
                tokens: {issuer: "issuer", audience: "bank"},
            }
            """, to: "my.json5")
        if let keys { _ = try folder.write(keys, to: "KEYS") }
        var environment: [String: String] = [:]
        for (name, value) in tokens {
            environment["TRANSFERD_TOKENS_" + name] = value == "KEYS" ? folder.file(value) : value
        }
        // A good one, but for more connections than any limit of open files has room for.
        if reason.isEmpty { environment["TRANSFERD_SERVER_CONNECTIONS"] = "1000000" }
        let limit = ["/usr/bin/prlimit", "--nofile=4096:4096"]
        let config = try Program(
            ["config", "--config", path], environment: environment, prefix: limit
        ).wait()
        let serve = try Program(
            ["serve", "--config", path], environment: environment, prefix: limit
        ).wait()
        #expect(config.status == 78)
        #expect(serve.status == 78)
        #expect(config.out.contains("tokens.issuer"))
        #expect(config.err.contains(reason.isEmpty ? "limit of open files" : reason))
        let words = serve.err.dropFirst("transferd: ".count)
        #expect(config.err.hasSuffix(words) && !words.isEmpty)
        environment["TRANSFERD_SERVER_CONNECTIONS"] = "100"
        guard reason.isEmpty else { return }
        let good = try Program(
            ["config", "--config", path], environment: environment, prefix: limit
        ).wait()
        #expect(good.status == 0)
    }

    @Test("Settings that serve would refuse are printed all the same, and why")
    func refused() throws {
        let alone = try Program.run("config", "--json")
        #expect(alone.status == 78)
        #expect(alone.err.contains("database.path is required"))
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(alone.out.utf8)) as? [String: Any])
        #expect((object["refusal"] as? String)?.contains("database.path") == true)
        #expect(try rows(alone)["server.port"]?["value"] as? Int == 8080)

        let path = try folder.write("{server: {prot: 1}}", to: "my.json5")
        let unknown = try Program.run("config", "--config", path)
        #expect(unknown.status == 78)
        #expect(unknown.err.contains("server.port"))
        #expect(try Program.run("config", "--config", folder.file("none")).status == 66)
    }
}
