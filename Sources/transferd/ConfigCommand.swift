import Configuration
import Foundation
import JSON
import Platform

/// `transferd config`
enum ConfigCommand {
    /// One line of the answer.
    private struct Row {
        let key: String
        let value: SettingValue
        let source: SettingSource
        let isSecret: Bool
    }

    private static let mask = "********"

    static func run(_ invocation: Invocation) throws {
        var file: [UInt8]?
        let path = invocation["config"]
        if let path {
            do throws(SystemError) { file = try readFile(path) } catch {
                throw CommandError.unreadable("the configuration", path, error)
            }
        }
        let loaded = try ConfigurationLoader.inspect(
            file: file, name: path ?? "", environment: ProcessInfo.processInfo.environment)
        let rows = rows(loaded)
        let refusal = try loaded.refusal ?? refusal(loaded.configuration)
        try Terminal.out(invocation.has("json") ? json(rows, refusal) : text(rows))
        if let refusal {
            throw ConfigurationError(
                "`transferd serve` would refuse these settings. \(refusal.description)")
        }
    }

    /// Why `serve` would refuse what fits together; nil where it would not.
    private static func refusal(_ configuration: ServeConfiguration) throws -> ConfigurationError? {
        do {
            _ = try ServePreflight(configuration)
            return nil
        } catch let refusal as ConfigurationError {
            return refusal
        }
    }

    private static func rows(_ loaded: LoadedConfiguration) -> [Row] {
        var rows: [Row] = []
        for setting in SettingsTable.all {
            rows.append(
                Row(
                    key: setting.key, value: setting.read(loaded.configuration),
                    source: loaded.source(of: setting), isSecret: false))
            // The secret has no setting, only a variable; it stands where its file does.
            if setting.key == "tokens.hs256SecretFile",
                !loaded.configuration.tokens.hs256Secret.isEmpty
            {
                rows.append(
                    Row(
                        key: "tokens.hs256Secret", value: .text(mask),
                        source: .environment(ConfigurationLoader.secretName), isSecret: true))
            }
        }
        return rows
    }

    private static func text(_ rows: [Row]) -> String {
        Terminal.table(
            [["setting", "value", "source"]]
                + rows.map { row in
                    let source =
                        switch row.source {
                        case .defaultValue: "default"
                        case .file(let place), .environment(let place): place
                        case .commandLine: "command line"
                        }
                    return [row.key, row.isSecret ? mask : row.value.json5, source]
                })
    }

    private static func json(_ rows: [Row], _ refusal: ConfigurationError?) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.beginArray("settings")
        for row in rows {
            json.beginObject()
            json.member("key", row.key)
            json.name("value")
            write(row.value, to: &json)
            switch row.source {
            case .defaultValue: json.member("source", "default")
            case .file(let place):
                json.member("source", "file")
                json.member("place", place)
            case .environment(let name):
                json.member("source", "environment")
                json.member("place", name)
            case .commandLine: json.member("source", "command line")
            }
            json.member("secret", row.isSecret)
            json.endObject()
        }
        json.endArray()
        if let refusal {
            json.member("refusal", refusal.description)
        } else {
            json.nullMember("refusal")
        }
        json.endObject()
        return String(decoding: json.finish(), as: UTF8.self) + "\n"
    }

    private static func write(_ value: SettingValue, to json: inout JSONWriter) {
        switch value {
        case .integer(let number): json.integer(number)
        case .boolean(let flag): json.bool(flag)
        case .text(let text): json.string(text)
        case .list(let texts):
            json.beginArray()
            for text in texts { json.string(text) }
            json.endArray()
        case .map(let texts):
            json.beginObject()
            for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
                json.name(dynamic: name)
                json.string(text)
            }
            json.endObject()
        }
    }
}
