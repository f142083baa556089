/// Every command there is.
package enum CommandTable {
    package static let all: [CommandDescription] = [
        serve, demo, config, migrate, backup, restore, verify, token, accountOpen, accountList,
        accountShow, accountFreeze, accountUnfreeze, accountLimits, accountClose, customerList,
        customerRestrict, customerRevoke, customerRelease, revocationAdd, revocationRemove,
        revocationList, healthcheck, help,
    ]

    /// The command of that name, of one or two words; nil for an unknown one.
    package static func command(_ name: String) -> CommandDescription? {
        all.first { $0.name == name }
    }

    static let json = CommandDescription.Flag.toggle(
        "json", "Print JSON for programs instead of text.")
    static let file = CommandDescription.Flag.required(
        "database", "FILE", "The SQLite database, or the URL of a PostgreSQL one.")
    static let databaseCodes: [ExitCode] = [
        .unusableData, .noInput, .unavailable, .mediumFailed,
    ]

    static let serve = CommandDescription(
        name: "serve", summary: "Run the server.",
        flags: [
            .required(
                "config", "FILE", "The configuration: JSON with comments. `transferd help settings`"
            ),
            .optional(
                "database", "FILE",
                "The SQLite database, or the URL of a PostgreSQL one; overrides database.path and "
                    + "its variable."
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
                "Where the bank is kept; made if it is missing. Default transferd-demo.db. The URL of "
                    + "an empty PostgreSQL database does too."),
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

    static let config = CommandDescription(
        name: "config", summary: "Show which settings are in force, and where each comes from.",
        flags: [
            .optional("config", "FILE", "The configuration, as `serve` takes it."), json,
        ], argument: nil,
        text: """
            Prints every setting of `serve` with its value and its source: the file and line, the
            environment variable, or the default. Without --config only the environment and the
            defaults count. Secrets are masked. It ends with 78, and says why, if `serve` would
            refuse these settings or the files of keys that they name. The database and the ports
            are not tried.
            """,
        example: "transferd config --config config/production.json5",
        exitCodes: [.noInput, .configuration])

    static let token = CommandDescription(
        name: "token", summary: "Print an access token for a customer, to try things with.",
        flags: [
            .optional(
                "database", "FILE",
                "A database that `transferd demo` made: the SQLite file, or the URL of a PostgreSQL "
                    + "one."),
            .optional(
                "config", "FILE",
                "Instead of --database: a configuration of `serve` that accepts HS256."),
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
            Prints one JWT and nothing else. A database that `transferd demo` has made holds a secret
            to sign with, and a configuration names one where tokens.algorithms has HS256; then
            issuer and audience are the configuration's, and no database is needed. Everywhere else
            tokens come from your own identity provider.
            """,
        example:
            "transferd token --database transferd-demo.db --customer alice --scope accounts:read",
        exitCodes: databaseCodes + [.configuration])

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
