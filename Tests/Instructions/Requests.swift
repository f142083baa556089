import Bank
import Crypto
import Identity
import Ledger
import Platform

/// Requests that follow from a number, the same in every run.
struct Requests {
    let customers: Int
    let debtors: [IBAN]
    private let names: [CustomerID]
    private let tokens: [String]
    private let creditor: IBAN

    /// The API's cheapest answer that has a body.
    static let unknownPath = Array("GET /nothing HTTP/1.1\r\nHost: bank\r\n\r\n".utf8)

    init(customers: Int, secret: [UInt8], random: any RandomBytes, now: Instant) throws {
        self.customers = customers
        names = try (0..<customers).map { number in
            guard let name = CustomerID("customer-\(number)") else { throw Invalid() }
            return name
        }
        var issuer = DemoBank.tokenIssuer(secret: secret, random: random)
        tokens = names.map {
            issuer.token(
                subject: $0.text, scopes: DemoBank.allScopes, at: now,
                lifetimeSeconds: DemoBank.tokenLifetimeSeconds)
        }
        debtors = try (0..<customers).map { try Self.iban($0) }
        creditor = try IBAN("NL91ABNA0417164300")
    }

    private struct Invalid: Error {}

    func customer(_ number: Int) -> CustomerID { names[number % customers] }

    /// A transfer of a few euros to an account elsewhere.
    func post(_ number: Int) -> [UInt8] {
        let body = """
            {"debtorAccount":{"iban":"\(debtors[number % customers].text)"},\
            "instructedAmount":{"currency":"EUR","amount":"\(Self.amount(number))"},\
            "creditorAccount":{"iban":"\(creditor.text)"},"creditorName":"Jansen Bouw BV",\
            "remittanceInformationUnstructured":"invoice \(number)"}
            """
        return Array(
            """
            POST /api/transfers HTTP/1.1\r
            Host: bank\r
            Authorization: Bearer \(tokens[number % customers])\r
            Content-Type: application/json\r
            Idempotency-Key: \(Self.key(number).uuid)\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """.utf8)
    }

    func lookUp(_ number: Int) -> [UInt8] {
        Array(
            """
            GET /api/transfers/by-key/\(Self.key(number).uuid) HTTP/1.1\r
            Host: bank\r
            Authorization: Bearer \(tokens[number % customers])\r
            \r

            """.utf8)
    }

    /// What `post` asks for, as the ledger gets it.
    func command(_ number: Int) throws -> Command {
        guard let euro = CurrencyCode("EUR") else { throw Invalid() }
        let intent = SubmittedIntent(
            debtorIBAN: debtors[number % customers], amount: try DecimalAmount(Self.amount(number)),
            currency: euro, creditorIBAN: creditor, creditorName: "Jansen Bouw BV",
            remittanceInformation: "invoice \(number)")
        return .transfer(
            TransferCommand(
                id: IntentID(customer: customer(number), key: Self.key(number)), intent: intent,
                requestID: "request-\(number)", receivedAt: BankOfInstructions.noon))
    }

    private static func amount(_ number: Int) -> String { "\(1 + number % 9).\(10 + number % 89)" }

    /// Spread over all keys, as clients' keys are.
    private static func key(_ number: Int) -> IdempotencyKey {
        let random = SeededRandomBytes(seed: UInt64(number) << 20)
        let (high, low) = (random.word(), random.word())
        return IdempotencyKey(
            UUID128(high: high & ~0xF000 | 0x4000, low: low & (.max >> 2) | 0x8000 << 48))
    }

    /// A German IBAN.
    private static func iban(_ number: Int) throws -> IBAN {
        let account = "37040044" + String(1_000_000_000 + number)
        var remainder = 0
        for digit in (account + "131400").utf8 {
            remainder = (remainder * 10 + Int(digit - 0x30)) % 97
        }
        let check = 98 - remainder
        return try IBAN("DE" + (check < 10 ? "0" : "") + "\(check)" + account)
    }
}
