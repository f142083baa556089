import Ledger
import Platform
import Testing

@Suite("Field rules")
struct FieldRulesTests {
    let rules = FieldRules(characters: .sepa)

    func errors(_ intent: SubmittedIntent, _ rules: FieldRules) -> [FieldError] {
        switch rules.intent(from: intent) {
        case .success: []
        case .failure(let errors): errors.errors
        }
    }

    @Test("A valid intent keeps all its members and gets its money")
    func valid() throws {
        let submitted = try Sample.with { $0.confirmedAt = Instant(seconds: 5) }
        let intent = try rules.intent(from: submitted).get()
        #expect(intent.debtorIBAN == submitted.debtorIBAN)
        #expect(intent.creditorIBAN == submitted.creditorIBAN)
        #expect(intent.money == Money(minorUnits: 5000, currency: try #require(Currency("EUR"))))
        #expect(intent.creditorName == "Marie Curie")
        #expect(intent.remittanceInformation == "Invoice 42")
        #expect(intent.endToEndIdentification == "INV-42")
        #expect(intent.confirmedAt == Instant(seconds: 5))
        #expect("\(intent)" == "Intent DE89…3000 to FR14…2606")
    }

    @Test(
        "Scenario 22: amounts fit their currency or are refused at the amount",
        arguments: [
            ("1.234", "EUR", false), ("50.000", "EUR", false), ("1.5", "JPY", false),
            ("1.0", "JPY", false), ("1.2345", "KWD", false), ("1.234", "KWD", true),
            ("1.2345", "CLF", true), ("5", "JPY", true), ("50.00", "EUR", true),
            ("999999999999999999", "EUR", false), ("9007199254740993", "JPY", true),
        ])
    func scale(amount: String, currency: String, allowed: Bool) throws {
        let intent = try Sample.with { ($0.amount, $0.currency) = (amount, currency) }
        let found = errors(intent, rules)
        #expect(found.map(\.pointer) == (allowed ? [] : ["/instructedAmount/amount"]))
    }

    @Test(
        "Each rule is told at its member, with what to send",
        arguments: [
            (Sample(currency: "XXX"), "/instructedAmount/currency"),
            (Sample(debtor: NaiveIBAN.make(country: "US", bban: "1234")), "/debtorAccount/iban"),
            (Sample(creditor: NaiveIBAN.make(country: "DE", bban: "1")), "/creditorAccount/iban"),
            (Sample(name: ""), "/creditorName"), (Sample(name: "Zoë"), "/creditorName"),
            (Sample(name: String(repeating: "a", count: 71)), "/creditorName"),
            (Sample(remittance: ""), "/remittanceInformationUnstructured"),
            (
                Sample(remittance: String(repeating: "a", count: 141)),
                "/remittanceInformationUnstructured"
            ),
            (Sample(endToEnd: ""), "/endToEndIdentification"),
            (Sample(endToEnd: "a//b"), "/endToEndIdentification"),
            (Sample(endToEnd: String(repeating: "a", count: 36)), "/endToEndIdentification"),
        ])
    func pointers(sample: Sample, pointer: String) throws {
        let found = errors(try sample.intent(), rules)
        #expect(found.map(\.pointer) == [pointer])
        #expect(found.allSatisfy { $0.detail.lowercased().contains("send ") })
    }

    @Test("All errors are told at once, in the order of the members")
    func allAtOnce() throws {
        let unknown = NaiveIBAN.make(country: "US", bban: "1234")
        let sample = Sample(
            debtor: unknown, amount: "1.234", creditor: unknown, name: "ë", remittance: "ë",
            endToEnd: "ë")
        let intent = try sample.intent()
        let expected = IntentField.fingerprinted.filter { $0 != .currency }.map(\.pointer)
        #expect(errors(intent, rules).map(\.pointer) == expected)
        var partial = PartialIntent()
        partial.debtorIBAN = intent.debtorIBAN
        partial.creditorName = "e\u{308}"
        #expect(
            rules.errors(partial).map(\.pointer) == ["/debtorAccount/iban", "/creditorName"])
        #expect(rules.errors(PartialIntent()).isEmpty)
    }

    @Test("An amount is not held against a currency that is missing or unknown")
    func amountAlone() throws {
        var partial = PartialIntent()
        partial.amount = try DecimalAmount("1.23456")
        #expect(rules.errors(partial).isEmpty)
        partial.currency = CurrencyCode("XXX")
        #expect(rules.errors(partial).map(\.pointer) == ["/instructedAmount/currency"])
    }

    @Test("Lengths count characters of the normalised text")
    func normalisedLength() throws {
        let unicode = FieldRules(characters: .unicode)
        let intent = try Sample.with { $0.name = String(repeating: "e\u{301}", count: 70) }
        #expect(errors(intent, unicode).isEmpty)
        var partial = PartialIntent()
        partial.creditorName = String(repeating: "e\u{301}", count: 70)
        #expect(unicode.errors(partial).isEmpty)
        partial.creditorName = String(repeating: "e\u{301}", count: 71)
        #expect(unicode.errors(partial).count == 1)
    }

    @Test("Scenario 45: another table or rule changes what is allowed, not the fingerprint")
    func otherTables() throws {
        let euro = try #require(Currency("EUR"))
        var strict = rules
        strict.currencies = CurrencyTable([euro])
        strict.ibans = IBANRegistry(lengths: ["DE": 22])
        strict.creditorNameLength = 1...5
        let intent = try Sample.with { ($0.amount, $0.currency) = ("5", "JPY") }
        #expect(errors(intent, rules).isEmpty)
        #expect(
            errors(intent, strict).map(\.pointer) == [
                "/instructedAmount/currency", "/creditorAccount/iban", "/creditorName",
            ])
        #expect(intent.fingerprint(version: 1) == intent.fingerprint)
    }
}
