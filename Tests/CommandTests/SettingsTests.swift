import Bank
import Foundation
import HTTPServer
import Identity
import Testing

@testable import Configuration

/// A file that says what has no default, and no more.
let minimalFile = """
    {
        database: {path: "bank.db"},
        tokens: {issuer: "issuer", audience: "bank", jwksFile: "jwks.json"},
    }
    """

func load(
    _ file: String, _ environment: [String: String] = [:], database: String? = nil
) throws(ConfigurationError) -> ServeConfiguration {
    try ConfigurationLoader.load(
        file: Array(file.utf8), name: "my.json5", environment: environment, database: database)
}

/// The message with which a configuration is refused; "" if it is not.
func refusal(_ file: String, _ environment: [String: String] = [:]) -> String {
    do throws(ConfigurationError) {
        _ = try load(file, environment)
        return ""
    } catch { return error.description }
}

/// A file with one more setting than the minimal one.
func file(with setting: Setting, _ value: String) -> String {
    let parts = setting.key.split(separator: ".")
    let required: [String: String] = [
        "database.path": "\"bank.db\"", "tokens.issuer": "\"issuer\"",
        "tokens.audience": "\"bank\"", "tokens.jwksFile": "\"jwks.json\"",
    ]
    let sections = ["database", "tokens"] + [String(parts[0])]
    var text = "{\n"
    for section in Set(sections).sorted() {
        var members = required.filter { $0.key.hasPrefix(section + ".") }
        if section == parts[0] { members[setting.key] = value }
        text += "\(section): {"
        text += members.map { "\($0.key.split(separator: ".")[1]): \($0.value)" }
            .sorted().joined(separator: ", ")
        text += "},\n"
    }
    return text + "}"
}

/// A valid value that is not the default.
func otherValue(_ setting: Setting) -> SettingValue {
    switch (setting.kind, setting.defaultValue) {
    case (.integer(let range), .integer(let standard)):
        .integer(standard == range.upperBound ? standard - 1 : standard + 1)
    case (.boolean, .boolean(let standard)): .boolean(!standard)
    case (.choice(let names), .text(let standard)):
        .text(names.first { $0 != standard } ?? "")
    case (.choices(let names), _): .list(names.suffix(2).reversed())
    case (.amounts, _): .map(["USD": "12.50", "KWD": "1.250"])
    default:
        switch setting.key {
        case "server.address", "operations.address": .text("::1")
        case "policy.timeZone": .text("Asia/Tokyo")
        default: .text("another")
        }
    }
}

@Suite struct SettingsTests {
    static let keys = SettingsTable.all.map(\.key)
    static let integerKeys = SettingsTable.all.filter {
        if case .integer = $0.kind { true } else { false }
    }.map(\.key)

    /// Values that need others beside them.
    static func companions(_ key: String) -> [String: String] {
        switch key {
        case "tokens.algorithms", "tokens.hs256SecretFile":
            [
                "TRANSFERD_TOKENS_ALGORITHMS": "HS256,EdDSA",
                "TRANSFERD_TOKENS_HS256_SECRET_FILE": "secret",
            ]
        // One above the default is the other listener's.
        case "server.port": ["TRANSFERD_OPERATIONS_PORT": "9000"]
        default: [:]
        }
    }

    @Test("A file overrides every setting's default", arguments: keys)
    func fileOverrides(key: String) throws {
        let setting = try #require(SettingsTable.setting(key))
        let value = otherValue(setting)
        var environment = Self.companions(key)
        environment[setting.environmentName] = nil
        let configuration = try load(file(with: setting, value.json5), environment)
        #expect(setting.read(configuration) == value)
        #expect(setting.defaultValue != value)
    }

    @Test("An environment variable overrides every setting of the file", arguments: keys)
    func environmentOverrides(key: String) throws {
        let setting = try #require(SettingsTable.setting(key))
        let value = otherValue(setting)
        var environment = Self.companions(key)
        environment[setting.environmentName] = value.environmentText
        let configuration = try load(minimalFile, environment)
        #expect(setting.read(configuration) == value)
    }

