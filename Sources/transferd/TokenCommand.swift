import Bank
import Configuration
import Identity
import Ledger
import Platform
import Store

/// `transferd token`
enum TokenCommand {
    static func run(_ invocation: Invocation) throws {
        let lifetime =
            try invocation.integer("expires-in", in: -86400...31_536_000)
            ?? DemoBank.tokenLifetimeSeconds
        let scopes = try scopes(invocation)
        let customer = try invocation.requiredCustomer()
        var issuer: DemoTokenIssuer
        switch (invocation["database"], invocation["config"]) {
        case (_?, nil): issuer = try demoIssuer(try invocation.database(), for: customer)
        case (nil, let path?): issuer = try configuredIssuer(path)
        case (nil, nil), (_?, _?):
            throw UsageError("Give either --database or --config.", invocation.command)
        }
        let token = issuer.token(
            subject: customer.text, scopes: scopes, at: SystemWallClock().now(),
            lifetimeSeconds: lifetime)
        try Terminal.out(token + "\n")
    }

    /// Signs with the secret that a demo's database holds.
    private static func demoIssuer(
        _ database: Database, for customer: CustomerID
    ) throws -> DemoTokenIssuer {
        try DatabaseFile.require(database)
        guard try DemoBank.hasIssuer(database.backOffice) else {
            throw CommandError(
                .unusableData,
                "The database \(database) has no token issuer: only one that `transferd demo` made "
                    + "has. Get tokens from your identity provider, name a demo's file, or name a "
                    + "configuration that accepts HS256 with --config.")
        }
        try warn(of: customer, unknownIn: database)
        let random = SystemRandomBytes()
        return DemoBank.tokenIssuer(
            secret: try DemoBank.secret(database.backOffice, random: random), random: random)
    }

    /// Signs with the secret that `serve` checks with.
    private static func configuredIssuer(_ path: String) throws -> DemoTokenIssuer {
        let tokens = try ServeCommand.load(path, nil).tokens
        guard tokens.algorithms.contains(.hs256) else {
            throw ConfigurationError(
                "tokens.algorithms in \(path) does not name HS256, so that only your identity "
                    + "provider can sign tokens. Get one there.")
        }
        return DemoTokenIssuer(
            issuer: tokens.issuer, audience: tokens.audience,
            secret: try ServePreflight.secret(tokens), random: SystemRandomBytes())
    }

    /// A slip in a name makes a good token of nobody, which is seen late.
    private static func warn(of customer: CustomerID, unknownIn database: Database) throws {
        guard try database.backOffice.customers(only: customer).isEmpty else { return }
        let known = try database.backOffice.customers(only: nil)
        let names = known.prefix(5).map(\.id.text).joined(separator: ", ")
        let more = known.count > 5 ? " and \(known.count - 5) more" : ""
        Terminal.complain("no customer \(customer.text) here; there are \(names)\(more).")
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
