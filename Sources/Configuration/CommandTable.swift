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
        case .damage: "a check failed: damage, no answer, or no such account"
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

/// Every command there is.
package enum CommandTable {
    package static let all: [CommandDescription] = [
        serve, demo, migrate, token, accountList, accountShow, accountFreeze, accountUnfreeze,
        verify, healthcheck, help,
    ]

    /// The command of that name, of one or two words; nil for an unknown one.
    package static func command(_ name: String) -> CommandDescription? {
        all.first { $0.name == name }
    }

    private typealias Flag = CommandDescription.Flag
    private static let json = Flag.toggle("json", "Print JSON for programs instead of text.")
    private static let file = Flag.required("database", "FILE", "The SQLite database.")
    private static let iban = Flag.optional(
        "iban", "IBAN", "The account's IBAN; instead of ACCOUNTID.")
    private static let databaseCodes: [ExitCode] = [
        .unusableData, .noInput, .unavailable, .mediumFailed,
    ]

    static let serve = CommandDescription(
        name: "serve", summary: "Run the server.",
        flags: [
            .required(
                "config", "FILE", "The configuration: JSON with comments. `transferd help settings`"
            ),
            .optional(
                "database", "FILE", "The SQLite database; overrides database.path and its variable."
            ),
        ], argument: nil,
        text: """
            Runs the server until SIGTERM or SIGINT, then finishes what was accepted and ends with
            0. A second signal ends it at once. The log is JSON lines on standard error.

            Every setting can be overridden by an environment variable: server.headBytes by
            TRANSFERD_SERVER_HEAD_BYTES, and so on. `transferd help settings` lists all settings.
            """,
        example: "transferd serve --config config/production.json5 --database /var/lib/bank.db",
        exitCodes: databaseCodes + [.configuration])

    static let demo = CommandDescription(
        name: "demo", summary: "Run a bank to try things on, with customers, money and tokens.",
        flags: [
            .optional("port", "N", "The port on 127.0.0.1; 0 takes any free one. Default 8080."),
            .optional(
                "operations-port", "N",
                "The port of /healthz, /readyz and /metrics. Default 0, any free one."),
            .optional(
                "database", "FILE",
                "Where the bank is kept; made if it is missing. Default transferd-demo.db."),
            .toggle(
                "json",
                "Print one line of JSON when ready, with URLs, tokens and accounts, and no text."),
        ], argument: nil,
        text: """
            Runs a whole bank without any configuration: alice with an account in EUR and one in
            JPY, bob in EUR, carol in KWD. It prints curl lines that are ready to paste. The same
            file started again is the same bank. It ends on Ctrl-C or SIGTERM.
            """,
        example: "transferd demo --port 0 --database /tmp/bank.db --json",
        exitCodes: databaseCodes)

    static let migrate = CommandDescription(
        name: "migrate", summary: "Bring a database up to date, or make a new one.",
        flags: [file], argument: nil,
        text: """
            Applies the migrations that the database does not have yet, all or none. Made anew if
            the file is missing. Run again it changes nothing. Not while a server runs on an old
            one.
            """,
        example: "transferd migrate --database /var/lib/bank.db", exitCodes: databaseCodes)

    static let token = CommandDescription(
        name: "token", summary: "Print an access token for a customer of the demo bank.",
        flags: [
            file,
            .required("customer", "ID", "The customer: the token's claim sub."),
            .optional(
                "scope", "SCOPES",
                "Space-separated: transfers:read transfers:write accounts:read. Default all."),
            .optional(
                "expires-in", "SECONDS",
                "How long it is valid, -86400 to 31536000; below zero it has expired. Default 86400."
            ),
        ], argument: nil,
        text: """
            Prints one JWT and nothing else. Only a database that `transferd demo` has made holds a
            secret to sign with; everywhere else tokens come from your own identity provider.
            """,
        example:
            "transferd token --database transferd-demo.db --customer alice --scope accounts:read",
        exitCodes: databaseCodes)

    static let accountList = CommandDescription(
        name: "account list", summary: "List accounts.",
        flags: [
            file,
            .optional("customer", "ID", "Only this customer's."),
            json,
        ], argument: nil,
        text: "Lists the accounts in the order of opening. Works while a server runs.",
        example: "transferd account list --database transferd-demo.db",
        exitCodes: databaseCodes)

    static let accountShow = account(
        "show", "Show one account.", "Shows one account. Works while a server runs.")
    static let accountFreeze = account(
        "freeze", "Freeze an account: it neither pays nor is paid.",
        """
        From the next attempt on the account's transfers are refused with 402 account_frozen, also
        by a server that is running. Attempts whose outcome is stored get that outcome.
        """)
    static let accountUnfreeze = account(
        "unfreeze", "Let a frozen account pay again.",
        """
        From the next attempt on the account pays and is paid again, also at a server that is
        running. Attempts that were refused meanwhile stay refused.
        """)

    private static func account(
        _ verb: String, _ summary: String, _ text: String
    ) -> CommandDescription {
        CommandDescription(
            name: "account " + verb, summary: summary, flags: [file, iban, json],
            argument: "ACCOUNTID", text: text,
            example: "transferd account \(verb) --database transferd-demo.db "
                + "--iban DE89370400440532013000",
            exitCodes: [.damage] + databaseCodes)
    }

    static let verify = CommandDescription(
        name: "verify", summary: "Prove from the rows that the books are right.",
        flags: [
            file, json,
            .toggle(
                "structure",
                "Also check the file's pages, in one transaction as long as reading the file."),
        ], argument: nil,
        text: """
            Checks that postings sum to zero, that balances and counters equal their postings, that
            every outcome has its transfer and the reverse, and more. Prints each check with the
            number of rows it looked at. Works while a server runs.
            """,
        example: "transferd verify --database /var/lib/bank.db",
        exitCodes: [.damage] + databaseCodes)

    static let healthcheck = CommandDescription(
        name: "healthcheck", summary: "Ask a server whether it is alive; for containers.",
        flags: [
            .optional("url", "URL", "The operations listener, such as http://127.0.0.1:8081."),
            .optional(
                "config", "FILE",
                "Instead of --url: the server's configuration, which says where that is."),
        ], argument: nil,
        text: """
            Asks GET /healthz, or the path that the URL has, and ends with 0 if the answer is 200
            within 3 seconds, else with 1.
            """,
        example: "transferd healthcheck --url http://127.0.0.1:8081",
        exitCodes: [.damage, .configuration])

    static let help = CommandDescription(
        name: "help", summary: "Explain a command, or all settings of `serve`.",
        flags: [], argument: "COMMAND",
        text: """
            `transferd help COMMAND` explains a command. `transferd help settings` prints a
            configuration file with every setting, its meaning and its default.
            """,
        example: "transferd help settings > my.json5", exitCodes: [])
}