    @Test("A number out of its range is refused with key, place and range", arguments: integerKeys)
    func outOfRange(key: String) throws {
        let setting = try #require(SettingsTable.setting(key))
        guard case .integer(let range) = setting.kind else { return }
        for number in [range.lowerBound - 1, range.upperBound + 1] {
            let message = refusal(minimalFile, [setting.environmentName: String(number)])
            #expect(message.contains(key))
            #expect(message.contains(setting.environmentName))
            #expect(message.contains("from \(range.lowerBound) to \(range.upperBound)"))
        }
        for number in [range.lowerBound, range.upperBound] {
            var configuration = ServeConfiguration()
            try setting.write(&configuration, .integer(number))
            #expect(setting.read(configuration) == .integer(number))
        }
    }

    @Test("A value of another type is refused", arguments: keys)
    func wrongType(key: String) throws {
        let setting = try #require(SettingsTable.setting(key))
        let isNumber = if case .integer = setting.kind { true } else { false }
        let message = refusal(file(with: setting, isNumber ? "\"1\"" : "17"))
        #expect(message.contains("\(key) (my.json5 line "))
        #expect(message.contains(isNumber ? "is a text" : "is a number"))
        #expect(message.contains(setting.demand))
        #expect(refusal(file(with: setting, "null")).contains(key))
    }

