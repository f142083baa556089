package import Identity
package import Ledger
package import Platform
package import Store

/// A bank to try things on: three customers with money, and a token issuer of its own whose secret
/// lives in the database file, so that a restart is the same bank.
package enum DemoBank {
    package static let issuer = "transferd-demo"
    package static let audience = "transferd"
    private static let secretName = "demo.token_secret"

    /// An account that the demo opens, and what is in it then.
    package struct OpenedAccount: Sendable {
        package let customer: String
        package let iban: String
        package let currency: String
        package let minorUnits: Int64
    }

    /// alice pays in euros and yen, bob in euros, carol in Kuwaiti dinars.
    package static let accounts = [
        OpenedAccount(
            customer: "alice", iban: "DE89370400440532013000", currency: "EUR",
            minorUnits: 1_000_000
        ),
        OpenedAccount(
            customer: "alice", iban: "GB29NWBK60161331926819", currency: "JPY", minorUnits: 500_000),
        OpenedAccount(
            customer: "bob", iban: "FR1420041010050500013M02606", currency: "EUR",
            minorUnits: 250_000),
        OpenedAccount(
            customer: "carol", iban: "KW81CBKU0000000000001234560101", currency: "KWD",
            minorUnits: 1_000_000),
    ]

    /// Everybody that has an account, in the order of `accounts`.
    package static let customers = ["alice", "bob", "carol"]
    /// Whom alice pays in the examples: bob.
    package static var payeeIBAN: String { accounts[2].iban }
    /// A payee that nobody may pay.
    package static let blockedIBAN: IBAN = {
        guard let iban = try? IBAN("NL91ABNA0417164300") else {
            preconditionFailure("the demo's blocked payee is valid")
        }
        return iban
    }()

    package static let allScopes: Scopes = [.transfersRead, .transfersWrite, .accountsRead]
    package static let tokenLifetimeSeconds: Int64 = 86400

    /// All characters that can be seen, and the scheme's maximum in euros.
    package static var policy: TransferPolicy {
        var maximum: [Currency: Int64] = [:]
        if let euro = Currency("EUR") { maximum[euro] = 99_999_999_999 }
        return TransferPolicy(fieldRules: FieldRules(characters: .unicode), schemeMaximum: maximum)
    }

    /// Whether the database, which must be migrated, is one of `demo`.
    package static func hasIssuer(_ backOffice: any BackOffice) throws -> Bool {
        try backOffice.setting(secretName) != nil
    }

    /// Opens the accounts that are not there yet.
    package static func openAccounts(
        _ store: any TransferStore, clock: any WallClock, random: any RandomBytes
    ) throws {
        var ids = UUIDv7Generator(random: random)
        let writer = try store.makeWriter()
        let commands = try accounts.map { account in
            guard let customer = CustomerID(account.customer),
                let currency = Currency(account.currency)
            else { preconditionFailure("the demo's accounts are valid") }
            return Command.openAccount(
                OpenAccountCommand(
                    customer: customer, account: AccountID(ids.next(at: clock.now())),
                    iban: try IBAN(account.iban),
                    opening: Money(minorUnits: account.minorUnits, currency: currency),
                    perTransferLimit: nil, dailyLimit: nil))
        }
        _ = try writer.commit(commands)
    }

    /// The issuer's secret, made at the first call.
    package static func secret(
        _ backOffice: any BackOffice, random: any RandomBytes
    ) throws -> [UInt8] {
        if let secret = try backOffice.setting(secretName) { return secret }
        return try backOffice.establish(secretName, random.bytes(32))
    }

    /// Accepts the demo's own tokens and no others. `secret`: at least 32 bytes.
    package static func verifier(secret: [UInt8]) throws -> JWTVerifier {
        JWTVerifier(
            try JWTVerifier.Configuration(
                issuer: issuer, audience: audience, algorithms: [.hs256], secret: secret))
    }

    /// Makes the tokens that `verifier` accepts.
    package static func tokenIssuer(
        secret: [UInt8], random: any RandomBytes
    ) -> DemoTokenIssuer {
        DemoTokenIssuer(issuer: issuer, audience: audience, secret: secret, random: random)
    }
}
