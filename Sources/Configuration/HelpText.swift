/// The help pages, made from the tables that the parser uses.
package enum HelpText {
    /// What `transferd help` prints.
    package static var overview: String {
        """
        transferd - executes each bank transfer at most once, however often it is asked to

        Usage: transferd COMMAND [FLAGS]

        \(list(CommandTable.all))

        `transferd help COMMAND` or `transferd COMMAND --help` explains a command,
        `transferd help settings` all settings of `serve`. `transferd --version` tells the version.

        Exit codes:
        \(codes(ExitCode.allCases))

        To begin: transferd demo

        """
    }

    /// What `transferd help account` prints.
    static func group(_ name: String) -> String {
        let commands = CommandTable.all.filter { $0.name.hasPrefix(name + " ") }
        return """
            Usage: transferd \(name) COMMAND [FLAGS]

            \(list(commands))

            `transferd help \(name) COMMAND` explains a command.

            """
    }

    /// What `transferd help COMMAND` prints.
    package static func page(_ command: CommandDescription) -> String {
        let flags = command.flags + [.toggle("help", "Print this page.")]
        return """
            \(command.summary)

            \(usage(command))

            \(command.text)

            Flags:
            \(table(flags.map { ("--" + $0.name + ($0.value.map { " " + $0 } ?? ""), $0.doc) }))

            Exit codes:
            \(codes([.success, .usage] + command.exitCodes))

            Example: \(command.example)

            """
    }

    private static func usage(_ command: CommandDescription) -> String {
        var parts = command.flags.map { flag in
            let text = "--" + flag.name + (flag.value.map { " " + $0 } ?? "")
            return flag.isRequired ? text : "[" + text + "]"
        }
        if let argument = command.argument { parts.append("[\(argument)]") }
        var lines: [String] = []
        var line = "Usage: transferd \(command.name)"
        for part in parts {
            if line.count + 1 + part.count > 80 {
                lines.append(line)
                line = "       "
            }
            line += " " + part
        }
        return (lines + [line]).joined(separator: "\n")
    }

    private static func list(_ commands: [CommandDescription]) -> String {
        "Commands:\n" + table(commands.map { ($0.name, $0.summary) })
    }

    private static func codes(_ codes: [ExitCode]) -> String {
        table(codes.sorted { $0.rawValue < $1.rawValue }.map { (String($0.rawValue), $0.meaning) })
    }

    /// Two columns, the right one broken between words so that lines fit 80 characters.
    private static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        var lines: [String] = []
        for (left, right) in rows {
            var line = "  " + left + String(repeating: " ", count: width - left.count + 1)
            for word in right.split(separator: " ") {
                if line.count + 1 + word.count > 80, line.count > width + 4 {
                    lines.append(line)
                    line = String(repeating: " ", count: width + 3)
                }
                line += " " + word
            }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }
}
