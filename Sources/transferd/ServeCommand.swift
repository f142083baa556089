import Bank
import Configuration
import Crypto
import Foundation
import Glibc
import HTTPServer
import Identity
import Platform
import PostgresStore
import Store

/// `transferd serve`
enum ServeCommand {
    static func run(_ invocation: Invocation) throws {
        ServerProcess.prepare()
        let configuration = try load(invocation["config"] ?? "", invocation["database"])
        let room = ServerProcess.raiseDescriptorLimit()
        try ServerProcess.checkConnectionLimit(
            configuration.server.api.limits.connections, room: room)

        let log = Log(level: configuration.logLevel)
        let clock = SystemWallClock()
        var parts = Bank.Parts(
            policy: configuration.transferPolicy, verifier: try verifier(configuration.tokens),
            calendar: try ZonedCalendar(zone: configuration.policy.timeZone), log: log,
            metrics: MetricsRegistry(),
            onMediumFailure: { ServerProcess.endAfterMediumFailure(log) })
        parts.settings = configuration.services
        parts.commitLimits = configuration.commit
        parts.readerThreads = configuration.readThreads
        parts.commitConnections = configuration.commitConnections
        parts.keepsStatements = configuration.database.keepsStatements
        parts.writeRate = configuration.writeRate
        parts.readRate = configuration.readRate
        parts.lookUpRate = configuration.lookUpRate
        if configuration.tokens.algorithms != [.hs256] {
            parts.keyFile = configuration.tokens.jwksFile
        }
        parts.clock = clock

        let database: Database
        do throws(PostgresAddress.Malformed) {
            database = try Database(configuration.database.path)
        } catch {
            throw ConfigurationError("database.path is no address that libpq can read: \(error)")
        }
        let lock = try ServerProcess.openDatabase(
            database, role: "transferd serve", migrate: configuration.database.migrate, clock: clock
        )
        parts.cursorSecret = try ServerProcess.cursorSecret(database, parts.random)
        let server = try ServerProcess.listen(
            Bank(database, parts: parts), configuration.server
        ) { listener in
            switch listener {
            case .api: "server.port or TRANSFERD_SERVER_PORT"
            case .operations: "operations.port or TRANSFERD_OPERATIONS_PORT"
            }
        }
        server.start()
        log.notice(
            "server.ready",
            [
                "version": LogValue.text(version), "process": Int(getpid()),
                "address": LogValue.text(configuration.server.api.address),
                "port": Int(server.port),
                "operationsAddress": LogValue.text(configuration.server.operations.address),
                "operationsPort": Int(server.operationsPort),
                "database": LogValue.text(database.description),
            ])
        ServerProcess.run(server, log: log, database: database, lock: lock)
    }

    /// The configuration of a file, the environment and --database.
    static func load(_ path: String, _ database: String?) throws -> ServeConfiguration {
        let file: [UInt8]
        do throws(SystemError) { file = try readFile(path) } catch {
            throw CommandError.unreadable("the configuration", path, error)
        }
        return try ConfigurationLoader.load(
            file: file, name: path, environment: ProcessInfo.processInfo.environment,
            database: database)
    }

    private static func verifier(_ tokens: ServeConfiguration.Tokens) throws -> JWTVerifier {
        let secret = try secret(tokens)
        let keys = try keys(tokens)
        do throws(JWTVerifier.ConfigurationError) {
            return JWTVerifier(
                try JWTVerifier.Configuration(
                    issuer: tokens.issuer, audience: tokens.audience,
                    algorithms: Set(tokens.algorithms), secret: secret,
                    leewaySeconds: tokens.leewaySeconds), keys: keys)
        } catch .shortSecret {
            throw ConfigurationError(
                "The secret for HS256 is shorter than 32 bytes. Make another, for example with "
                    + "`openssl rand -hex 32`.")
        } catch {
            throw ConfigurationError("The settings of tokens do not fit together: \(error).")
        }
    }

    /// Nil where HS256 is not accepted; `ConfigurationLoader` has seen to it that there is one
    /// where it is.
    private static func secret(_ tokens: ServeConfiguration.Tokens) throws -> [UInt8]? {
        guard tokens.algorithms.contains(.hs256) else { return nil }
        if !tokens.hs256Secret.isEmpty { return Array(tokens.hs256Secret.utf8) }
        let path = tokens.hs256SecretFile
        do throws(SystemError) {
            var secret = try readFile(path)
            if secret.last == 0x0A { secret.removeLast() }
            return secret
        } catch {
            throw ConfigurationError(
                "tokens.hs256SecretFile cannot be read: \(error.description). Make one with "
                    + "`(umask 077; openssl rand -hex 32 > \(path))`.")
        }
    }

    private static func keys(_ tokens: ServeConfiguration.Tokens) throws -> JWKSet {
        guard tokens.algorithms != [.hs256] else { return .empty }
        let path = tokens.jwksFile
        let advice = "Save the issuer's JWK set there, which it publishes at its jwks_uri."
        let text: [UInt8]
        do throws(SystemError) { text = try readFile(path) } catch {
            throw ConfigurationError(
                "tokens.jwksFile cannot be read: \(error.description). \(advice)")
        }
        guard !text.isEmpty else {
            throw ConfigurationError("tokens.jwksFile, \(path), is empty. \(advice)")
        }
        do throws(JWKSetError) { return try JWKSet(parsing: text.span) } catch {
            throw ConfigurationError(
                "tokens.jwksFile, \(path), is refused: \(error.description). \(advice)")
        }
    }
}
