import Bank
import Configuration
import Identity
import Ledger
import Platform

/// `transferd token`
enum TokenCommand {
    static func run(_ invocation: Invocation) throws {
        let database = try invocation.database()
        let lifetime =
            try invocation.integer("expires-in", in: -86400...31_536_000)
            ?? DemoBank.tokenLifetimeSeconds
        let scopes = try scopes(invocation)
        let customer = try invocation.requiredCustomer()
        try DatabaseFile.require(database)
        guard try DemoBank.hasIssuer(database.backOffice) else {
            throw CommandError(
                .unusableData,
                "The database \(database) has no token issuer: only one that `transferd demo` made "
                    + "has. Get tokens from your identity provider, or name a demo's file.")
        }
        let random = SystemRandomBytes()
        var issuer = DemoBank.tokenIssuer(
            secret: try DemoBank.secret(database.backOffice, random: random), random: random)
        let token = issuer.token(
            subject: customer.text, scopes: scopes, at: SystemWallClock().now(),
            lifetimeSeconds: lifetime)
        try Terminal.out(token + "\n")
    }

    private static func scopes(_ invocation: Invocation) throws(UsageError) -> Scopes {
        guard let text = invocation["scope"] else { return DemoBank.allScopes }
        var scopes: Scopes = []
        for name in text.split(separator: " ") {
            guard let known = Scopes.names.first(where: { $0.1 == name }) else {
                let nearest = nearestName(to: String(name), among: Scopes.names.map(\.1)) ?? ""
                throw UsageError(
                    "There is no scope \(name). Did you mean \(nearest)?", invocation.command)
            }
            scopes.insert(known.0)
        }
        return scopes
    }
}
