import Bank
import Configuration
import JSON
import Ledger
import Store

/// `transferd account list|show`, and what the other verbs share
enum AccountCommand {
    static func list(_ invocation: Invocation) throws {
        let database = try invocation.database()
        let customer = try invocation.customer()
        try DatabaseFile.require(database)
        let accounts = try database.backOffice.accounts(of: customer)
        if invocation.has("json") {
            var json = JSONWriter()
            json.beginObject()
            json.beginArray("accounts")
            for account in accounts { write(account, to: &json) }
            json.endArray()
            json.endObject()
            return try Terminal.out(json: json.finish())
        }
        let rows = accounts.map {
            [
                $0.customer.text, $0.id.description, $0.iban.text, $0.status.name, $0.money.decimal,
                $0.currency.description,
            ]
        }
        try Terminal.out(
            Terminal.table(
                [["customer", "account", "IBAN", "status", "balance", ""]] + rows, right: [4]))
    }

    static func show(_ invocation: Invocation) throws {
        try print(try find(invocation), invocation)
    }

    /// The account that the command line names.
    static func find(_ invocation: Invocation) throws -> AccountRow {
        let database = try invocation.database()
        let selector: AccountSelector
        switch (invocation["iban"], invocation.argument) {
        case (let text?, nil):
            selector = .iban(try iban(text, invocation))
        case (nil, let text?):
            guard let id = AccountID(text) else {
                throw UsageError(
                    "\(text) is no account id, which is a UUID; an IBAN goes after --iban.",
                    invocation.command)
            }
            selector = .id(id)
        case (nil, nil), (_?, _?):
            throw UsageError(
                "Name one account: --iban IBAN, or its id without a flag.", invocation.command)
        }
        try DatabaseFile.require(database)
        guard let account = try database.backOffice.account(selector) else {
            throw try missing(invocation)
        }
        return account
    }

    static func iban(_ text: String, _ invocation: Invocation) throws(UsageError) -> IBAN {
        do throws(IBANRefusal) { return try IBAN(text) } catch {
            throw UsageError("--iban \(text) is no IBAN. \(error.detail)", invocation.command)
        }
    }

    static func missing(_ invocation: Invocation) throws(UsageError) -> CommandError {
        let database = try invocation.database()
        return CommandError(
            .damage,
            "There is no such account in \(database). `transferd account list --database "
                + "\(database)` lists those there are.")
    }

    /// Prints the account as it is now.
    static func print(_ account: AccountRow, _ invocation: Invocation) throws {
        if invocation.has("json") {
            var json = JSONWriter()
            write(account, to: &json)
            return try Terminal.out(json: json.finish())
        }
        let money = { (units: Int64?) in
            units.map { Money(minorUnits: $0, currency: account.currency).description } ?? "none"
        }
        try Terminal.out(
            Terminal.table([
                ["account", account.id.description],
                ["customer", account.customer.text],
                ["IBAN", account.iban.text],
                ["status", account.status.name],
                ["balance", account.money.description],
                ["limit per transfer", money(account.perTransferLimit)],
                ["daily limit", money(account.dailyLimit)],
            ]))
    }

    private static func write(_ account: AccountRow, to json: inout JSONWriter) {
        json.beginObject()
        json.member("accountId", account.id.description)
        json.member("customer", account.customer.text)
        json.member("iban", account.iban.text)
        json.member("currency", account.currency.description)
        json.member("status", account.status.name)
        json.member("balance", account.money.decimal)
        json.beginObject("limits")
        limit("perTransfer", account.perTransferLimit, account.currency, &json)
        limit("daily", account.dailyLimit, account.currency, &json)
        json.endObject()
        json.endObject()
    }

    private static func limit(
        _ name: StaticString, _ units: Int64?, _ currency: Currency, _ json: inout JSONWriter
    ) {
        guard let units else { return json.nullMember(name) }
        json.member(name, Money(minorUnits: units, currency: currency).decimal)
    }
}
