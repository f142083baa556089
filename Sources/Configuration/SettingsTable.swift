import API
import Bank
import HTTPServer
import Identity
import Ledger
import Platform
import Store

/// Every setting of `serve`, once: what is parsed, what the environment may override, what `help`
/// tells and what the configuration files explain all come from here.
package enum SettingsTable {
    /// In the order of the configuration files.
    package static let all: [Setting] =
        server + httpLimits + operations + drain + database + tokens + limits + work + policy

    /// The setting of a key; nil for an unknown one.
    package static func setting(_ key: String) -> Setting? { all.first { $0.key == key } }

    private static let second: Int64 = 1000
    private static let hour: Int64 = 3_600_000
    private static let megabyte: Int64 = 1 << 20

    private static let server: [Setting] = [
        .text(
            "server.address", \.server.api.address, form: addressForm,
            "The address that customers' requests come in on: 0.0.0.0 for all of IPv4, :: for all.",
            isValid: isNumericAddress),
        .integer(
            "server.port", \.server.api.port, 0...65535,
            "The port that customers' requests come in on. 0 takes any free one; the log says which."
        ),
        .integer(
            "server.loops", \.server.api.loops, 1...64, unit: "threads",
            "Event loops, which read requests and write answers. One serves two cores well."),
        .integer(
            "server.backlog", \.server.api.backlog, 1...65535, unit: "connections",
            "Connections that the kernel completes and holds until they are accepted."),
    ]

    private static let operations: [Setting] = [
        .text(
            "operations.address", \.server.operations.address, form: addressForm,
            "Where /healthz, /readyz and /metrics are. Not for customers.",
            isValid: isNumericAddress),
        .integer(
            "operations.port", \.server.operations.port, 0...65535,
            "The port of /healthz, /readyz and /metrics. 0 takes any free one; the log says which."),
    ]

    private static let drain: [Setting] = [
        .integer(
            "drain.readinessDelayMilliseconds", \.server.readinessDelayMilliseconds, 0...hour,
            unit: "milliseconds",
            "After SIGTERM: how long /readyz says no while requests are still taken, so that load "
                + "balancers turn away first."),
        .integer(
            "drain.gracePeriodMilliseconds", \.server.gracePeriodMilliseconds, 0...hour,
            unit: "milliseconds",
            "How long requests may take to end after that. What is left then is cut off."),
    ]

    private static let database: [Setting] = [
        .text(
            "database.path", \.database.path, form: "the path of a file, or a URL",
            "The SQLite file, relative to the current folder, or postgresql://… with libpq's "
                + "parameters. Required; --database overrides it."),
        .boolean(
            "database.migrate", \.database.migrate,
            "Whether to bring the schema up to date at start. If not, an old one is refused and "
                + "`transferd migrate` is yours to run."),
        .boolean(
            "database.preparedStatements", \.database.keepsStatements,
            "On PostgreSQL: whether statements are prepared once for each connection. Not behind a "
                + "pooler that gives each transaction another session."),
    ]

    private static let tokens: [Setting] = [
        .text(
            "tokens.issuer", \.tokens.issuer, form: "a text",
            "What the claim iss of every token must be, byte by byte. Required."),
        .text(
            "tokens.audience", \.tokens.audience, form: "a text",
            "What the claim aud of every token must be or hold. Required."),
        .choices(
            "tokens.algorithms", \.tokens.algorithms, TokenAlgorithm.allCases, name: \.rawValue,
            "The signatures that are accepted. HS256 is for development: whoever can check such "
                + "a token can also make one."),
        .text(
            "tokens.jwksFile", \.tokens.jwksFile, form: pathForm,
            "The issuer's public keys as a JWK set. Required unless HS256 is the only algorithm. "
                + "Read again when the file changes, so that keys can be rotated."),
        .text(
            "tokens.hs256SecretFile", \.tokens.hs256SecretFile, form: pathForm,
            "The file whose bytes are the secret of HS256, at least 32. One newline at its end is "
                + "not part of the secret. TRANSFERD_TOKENS_HS256_SECRET may hold the secret "
                + "instead."),
        .integer(
            "tokens.leewaySeconds", \.tokens.leewaySeconds, 0...300, unit: "seconds",
            "How far the issuer's clock and ours may differ."),
        .integer(
            "tokens.verificationsPerTurn", \.services.verificationsPerTurn, 1...1000,
            unit: "tokens",
            "Unknown tokens that an event loop verifies before it looks at its other connections "
                + "again, so that a flood of them stalls nobody. A signature costs up to 0.1 ms."),
    ]

    private static let limits: [Setting] = [
        .integer(
            "limits.writesPerSecond", \.writeRate.perSecond, 0...1_000_000, unit: "requests",
            "How many POST and DELETE requests each customer may send a second in the long run; "
                + "beyond it 429. 0 for no limit."),
        .integer(
            "limits.writesBurst", \.writeRate.burst, 1...1_000_000, unit: "requests",
            "How many of them at once after a pause."),
        .integer(
            "limits.readsPerSecond", \.readRate.perSecond, 0...1_000_000, unit: "requests",
            "The same for lists, accounts and look-ups by id. 0 for no limit."),
        .integer(
            "limits.readsBurst", \.readRate.burst, 1...1_000_000, unit: "requests",
            "How many of them at once after a pause."),
        .integer(
            "limits.lookUpsPerSecond", \.lookUpRate.perSecond, 0...1_000_000, unit: "requests",
            "The same for look-ups by key. 0 for no limit."),
        .integer(
            "limits.lookUpsBurst", \.lookUpRate.burst, 1...1_000_000, unit: "requests",
            "How many of them at once after a pause."),
    ]

    private static let work: [Setting] = [
        .integer(
            "commit.batchCommands", \.commit.batchCommands, 1...10_000, unit: "commands",
            "Commands in one transaction, at most."),
        .integer(
            "commit.waitingCommands", \.commit.waitingCommands, 1...1_000_000, unit: "commands",
            "Commands that may wait for a commit; more are answered 503 overloaded."),
        .integer(
            "commit.waitMilliseconds", \.services.commandWaitMilliseconds, 1...10 * 60 * second,
            unit: "milliseconds",
            "A command that has waited longer is not started and answered 503 overloaded."),
        .integer(
            "commit.connections", \.commitConnections, 1...64, unit: "connections",
            "Connections that commit on PostgreSQL, with a thread each. SQLite has one."),
        .integer(
            "cache.outcomeBytes", \.services.outcomeCacheBytes, megabyte...megabyte << 14,
            unit: "bytes",
            "Memory on each event loop for outcomes that are replayed without the database."),
        .integer(
            "reads.threads", \.readThreads, 1...64, unit: "threads",
            "Threads that read for look-ups and accounts, with a connection each."),
    ]

    private static let policy: [Setting] = [
        .choice(
            "policy.characterSet", \.policy.characterSet, CharacterSetPolicy.allCases,
            name: \.rawValue,
            "Which characters names and texts may have: SEPA's basic Latin set, or all that can be "
                + "seen. Retries of what was executed are not affected."),
        .text(
            "policy.timeZone", \.policy.timeZone, form: "a name such as Europe/Berlin",
            "Where the bank's day, which daily limits count, begins and ends.",
            isValid: { (try? ZonedCalendar(zone: $0)) != nil }),
        .amounts(
            "policy.schemeMaximum", \.policy.schemeMaximum,
            "The largest single transfer of each currency; none where a currency is not named."),
        .integer(
            "retention.days", \.services.retentionDays, 1...36500, unit: "days",
            "For how long a stored answer is promised to be repeatable."),
        .choice(
            "log.level", \.logLevel, LogLevel.allCases, name: \.name,
            "The least important lines of the log, which is JSON on standard error."),
    ]

    private static let addressForm = "a numeric IPv4 or IPv6 address"
    private static let pathForm = "the path of a file, relative to the current folder, or \"\""
}
