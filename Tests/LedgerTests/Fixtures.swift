import Ledger
import Platform

/// The members of a valid intent, to be changed one at a time.
struct Sample {
    var debtor = "DE89370400440532013000"
    var amount = "50.00"
    var currency = "EUR"
    var creditor = "FR1420041010050500013M02606"
    var name = "Marie Curie"
    var remittance: String? = "Invoice 42"
    var endToEnd: String? = "INV-42"
    var confirmedAt: Instant?

    struct NotACurrency: Error {}

    func intent() throws -> SubmittedIntent {
        guard let code = CurrencyCode(currency) else { throw NotACurrency() }
        return SubmittedIntent(
            debtorIBAN: try IBAN(debtor), amount: try DecimalAmount(amount), currency: code,
            creditorIBAN: try IBAN(creditor), creditorName: name,
            remittanceInformation: remittance, endToEndIdentification: endToEnd,
            confirmedAt: confirmedAt)
    }

    static func with(_ change: (inout Sample) -> Void) throws -> SubmittedIntent {
        var sample = Sample()
        change(&sample)
        return try sample.intent()
    }
}

/// Choices that a seed repeats.
struct Choices {
    private let random: SeededRandomBytes

    init(seed: UInt64) { random = SeededRandomBytes(seed: seed) }

    func word() -> UInt64 { random.word() }

    func below(_ bound: Int) -> Int { Int(random.word() % UInt64(bound)) }

    func element<T>(of array: [T]) -> T { array[below(array.count)] }

    func text(_ alphabet: String, count: Int) -> String {
        let characters = Array(alphabet)
        return String((0..<count).map { _ in element(of: characters) })
    }
}

/// Computes check digits the schoolbook way: the whole number in decimal digits, divided by hand.
enum NaiveIBAN {
    static func remainder(_ text: String) -> Int {
        let decimal = (text.dropFirst(4) + text.prefix(4))
            .map { $0.isLetter ? String(Int($0.asciiValue ?? 0) - 55) : String($0) }.joined()
        return decimal.reduce(0) { ($0 * 10 + ($1.wholeNumberValue ?? 0)) % 97 }
    }

    static func make(country: String, bban: String) -> String {
        let check = 98 - remainder("\(country)00\(bban)")
        return "\(country)\(check < 10 ? "0" : "")\(check)\(bban)"
    }
}