    @Test("Keys and environment names are unique and made as documented")
    func names() {
        #expect(Set(Self.keys).count == Self.keys.count)
        let names = Set(SettingsTable.all.map(\.environmentName))
        #expect(names.count == Self.keys.count)
        #expect(
            names.isSuperset(of: [
                "TRANSFERD_DATABASE", "TRANSFERD_SERVER_HEAD_BYTES", "TRANSFERD_TOKENS_JWKS_FILE",
                "TRANSFERD_TOKENS_HS256_SECRET_FILE", "TRANSFERD_POLICY_TIME_ZONE",
            ]))
    }

    @Test("Every limit of the HTTP server is a setting")
    func limits() throws {
        for limit in Mirror(reflecting: HTTPLimits()).children {
            let name = try #require(limit.label)
            #expect(SettingsTable.setting("server." + name) != nil, "server.\(name)")
        }
    }

    @Test("What nothing is said about has its default")
    func defaults() throws {
        let configuration = try load(minimalFile)
        let said = ["database.path", "tokens.issuer", "tokens.audience", "tokens.jwksFile"]
        for setting in SettingsTable.all where !said.contains(setting.key) {
            #expect(setting.read(configuration) == setting.defaultValue, "\(setting.key)")
        }
        #expect(configuration.server.api.port == 8080)
        #expect(configuration.policy.schemeMaximum.values.first == 99_999_999_999)
    }

    @Test("--database overrides the file and the environment")
    func database() throws {
        let environment = ["TRANSFERD_DATABASE": "environment.db"]
        #expect(try load(minimalFile, environment).database.path == "environment.db")
        #expect(try load(minimalFile, environment, database: "flag.db").database.path == "flag.db")
    }

    @Test(
        "Unknown names are refused with the nearest known one",
        arguments: [
            ("{sever: {port: 1}}", [:], "server"),
            ("{server: {prot: 1}}", [:], "server.port"),
            ("{policy: {timezone: \"UTC\"}}", [:], "policy.timeZone"),
            (minimalFile, ["TRANSFERD_SERVER_PROT": "1"], "TRANSFERD_SERVER_PORT"),
            (minimalFile, ["TRANSFERD_DATABASE_FILE": "x"], "TRANSFERD_DATABASE"),
            (minimalFile, ["TRANSFERD_PORT": "9000"], "TRANSFERD_SERVER_PORT"),
        ])
    func unknown(file: String, environment: [String: String], nearest: String) {
        #expect(refusal(file, environment).contains("Did you mean \(nearest)?"))
    }

    @Test("What Kubernetes sets for a service called transferd is not ours")
    func kubernetes() throws {
        _ = try load(
            minimalFile,
            [
                "TRANSFERD_SERVICE_HOST": "10.0.0.1", "TRANSFERD_SERVICE_PORT_API": "80",
                "TRANSFERD_PORT": "tcp://10.0.0.1:80", "TRANSFERD_PORT_80_TCP_ADDR": "10.0.0.1",
                "PATH": "/bin",
            ])
    }

    @Test(
        "Settings that contradict each other are refused with what to do",
        arguments: [
            ("TRANSFERD_OPERATIONS_PORT", "8080", "another port"),
            ("TRANSFERD_TOKENS_JWKS_FILE", "", "JWK set"),
            ("TRANSFERD_TOKENS_ISSUER", "", "TRANSFERD_TOKENS_ISSUER"),
            ("TRANSFERD_TOKENS_AUDIENCE", "", "TRANSFERD_TOKENS_AUDIENCE"),
            ("TRANSFERD_DATABASE", "", "TRANSFERD_DATABASE"),
            ("TRANSFERD_TOKENS_ALGORITHMS", "RS256,HS256", "TRANSFERD_TOKENS_HS256_SECRET"),
            ("TRANSFERD_TOKENS_HS256_SECRET", "a secret", "tokens.algorithms"),
            ("TRANSFERD_TOKENS_HS256_SECRET_FILE", "file", "tokens.algorithms"),
            ("TRANSFERD_TOKENS_ALGORITHMS", "none", "RS256"),
            ("TRANSFERD_TOKENS_ALGORITHMS", "RS256,RS256", "twice"),
            ("TRANSFERD_POLICY_SCHEME_MAXIMUM", "EUR=1.001", "EUR"),
            ("TRANSFERD_POLICY_SCHEME_MAXIMUM", "EUR", "EUR=1000.00"),
            ("TRANSFERD_POLICY_SCHEME_MAXIMUM", "XXX=1", "currency"),
            ("TRANSFERD_SERVER_ADDRESS", "localhost", "numeric"),
            ("TRANSFERD_POLICY_TIME_ZONE", "Mars/Olympus", "Europe/Berlin"),
        ])
    func contradictions(name: String, value: String, advice: String) {
        #expect(refusal(minimalFile, [name: value]).contains(advice))
    }

    @Test("A secret in the file is refused with where it belongs")
    func inlineSecret() {
        let message = refusal("{tokens: {hs256Secret: \"super secret\"}}")
        #expect(message.contains("tokens.hs256SecretFile"))
        #expect(!message.contains("super secret"))
    }

    @Test("HS256 alone needs no key set")
    func sharedSecretAlone() throws {
        let configuration = try load(
            "{database: {path: \"b\"}, tokens: {issuer: \"i\", audience: \"a\", "
                + "algorithms: [\"HS256\"]}}",
            ["TRANSFERD_TOKENS_HS256_SECRET": "0123456789abcdef0123456789abcdef"])
        #expect(configuration.tokens.algorithms == [.hs256])
    }

    @Test(
        "The files of the repository explain every setting as the table does",
        arguments: ["development", "production"])
    func files(name: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appending(path: "config/\(name).json5"), encoding: .utf8)
        let configuration = try load(text)
        let heading = text.prefix { $0 != "{" }.split(separator: "\n")
            .map { $0.dropFirst(3) }.joined(separator: " ")
        let expected = AnnotatedSettings.file(heading: heading) { $0.read(configuration).json5 }
        #expect(text == expected)
    }

    @Test("What `help settings` prints is a configuration that lacks only what has no default")
    func helpSettings() {
        #expect(refusal(AnnotatedSettings.defaults).hasPrefix("database.path is required"))
    }
}
