/// A command line that has been understood.
package struct Invocation: Sendable {
    /// A command of `CommandTable`.
    package let command: CommandDescription
    /// By name of the flag; "" for a switch.
    private let flags: [String: String]
    /// What stood without a flag.
    package let argument: String?

    init(command: CommandDescription, flags: [String: String], argument: String?) {
        self.command = command
        self.flags = flags
        self.argument = argument
    }

    /// The value of a flag; nil where it was not given.
    package subscript(flag: String) -> String? { flags[flag] }

    /// Whether the flag was given, with a value or as a switch.
    package func has(_ flag: String) -> Bool { flags[flag] != nil }

    /// The whole number of a flag; nil where it was not given.
    package func integer(
        _ flag: String, in range: ClosedRange<Int64>
    ) throws(UsageError) -> Int64? {
        guard let text = flags[flag] else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            throw UsageError(
                "--\(flag) takes a whole number from \(range.lowerBound) to \(range.upperBound).",
                command)
        }
        return number
    }
}

/// A command line that is not understood. The message says what to type.
package struct UsageError: Error, CustomStringConvertible {
    package let description: String

    package init(_ message: String, _ command: CommandDescription? = nil) {
        let topic = command.map { " " + $0.name } ?? ""
        description = "\(message) Type `transferd help\(topic)`."
    }
}

/// What a command line asks for.
package enum Request: Sendable {
    case run(Invocation)
    /// The text of a help page, for standard output.
    case help(String)
    case version
}

/// Makes an invocation of the program's arguments, by the table of commands.
package enum ArgumentParser {
    /// Understands `arguments`, which begin after the program's name.
    package static func parse(_ arguments: [String]) throws(UsageError) -> Request {
        guard let first = arguments.first else {
            throw UsageError("Name a command, such as `transferd demo`.")
        }
        if first == "--version" { return .version }
        if first == "--help" || first == "-h" { return .help(HelpText.overview) }
        guard !["-v", "-V", "--Version", "version"].contains(first) else {
            throw UsageError("The version is told by `transferd --version`.")
        }
        guard !first.hasPrefix("-") else {
            throw UsageError("Name a command before \(first), such as `transferd demo`.")
        }
        if first == "help" { return try help(Array(arguments.dropFirst())) }

        var rest = arguments.dropFirst()
        var name = first
        if isGroup(name) {
            guard let second = rest.first, !second.hasPrefix("-") else {
                if isHelp(rest.first) { return .help(HelpText.group(name)) }
                let verbs = subcommands(of: name).joined(separator: ", ")
                throw UsageError("`transferd \(name)` needs one of \(verbs).")
            }
            name += " " + second
            rest = rest.dropFirst()
        }
        guard let command = CommandTable.command(name) else { throw unknown(name) }
        if rest.contains(where: { isHelp($0) }) { return .help(HelpText.page(command)) }
        return .run(try flags(Array(rest), of: command))
    }

    private static func isHelp(_ argument: String?) -> Bool {
        argument == "--help" || argument == "-h"
    }

    private static func help(_ words: [String]) throws(UsageError) -> Request {
        let name = words.filter { !isHelp($0) }.joined(separator: " ")
        if name.isEmpty {
            return .help(words.isEmpty ? HelpText.overview : HelpText.page(CommandTable.help))
        }
        if name == "settings" { return .help(AnnotatedSettings.defaults) }
        if isGroup(name) { return .help(HelpText.group(name)) }
        guard let command = CommandTable.command(name) else { throw unknown(name) }
        return .help(HelpText.page(command))
    }

    private static func isGroup(_ name: String) -> Bool { !subcommands(of: name).isEmpty }

    private static func subcommands(of name: String) -> [String] {
        CommandTable.all.filter { $0.name.hasPrefix(name + " ") }
            .map { String($0.name.dropFirst(name.count + 1)) }
    }

    private static func unknown(_ name: String) -> UsageError {
        let nearest = nearestName(to: name, among: CommandTable.all.map(\.name)) ?? ""
        return UsageError("There is no command `\(name)`. Did you mean `transferd \(nearest)`?")
    }

    private static func flags(
        _ arguments: [String], of command: CommandDescription
    ) throws(UsageError) -> Invocation {
        var found: [String: String] = [:]
        var argument: String?
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                guard command.argument != nil, argument == nil else {
                    throw UsageError(
                        "`transferd \(command.name)` does not take \"\(word)\" there.", command)
                }
                argument = word
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let flag = command.flags.first(where: { "--" + $0.name == parts[0] }) else {
                throw unknown(String(parts[0]), of: command)
            }
            guard found[flag.name] == nil else {
                throw UsageError("--\(flag.name) stands twice; give it once.", command)
            }
            if let form = flag.value {
                let value = parts.count == 2 ? String(parts[1]) : rest.popFirst()
                guard let value, !value.isEmpty, parts.count == 2 || !value.hasPrefix("--") else {
                    throw UsageError("--\(flag.name) needs \(form) after it.", command)
                }
                found[flag.name] = value
            } else {
                guard parts.count == 1 else {
                    throw UsageError("--\(flag.name) takes no value.", command)
                }
                found[flag.name] = ""
            }
        }
        for flag in command.flags where flag.isRequired && found[flag.name] == nil {
            throw UsageError(
                "`transferd \(command.name)` needs --\(flag.name) \(flag.value ?? "").", command)
        }
        return Invocation(command: command, flags: found, argument: argument)
    }

    private static func unknown(
        _ flag: String, of command: CommandDescription
    ) -> UsageError {
        let known = command.flags.map { "--" + $0.name } + ["--help"]
        let nearest = nearestName(to: flag, among: known) ?? "--help"
        return UsageError(
            "`transferd \(command.name)` has no flag \(flag). Did you mean \(nearest)?", command)
    }
}
