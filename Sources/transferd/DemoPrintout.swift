import Bank
import JSON
import Ledger
import Platform
import PostgresStore
import Store

/// What `transferd demo` prints when it is ready.
struct DemoPrintout {
    struct Customer {
        let name: String
        let token: String
        let accounts: [AccountRow]
    }

    let port: UInt16
    let operationsPort: UInt16
    let database: Database
    let customers: [Customer]
    let now: Instant
    let random: any RandomBytes

    /// As it was called, so that what is printed can be pasted.
    private var program: String { shellQuoted(CommandLine.arguments.first ?? "transferd") }
    private var baseURL: String { "http://127.0.0.1:\(port)" }
    private var operationsURL: String { "http://127.0.0.1:\(operationsPort)" }

    /// One line for programs.
    var json: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("baseUrl", baseURL)
        json.member("operationsUrl", operationsURL)
        json.beginArray("customers")
        for customer in customers {
            json.beginObject()
            json.member("customer", customer.name)
            json.member("token", customer.token)
            json.beginArray("accounts")
            for account in customer.accounts {
                json.beginObject()
                json.member("accountId", account.id.description)
                json.member("iban", account.iban.text)
                json.member("currency", account.currency.description)
                json.member("balance", account.money.decimal)
                json.endObject()
            }
            json.endArray()
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.finish()
    }

    /// For people: where everything is, and curl lines to paste.
    var text: String {
        let rows = customers.flatMap { customer in
            customer.accounts.map {
                [customer.name, $0.iban.text, $0.money.decimal, $0.currency.description]
            }
        }
        return """
            A bank to try things on is ready. Ctrl-C ends it; its money and its answers stay in
            \(place), and the same \(kind) started again is the same bank.

            API         \(baseURL)
            operations  \(operationsURL)  (/healthz, /readyz, /metrics)

            \(Terminal.table([["customer", "IBAN", "balance", ""]] + rows, right: [2]))
            Paste these first: the customers' tokens, which are valid for a day. Another:
            \(program) token --database \(database.argument) --customer alice
            \(database.passwordAdvice.map { $0 + "\n" } ?? "")
            \(variables)
            Then these, in this order:

            \(examples)
            Also, while this runs, in another terminal:

            \(program) account freeze --database \(database.argument) --iban \(DemoBank.accounts[0].iban)
            \(program) account unfreeze --database \(database.argument) --iban \(DemoBank.accounts[0].iban)
            \(program) verify --database \(database.argument)

            The demo takes names in any script and has no rate limits. `serve` with
            config/production.json5 takes SEPA's characters only, and limits each customer's rate.

            """
    }

    private var place: String {
        switch database {
        case .sqlite(let path): path
        case .postgres(let address): address.withoutPassword
        }
    }

    private var kind: String {
        switch database {
        case .sqlite: "file"
        case .postgres: "database"
        }
    }

    /// ALICE='…token…', a line for each customer.
    private var variables: String {
        customers.map { "\($0.name.uppercased())='\($0.token)'\n" }.joined()
    }

    private var examples: String {
        var ids = UUIDv7Generator(random: random)
        let key = ids.next(at: now)
        let first = transfer(key: key, amount: "50.00")
        let lines = [
            ("A first transfer, alice pays bob: 201", first),
            ("The same again, as after a lost answer: the same 201, and no money moves", first),
            (
                "The same key for another amount: 422 idempotency_key_reused",
                transfer(key: key, amount: "60.00")
            ),
            (
                "More than there is: 402 insufficient_funds",
                transfer(key: ids.next(at: now), amount: "900000000.00")
            ),
            (
                "To a payee that is blocked: 402 beneficiary_blocked",
                transfer(
                    key: ids.next(at: now), amount: "50.00", to: DemoBank.blockedIBAN.text)
            ),
            (
                "Where the first transfer stands now",
                get("ALICE", "/api/transfers/by-key/\(key)")
            ),
            ("What alice has left", get("ALICE", "/api/accounts")),
            ("What bob has got", get("BOB", "/api/accounts")),
        ]
        return lines.enumerated().map { "# \($0.offset + 1). \($0.element.0)\n\($0.element.1)\n" }
            .joined(separator: "\n")
    }

    private func transfer(
        key: UUID128, amount: String, to iban: String? = nil
    ) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.beginObject("debtorAccount")
        json.member("iban", DemoBank.accounts[0].iban)
        json.endObject()
        json.beginObject("instructedAmount")
        json.member("currency", "EUR")
        json.member("amount", amount)
        json.endObject()
        json.beginObject("creditorAccount")
        json.member("iban", iban ?? DemoBank.payeeIBAN)
        json.endObject()
        json.member("creditorName", "Bob Example")
        json.member("remittanceInformationUnstructured", "Invoice 42")
        json.endObject()
        let body = String(decoding: json.finish(), as: UTF8.self)
        return "curl -i \(baseURL)/api/transfers -H \"Authorization: Bearer $ALICE\" "
            + "-H 'Idempotency-Key: \(key)' -H 'Content-Type: application/json' -d '\(body)'"
    }

    /// `variable` holds the token.
    private func get(_ variable: String, _ path: String) -> String {
        "curl -i \(baseURL)\(path) -H \"Authorization: Bearer $\(variable)\""
    }
}
