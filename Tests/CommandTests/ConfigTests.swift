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
        let environment = ["TRANSFERD_SERVER_PORT": "9000", "TRANSFERD_TOKENS_ISSUER": "other"]
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
