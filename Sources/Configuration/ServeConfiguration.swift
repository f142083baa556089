package import API
package import Bank
import HTTPServer
package import Identity
package import Ledger
package import Platform
package import Store

/// Everything that `serve` can be told. The defaults are those of the parts; `SettingsTable` names,
/// bounds and explains each.
package struct ServeConfiguration: Sendable {
    /// Which database, and who brings it up to date.
    package struct Database: Sendable {
        package var path = ""
        package var migrate = true
        package var keepsStatements = true
    }

    /// Whose tokens are accepted, and how they are checked.
    package struct Tokens: Sendable {
        package var issuer = ""
        package var audience = ""
        package var algorithms: [TokenAlgorithm] = [.rs256, .ps256, .es256, .edDSA]
        package var jwksFile = ""
        package var hs256SecretFile = ""
        /// From the environment only; not a setting of the file.
        package var hs256Secret = ""
        package var leewaySeconds: Int64 = 30
    }

    /// What the bank allows.
    package struct Policy: Sendable {
        package var characterSet = CharacterSetPolicy.sepa
        package var timeZone = "Europe/Berlin"
        /// Minor units.
        package var schemeMaximum: [Currency: Int64] = [:]
    }

    package var server = BankServer.Configuration()
    package var database = Database()
    package var tokens = Tokens()
    package var commit = CommitQueue.Limits()
    package var services = APIServices.Settings()
    package var writeRate = RateLimiter.Policy(perSecond: 50, burst: 200)
    package var readRate = RateLimiter.Policy(perSecond: 100, burst: 400)
    package var lookUpRate = RateLimiter.Policy(perSecond: 100, burst: 400)
    package var readThreads = 2
    package var commitConnections = 4
    package var policy = Policy()
    package var logLevel = LogLevel.info

    package init() {
        server.api.port = 8080
        server.operations.port = 8081
        if let euro = Currency("EUR") { policy.schemeMaximum[euro] = 99_999_999_999 }
    }

    /// What the ledger's policy is made of.
    package var transferPolicy: TransferPolicy {
        TransferPolicy(
            fieldRules: FieldRules(characters: policy.characterSet),
            schemeMaximum: policy.schemeMaximum)
    }
}
