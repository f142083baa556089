/// Where a setting's value comes from.
package enum SettingSource: Hashable, Sendable {
    case defaultValue
    /// The file and the line: "my.json5 line 12".
    case file(String)
    /// The variable's name.
    case environment(String)
    case commandLine
}

/// A configuration with where each of its values comes from.
package struct LoadedConfiguration: Sendable {
    package internal(set) var configuration = ServeConfiguration()
    /// Of the settings that something was said about, by key.
    var sources: [String: SettingSource] = [:]
    /// Why `serve` would not start with it; nil where it would.
    package internal(set) var refusal: ConfigurationError?

    /// Where the value of `setting` comes from.
    package func source(of setting: Setting) -> SettingSource {
        sources[setting.key] ?? .defaultValue
    }
}
