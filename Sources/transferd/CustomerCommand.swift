import Bank
import Configuration
import Identity
import JSON
import Ledger
import Platform
import Store

extension Invocation {
    /// The customer that --customer names; nil where it was not given.
    func customer() throws(UsageError) -> CustomerID? {
        guard let text = self["customer"] else { return nil }
        guard let customer = CustomerID(text) else {
            throw UsageError("--customer takes 1 to 64 printable ASCII characters.", command)
        }
        return customer
    }

    /// The same for a command that needs one.
    func requiredCustomer() throws(UsageError) -> CustomerID {
        guard let customer = try customer() else {
            throw UsageError("Name a customer: --customer ID.", command)
        }
        return customer
    }
}

/// `transferd customer list|restrict|revoke|release`
enum CustomerCommand {
    static func list(_ invocation: Invocation) throws {
        let database = try invocation.database()
        try DatabaseFile.require(database)
        let customers = try database.backOffice.customers(only: nil)
        if invocation.has("json") {
            var json = JSONWriter()
            json.beginObject()
            json.beginArray("customers")
            for customer in customers { write(customer, to: &json) }
            json.endArray()
            json.endObject()
            return try Terminal.out(json: json.finish())
        }
        let rows = customers.map {
            [
                $0.id.text, String($0.accounts), $0.restricted ? "yes" : "no",
                $0.revokedAt.map { "since " + $0.rfc3339 } ?? "no",
            ]
        }
        try Terminal.out(
            Terminal.table(
                [["customer", "accounts", "restricted", "revoked"]] + rows, right: [1]))
    }

    static func restrict(_ invocation: Invocation) throws {
        let database = try invocation.database()
        let customer = try invocation.requiredCustomer()
        try DatabaseFile.require(database)
        try set(restricted: true, customer, database)
        try print(customer, invocation)
    }

    /// A customer who is not known here yet may be revoked: the token need not have been seen.
    static func revoke(_ invocation: Invocation) throws {
        let database = try invocation.database()
        let customer = try invocation.requiredCustomer()
        try DatabaseFile.require(database)
        _ = try database.backOffice.revoke(
            kind: RevocationList.Kind.customer.rawValue, customer.text,
            at: SystemWallClock().now())
        if try database.backOffice.customers(only: customer).isEmpty {
            Terminal.complain(
                "No customer \(customer) is known in \(database) yet; the revocation is in force "
                    + "all the same. If it was a slip: `transferd customer release`.")
        }
        try print(customer, invocation)
    }

    static func release(_ invocation: Invocation) throws {
        let database = try invocation.database()
        let customer = try invocation.requiredCustomer()
        try DatabaseFile.require(database)
        let lifted = try database.backOffice.liftRevocation(
            kind: RevocationList.Kind.customer.rawValue, customer.text)
        // Who was only ever revoked need not be known.
        if try !lifted || !database.backOffice.customers(only: customer).isEmpty {
            try set(restricted: false, customer, database)
        }
        try print(customer, invocation)
    }

    private static func set(restricted: Bool, _ customer: CustomerID, _ database: Database) throws {
        let command = RestrictCustomerCommand(customer: customer, restricted: restricted)
        let decision = try DatabaseFile.store(database).decide(.restrictCustomer(command))
        guard case .customerRestricted = decision else {
            throw CommandError(
                .damage,
                "There is no customer \(customer) in \(database). `transferd customer list "
                    + "--database \(database.argument)` lists those there are.")
        }
    }

    private static func print(_ id: CustomerID, _ invocation: Invocation) throws {
        let database = try invocation.database()
        let known = try database.backOffice.customers(only: id).first
        let revokedAt = try database.backOffice.revocations().first {
            $0.kind == RevocationList.Kind.customer.rawValue && $0.value == id.text
        }?.revokedAt
        let customer =
            known
            ?? CustomerRecord(
                id: id, restricted: false, revokedAt: revokedAt, accounts: 0, createdAt: nil)
        if invocation.has("json") {
            var json = JSONWriter()
            write(customer, to: &json)
            return try Terminal.out(json: json.finish())
        }
        try Terminal.out(
            Terminal.table([
                ["customer", customer.id.text],
                ["accounts", String(customer.accounts)],
                ["restricted", customer.restricted ? "yes" : "no"],
                ["revoked", customer.revokedAt.map { "since " + $0.rfc3339 } ?? "no"],
            ]))
    }

    private static func write(_ customer: CustomerRecord, to json: inout JSONWriter) {
        json.beginObject()
        json.member("customer", customer.id.text)
        json.member("accounts", Int64(customer.accounts))
        json.member("restricted", customer.restricted)
        if let time = customer.revokedAt {
            json.member("revokedAt", time.rfc3339)
        } else {
            json.nullMember("revokedAt")
        }
        json.endObject()
    }
}
