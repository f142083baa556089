import Ledger
import Platform
import Testing

@Suite("IBAN")
struct IBANTests {
    @Test("An IBAN of every registered country is taken and has the country's length")
    func everyCountry() throws {
        for text in sampleIBANs {
            let iban = try IBAN(text)
            #expect(iban.text == text)
            #expect(NaiveIBAN.remainder(text) == 1)
            #expect(IBANRegistry.swift.refusal(of: iban) == nil, "\(text)")
        }
        #expect(sampleIBANs.map { String($0.prefix(2)) } == IBANRegistry.swift.countries)
    }

    @Test(
        "Scenario 15: spaces and letter case do not matter",
        arguments: [
            "DE89370400440532013000", "DE89 3704 0044 0532 0130 00", "de89 3704 0044 0532 0130 00",
            " dE8 9370400440532013000  ",
        ])
    func forms(text: String) throws {
        #expect(try IBAN(text).text == "DE89370400440532013000")
    }

    @Test(
        "What is no IBAN of any country is refused",
        arguments: [
            ("", .length), (" ", .length), ("DE89", .length),
            ("DE89370400440532013000000000000000000", .length),
            ("DE89-3704-0044-0532-0130-00", .character), ("DE89\t370400440532013000", .character),
            ("DE89\u{A0}370400440532013000", .character), ("DÉ89370400440532013000", .character),
            ("ＤＥ89370400440532013000", .character), ("DE89370400440532013000\0", .character),
            ("DE89370400440532013000\n", .character), ("IBAN DE89370400440532013000", .shape),
            ("8989370400440532013000", .shape), ("DEX9370400440532013000", .shape),
            ("D989370400440532013000", .shape), ("DE88370400440532013000", .checkDigits),
            ("DE89370400440532013001", .checkDigits), ("DE98370400440532013000", .checkDigits),
            ("DE89370400440532031000", .checkDigits),
        ] as [(String, IBANRefusal)])
    func refusals(text: String, refusal: IBANRefusal) {
        #expect(throws: refusal) { try IBAN(text) }
    }

    @Test("Every refusal says what to send", arguments: IBANRefusal.allCases)
    func details(refusal: IBANRefusal) {
        #expect(refusal.detail.lowercased().contains("send "))
    }

    @Test("Check digits 00, 01 and 99 are no second names of 97, 98 and 02")
    func aliases() throws {
        let choices = Choices(seed: 97)
        var tried: Set<String> = []
        while tried.count < 3 {
            let bban = choices.text("0123456789", count: 18)
            let iban = NaiveIBAN.make(country: "DE", bban: bban)
            let alias = ["97": "00", "98": "01", "02": "99"]
            let check = String(iban.dropFirst(2).prefix(2))
            guard let other = alias[check] else { continue }
            tried.insert(check)
            #expect(try IBAN(iban).text == iban)
            #expect(NaiveIBAN.remainder("DE\(other)\(bban)") == 1)
            #expect(throws: IBANRefusal.checkDigits) { try IBAN("DE\(other)\(bban)") }
        }
    }

    @Test("The check digits agree with long division on random account numbers")
    func longDivision() throws {
        let choices = Choices(seed: 7064)
        for _ in 0..<2000 {
            let country = choices.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", count: 2)
            let bban = choices.text(
                "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", count: 1 + choices.below(30))
            let right = NaiveIBAN.make(country: country, bban: bban)
            #expect(try IBAN(right).text == right)
            let check = choices.text("0123456789", count: 2)
            if check != right.dropFirst(2).prefix(2) {
                #expect(throws: IBANRefusal.checkDigits) { try IBAN("\(country)\(check)\(bban)") }
            }
        }
    }

    @Test("Any digit typed wrong and any two neighbours swapped are found")
    func typingErrors() throws {
        for text in sampleIBANs {
            let characters = Array(text)
            for index in 4..<characters.count {
                var wrong = characters
                wrong[index] = characters[index] == "9" ? "0" : "9"
                if characters[index].isNumber {
                    #expect(throws: IBANRefusal.checkDigits) { try IBAN(String(wrong)) }
                }
                guard index + 1 < characters.count, characters[index].isNumber,
                    characters[index + 1].isNumber, characters[index] != characters[index + 1]
                else { continue }
                var swapped = characters
                swapped.swapAt(index, index + 1)
                #expect(throws: IBANRefusal.checkDigits) { try IBAN(String(swapped)) }
            }
        }
    }

    @Test("Description and log value show the ends only")
    func masked() throws {
        let iban = try IBAN("DE89370400440532013000")
        #expect("\(iban)" == "DE89…3000")
        guard case .text(let logged) = iban.logValue else {
            Issue.record("an IBAN is logged as text")
            return
        }
        #expect(logged == "DE89…3000")
        let short = NaiveIBAN.make(country: "XX", bban: "1234567")
        #expect("\(try IBAN(short))" == "\(short.prefix(4))…")
        let intent = try Sample().intent()
        var partial = PartialIntent()
        partial.debtorIBAN = iban
        partial.creditorName = "Marie Curie"
        for text in ["\(intent)", "\(partial)"] {
            #expect(!text.contains("Marie") && !text.contains("DE89"))
        }
    }

    @Test("The registry knows countries and lengths, and says so")
    func registry() throws {
        let unknown = try IBAN(NaiveIBAN.make(country: "US", bban: "123456789012345678"))
        #expect(IBANRegistry.swift.refusal(of: unknown) == .country("US"))
        let short = try IBAN(NaiveIBAN.make(country: "DE", bban: "37040044053201300"))
        #expect(
            IBANRegistry.swift.refusal(of: short) == .length("DE", expected: 22, actual: 21))
        let long = try IBAN(NaiveIBAN.make(country: "NO", bban: "860111179470"))
        #expect(IBANRegistry.swift.refusal(of: long) == .length("NO", expected: 15, actual: 16))
        #expect(IBANRegistry(lengths: ["US": 22]).refusal(of: unknown) == nil)
        #expect(IBANRegistry.swift.countries.count == 89)
    }
}
