/// Writes configuration files in which every setting stands with its meaning, unit and default.
package enum AnnotatedSettings {
    /// A file of the defaults.
    package static var defaults: String {
        file(heading: defaultsHeading) { $0.defaultValue.json5 }
    }

    /// A file with what `value` says of each setting, as JSON5. `heading` is made a comment.
    package static func file(heading: String, value: (Setting) -> String) -> String {
        var lines = comment(heading, indent: "") + ["{"]
        var section = ""
        for setting in SettingsTable.all {
            let parts = setting.key.split(separator: ".", maxSplits: 1).map(String.init)
            if parts[0] != section {
                if !section.isEmpty { lines += ["    },", ""] }
                section = parts[0]
                lines.append("    \(section): {")
            } else {
                lines.append("")
            }
            lines += comment(setting.doc, indent: "        ")
            lines += comment(facts(setting), indent: "        ")
            lines.append("        \(parts[1]): \(value(setting)),")
        }
        return (lines + ["    },", "}", ""]).joined(separator: "\n")
    }

    /// Form, unit, default and variable of a setting.
    private static func facts(_ setting: Setting) -> String {
        let unit = setting.unit.map { " (\($0))" } ?? ""
        let form = setting.demand.prefix(1).uppercased() + setting.demand.dropFirst()
        let value = setting.defaultValue.json5
        return "\(form)\(unit). Default \(value). \(setting.environmentName)"
    }

    private static let defaultsHeading = """
        All settings of `transferd serve` with their defaults. database.path, tokens.issuer, \
        tokens.audience and mostly tokens.jwksFile have none and are required. The name at the end \
        of each comment is the environment variable that overrides the setting.
        """

    /// Lines of at most 100 characters, broken between words.
    private static func comment(_ text: String, indent: String) -> [String] {
        var lines: [String] = []
        var line = indent + "//"
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            if line.count + 1 + word.count > 100 {
                lines.append(line)
                line = indent + "//"
            }
            line += " " + word
        }
        return lines + [line]
    }
}
