import Bank
import HTTPServer
import Identity

/// Why a configuration is refused: one or two sentences that say what to do.
package struct ConfigurationError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Makes a configuration of a file, the environment and the command line; later ones win.
package enum ConfigurationLoader {
    /// The variable that may hold the HS256 secret, which no file of settings may.
    package static let secretName = "TRANSFERD_TOKENS_HS256_SECRET"

    /// `file` is JSON5 in UTF-8 and `name` what to call it in messages. Variables of `environment`
    /// that do not begin with `TRANSFERD_` are not ours. `database`, if given, is what --database
    /// says.
    package static func load(
        file: [UInt8], name: String, environment: [String: String], database: String?
    ) throws(ConfigurationError) -> ServeConfiguration {
        let loaded = try inspect(
            file: file, name: name, environment: environment, database: database)
        if let refusal = loaded.refusal { throw refusal }
        return loaded.configuration
    }

    /// The same for looking at: without a file too, with where each value comes from, and with
    /// settings that do not fit together told instead of thrown.
    package static func inspect(
        file: [UInt8]?, name: String, environment: [String: String], database: String? = nil
    ) throws(ConfigurationError) -> LoadedConfiguration {
        var loaded = LoadedConfiguration()
        if let file { try apply(file, name, to: &loaded) }
        try apply(environment, to: &loaded)
        if let database {
            loaded.configuration.database.path = database
            loaded.sources["database.path"] = .commandLine
        }
        do throws(ConfigurationError) { try check(loaded.configuration) } catch {
            loaded.refusal = error
        }
        return loaded
    }

    // MARK: The file

    private static func apply(
        _ file: [UInt8], _ name: String, to loaded: inout LoadedConfiguration
    ) throws(ConfigurationError) {
        let root: ConfigurationNode
        do throws(JSON5Reader.Fault) { root = try JSON5Reader.read(file) } catch {
            throw ConfigurationError("\(name) line \(error.line): \(error.message).")
        }
        guard case .object(let sections) = root.value else {
            throw ConfigurationError("\(name) must be one object of sections: { server: { … } }.")
        }
        for section in sections {
            let place = "\(name) line \(section.line)"
            guard SettingsTable.all.contains(where: { $0.key.hasPrefix(section.name + ".") }) else {
                let known = SettingsTable.all.compactMap {
                    $0.key.split(separator: ".").first.map(String.init)
                }
                throw unknown(section.name, "section", place, among: known)
            }
            guard case .object(let members) = section.node.value else {
                throw ConfigurationError(
                    "\(section.name) (\(place)) must be an object of settings.")
            }
            for member in members {
                let key = section.name + "." + member.name
                let place = "\(name) line \(member.line)"
                guard let setting = SettingsTable.setting(key) else {
                    guard key != "tokens.hs256Secret" else { throw inlineSecret(place) }
                    throw unknown(key, "setting", place, among: SettingsTable.all.map(\.key))
                }
                let value = try value(member.node, setting, place)
                try write(value, setting, place, .file(place), &loaded)
            }
        }
    }

    private static func value(
        _ node: ConfigurationNode, _ setting: Setting, _ place: String
    ) throws(ConfigurationError) -> SettingValue {
        switch node.value {
        case .boolean(let flag): return .boolean(flag)
        case .text(let text): return .text(text)
        case .number(let text):
            guard let number = Int64(text) else {
                throw refusal(setting, place, "is no whole number")
            }
            return .integer(number)
        case .array(let elements):
            var texts: [String] = []
            for element in elements {
                guard case .text(let text) = element.value else {
                    throw refusal(setting, place, "has an element that is no text")
                }
                texts.append(text)
            }
            return .list(texts)
        case .object(let members):
            var texts: [String: String] = [:]
            for member in members {
                guard case .text(let text) = member.node.value else {
                    throw refusal(setting, place, "has a member that is no text")
                }
                texts[member.name] = text
            }
            return .map(texts)
        case .null: throw refusal(setting, place, "is null")
        }
    }

    // MARK: The environment

    private static func apply(
        _ environment: [String: String], to loaded: inout LoadedConfiguration
    ) throws(ConfigurationError) {
        let ours = environment.filter { $0.key.hasPrefix("TRANSFERD_") }
        for (name, text) in ours.sorted(by: { $0.key < $1.key }) {
            let place = "environment variable \(name)"
            if name == secretName {
                loaded.configuration.tokens.hs256Secret = text
            } else if let setting = SettingsTable.all.first(where: { $0.environmentName == name }) {
                let value = try value(text, setting, place)
                try write(value, setting, place, .environment(name), &loaded)
            } else if !isForeign(name, text) {
                let known = SettingsTable.all.map(\.environmentName) + [secretName]
                let nearest = nearestName(to: name, among: known) ?? secretName
                throw ConfigurationError(
                    "The environment variable \(name) is no setting. Did you mean \(nearest)? "
                        + "`transferd help settings` lists all.")
            }
        }
    }

    private static func value(
        _ text: String, _ setting: Setting, _ place: String
    ) throws(ConfigurationError) -> SettingValue {
        switch setting.kind {
        case .integer:
            guard let number = Int64(text) else {
                throw refusal(setting, place, "is no whole number")
            }
            return .integer(number)
        case .boolean:
            guard let flag = Bool(text) else { throw refusal(setting, place, "is no boolean") }
            return .boolean(flag)
        case .text, .choice: return .text(text)
        case .choices: return .list(text.split(separator: ",").map(String.init))
        case .amounts:
            var texts: [String: String] = [:]
            for entry in text.split(separator: ",") {
                let sides = entry.split(separator: "=", omittingEmptySubsequences: false)
                guard sides.count == 2, texts[String(sides[0])] == nil else {
                    throw refusal(setting, place, "is not written like EUR=1000.00,USD=500.00")
                }
                texts[String(sides[0])] = String(sides[1])
            }
            return .map(texts)
        }
    }

    /// Variables that begin like ours and are not: what Kubernetes sets for a service that is
    /// called transferd, and the failpoints of a test build.
    private static func isForeign(_ name: String, _ text: String) -> Bool {
        #if FAILPOINTS
            if name == "TRANSFERD_FAILPOINTS" { return true }
        #endif
        if name == "TRANSFERD_SERVICE_HOST" || name.hasPrefix("TRANSFERD_SERVICE_PORT") {
            return true
        }
        if name == "TRANSFERD_PORT" { return text.hasPrefix("tcp://") || text.hasPrefix("udp://") }
        guard name.hasPrefix("TRANSFERD_PORT_") else { return false }
        return name.dropFirst("TRANSFERD_PORT_".count).first.map(\.isNumber) ?? false
    }

    // MARK: Both

    private static func write(
        _ value: SettingValue, _ setting: Setting, _ place: String, _ source: SettingSource,
        _ loaded: inout LoadedConfiguration
    ) throws(ConfigurationError) {
        do throws(SettingRefusal) { try setting.write(&loaded.configuration, value) } catch {
            throw refusal(setting, place, error.what)
        }
        loaded.sources[setting.key] = source
    }

    private static func refusal(
        _ setting: Setting, _ place: String, _ what: String
    ) -> ConfigurationError {
        let unit = setting.unit.map { " (\($0))" } ?? ""
        return ConfigurationError(
            "\(setting.key) (\(place)) \(what); it must be \(setting.demand)\(unit).")
    }

    private static func unknown(
        _ name: String, _ what: String, _ place: String, among known: [String]
    ) -> ConfigurationError {
        let nearest = nearestName(to: name, among: known) ?? ""
        return ConfigurationError(
            "\(name) (\(place)) is no \(what). Did you mean \(nearest)? "
                + "`transferd help settings` lists all.")
    }

    private static func inlineSecret(_ place: String) -> ConfigurationError {
        ConfigurationError(
            "A secret does not belong into a file of settings (\(place)). Put it into a file of its "
                + "own, name that as tokens.hs256SecretFile, or set \(secretName).")
    }

    // MARK: Settings together

    private static func check(_ configuration: ServeConfiguration) throws(ConfigurationError) {
        let tokens = configuration.tokens
        for (key, value) in [
            ("database.path", configuration.database.path), ("tokens.issuer", tokens.issuer),
            ("tokens.audience", tokens.audience),
        ] where value.isEmpty {
            let name = SettingsTable.setting(key)?.environmentName ?? ""
            throw ConfigurationError(
                "\(key) is required. Set it in the configuration file or as \(name).")
        }
        let (api, operations) = (
            configuration.server.api.port, configuration.server.operations.port
        )
        guard api != operations || api == 0 else {
            throw ConfigurationError(
                "server.port and operations.port are both \(api). Give one of them another port.")
        }
        let hasSecret = !tokens.hs256SecretFile.isEmpty || !tokens.hs256Secret.isEmpty
        guard tokens.hs256SecretFile.isEmpty || tokens.hs256Secret.isEmpty else {
            throw ConfigurationError(
                "tokens.hs256SecretFile and \(secretName) are both set. Leave one of them.")
        }
        switch (tokens.algorithms.contains(.hs256), hasSecret) {
        case (false, true):
            throw ConfigurationError(
                "There is a secret for HS256, but tokens.algorithms does not name HS256. Name it "
                    + "there if tokens signed with a shared secret shall be accepted, or take the "
                    + "secret away.")
        case (true, false):
            throw ConfigurationError(
                "tokens.algorithms names HS256, but there is no secret. Set "
                    + "tokens.hs256SecretFile or \(secretName), or take HS256 from the list.")
        default: break
        }
        guard tokens.algorithms == [.hs256] || !tokens.jwksFile.isEmpty else {
            throw ConfigurationError(
                "tokens.jwksFile is required to check the signatures of tokens. Name a file with "
                    + "the issuer's JWK set, or make HS256 the only one of tokens.algorithms.")
        }
    }
}
