/// What one command of the program accepts and does; parsing and help are made from it.
package struct CommandDescription: Sendable {
    /// One `--name`, with or without a value.
    package struct Flag: Sendable {
        /// Without the two dashes.
        package let name: String
        /// What stands after it, such as FILE; nil for a switch.
        package let value: String?
        package let isRequired: Bool
        package let doc: String

        static func required(_ name: String, _ value: String, _ doc: String) -> Flag {
            Flag(name: name, value: value, isRequired: true, doc: doc)
        }
        static func optional(_ name: String, _ value: String, _ doc: String) -> Flag {
            Flag(name: name, value: value, isRequired: false, doc: doc)
        }
        static func toggle(_ name: String, _ doc: String) -> Flag {
            Flag(name: name, value: nil, isRequired: false, doc: doc)
        }
    }

    /// One or two words.
    package let name: String
    /// One line for the list of commands.
    package let summary: String
    package let flags: [Flag]
    /// What may stand without a flag, such as ACCOUNTID; at most one, never required here.
    package let argument: String?
    /// What it does, in lines of at most 80 characters.
    package let text: String
    package let example: String
    /// Which exit codes it has beside 0 and 2.
    package let exitCodes: [ExitCode]
}

/// How the program ends; those from 64 on are sysexits.h's.
package enum ExitCode: Int32, Sendable, CaseIterable {
    case success = 0
    case damage = 1
    case usage = 2
    case unusableData = 65
    case noInput = 66
    case unavailable = 69
    case internalError = 70
    case mediumFailed = 74
    case configuration = 78

    package var meaning: String {
        switch self {
        case .success: "all is well"
        case .damage: "a check failed or a change was refused: damage, no answer, no such account"
        case .usage: "the command line is wrong"
        case .unusableData: "the database is none, is damaged, or is of another version"
        case .noInput: "a file is missing or may not be opened"
        case .unavailable: "not possible now: the database is locked, or the port is in use"
        case .internalError: "a defect of this program or of this machine"
        case .mediumFailed: "the storage medium failed; nothing was acknowledged that is not stored"
        case .configuration: "the configuration is refused"
        }
    }
}
