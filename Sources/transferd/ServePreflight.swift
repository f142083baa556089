import Bank
import Configuration
import Crypto
import HTTPServer
import Identity
import Platform
import PostgresStore
import Store

/// What `serve` makes of its settings before it touches a database or a port, and what `config`
/// tries, so that both refuse the same.
struct ServePreflight {
    let database: Database
    let verifier: JWTVerifier
    let calendar: ZonedCalendar

    /// Raises this process's limit of open files on the way.
    init(_ configuration: ServeConfiguration) throws {
        try ServerProcess.checkConnectionLimit(
            configuration.server.api.limits.connections,
            room: ServerProcess.raiseDescriptorLimit())
        verifier = try Self.verifier(configuration.tokens)
        calendar = try ZonedCalendar(zone: configuration.policy.timeZone)
        do throws(PostgresAddress.Malformed) {
            database = try Database(configuration.database.path)
        } catch {
            throw ConfigurationError("database.path is no address that libpq can read: \(error)")
        }
    }

    private static func verifier(_ tokens: ServeConfiguration.Tokens) throws -> JWTVerifier {
        let secret = tokens.algorithms.contains(.hs256) ? try secret(tokens) : nil
        let keys = try keys(tokens)
        do throws(JWTVerifier.ConfigurationError) {
            return JWTVerifier(
                try JWTVerifier.Configuration(
                    issuer: tokens.issuer, audience: tokens.audience,
                    algorithms: Set(tokens.algorithms), secret: secret,
                    leewaySeconds: tokens.leewaySeconds), keys: keys)
        } catch {
            throw ConfigurationError("The settings of tokens do not fit together: \(error).")
        }
    }

    /// The secret of HS256, of at least 32 bytes. Only where HS256 is accepted:
    /// `ConfigurationLoader` has seen to it that there is one then.
    static func secret(
        _ tokens: ServeConfiguration.Tokens
    ) throws(ConfigurationError) -> [UInt8] {
        let path = tokens.hs256SecretFile
        let isInFile = tokens.hs256Secret.isEmpty
        let recipe =
            isInFile
            ? "`(umask 077; openssl rand -hex 32 > \(shellQuoted(path)))`"
            : "`openssl rand -hex 32`"
        var secret = Array(tokens.hs256Secret.utf8)
        if isInFile {
            do throws(SystemError) { secret = try readFile(path) } catch {
                throw ConfigurationError(
                    "tokens.hs256SecretFile cannot be read: \(error.description). Make one with "
                        + "\(recipe).")
            }
            // What ends the line that `openssl` and `echo` write.
            if secret.last == 0x0A { secret.removeLast() }
        }
        guard secret.count >= 32 else {
            let place = isInFile ? "tokens.hs256SecretFile" : ConfigurationLoader.secretName
            let newline = isInFile ? ", a newline at its end not counted" : ""
            throw ConfigurationError(
                "The secret for HS256 in \(place) is shorter than 32 bytes\(newline). Make another "
                    + "with \(recipe).")
        }
        return secret
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
