import Ledger
import Testing

@Suite("Currency")
struct CurrencyTests {
    @Test(
        "A currency has its ISO 4217 exponent and number",
        arguments: [
            ("EUR", 2, 978), ("USD", 2, 840), ("ALL", 2, 8), ("JPY", 0, 392), ("KRW", 0, 410),
            ("ISK", 0, 352), ("UGX", 0, 800), ("UYI", 0, 940), ("XAF", 0, 950), ("KWD", 3, 414),
            ("BHD", 3, 48), ("TND", 3, 788), ("IQD", 3, 368), ("CLF", 4, 990), ("UYW", 4, 927),
            ("XCG", 2, 532), ("ZWG", 2, 924), ("SLE", 2, 925), ("VED", 2, 926), ("MGA", 2, 969),
            ("MRU", 2, 929), ("HUF", 2, 348),
        ])
    func known(code: String, exponent: Int8, numeric: UInt16) throws {
        let currency = try #require(Currency(code))
        #expect(currency.exponent == exponent)
        #expect(currency.numeric == numeric)
        #expect(currency.description == code)
    }

    @Test(
        "Metals, tests, units of account and withdrawn codes are no currencies",
        arguments: [
            "XXX", "XTS", "XAU", "XAG", "XPT", "XPD", "XDR", "XSU", "XUA", "XBA", "XBB", "XBC",
            "XBD", "HRK", "BGN", "ZWL", "ANG", "SLL", "CUC", "AAA",
        ])
    func unknown(code: String) throws {
        #expect(Currency(code: try #require(CurrencyCode(code))) == nil)
    }

    @Test("The table has list one's 165 currencies with minor units, each number once")
    func table() {
        let all = CurrencyTable.iso4217.all
        let byExponent = Dictionary(grouping: all, by: \.exponent).mapValues(\.count)
        #expect(byExponent == [0: 17, 2: 139, 3: 7, 4: 2])
        #expect(Set(all.map(\.numeric)).count == 165)
        #expect(all.map(\.code) == all.map(\.code).sorted())
    }

    @Test(
        "A currency code is three upper-case letters",
        arguments: ["", "EU", "EURO", "eur", "EUr", "E1R", "ＥＵＲ", " EU", "EÜ"])
    func syntax(text: String) {
        #expect(CurrencyCode(text) == nil)
        #expect(Currency(text) == nil)
    }
}

@Suite("Money")
struct MoneyTests {
    @Test(
        "Money is written with its currency's decimals",
        arguments: [
            (5000, "EUR", "50.00"), (5, "JPY", "5"), (1234, "KWD", "1.234"), (1, "EUR", "0.01"),
            (10, "EUR", "0.10"), (100, "EUR", "1.00"), (0, "EUR", "0.00"), (0, "JPY", "0"),
            (-1, "EUR", "-0.01"), (-5000, "EUR", "-50.00"), (-7, "JPY", "-7"), (5, "CLF", "0.0005"),
            (12345, "CLF", "1.2345"), (.max, "EUR", "92233720368547758.07"),
            (.min, "EUR", "-92233720368547758.08"), (.min, "JPY", "-9223372036854775808"),
        ] as [(Int64, String, String)])
    func format(minorUnits: Int64, code: String, text: String) throws {
        let money = Money(minorUnits: minorUnits, currency: try #require(Currency(code)))
        #expect(money.decimal == text)
        var bytes = Array("x".utf8)
        money.appendDecimal(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "x\(text)")
        #expect(money.description == "\(text) \(code)")
    }

    @Test("What money writes, an amount reads back, in every currency")
    func roundTrip() throws {
        let choices = Choices(seed: 4217)
        for currency in CurrencyTable.iso4217.all {
            for _ in 0..<50 {
                // 17 digits at most, so that a leading zero still fits the 18.
                let units = 1 + Int64(choices.word() >> UInt64(8 + choices.below(56)))
                let money = Money(minorUnits: units, currency: currency)
                #expect(try Money(DecimalAmount(money.decimal), currency) == money)
            }
        }
    }

    @Test("Sums and differences are exact and refused where they do not fit")
    func arithmetic() throws {
        let euro = try #require(Currency("EUR"))
        func eur(_ units: Int64) -> Money { Money(minorUnits: units, currency: euro) }
        let yen = Money(minorUnits: 1, currency: try #require(Currency("JPY")))
        #expect(try eur(10).adding(eur(20)) == eur(30))
        #expect(try eur(10).subtracting(eur(20)) == eur(-10))
        #expect(try eur(10).negated() == eur(-10))
        #expect(try eur(.max).adding(eur(.min)) == eur(-1))
        #expect(throws: MoneyError.overflow) { try eur(.max).adding(eur(1)) }
        #expect(throws: MoneyError.overflow) { try eur(.min).adding(eur(-1)) }
        #expect(throws: MoneyError.overflow) { try eur(.min).subtracting(eur(1)) }
        #expect(throws: MoneyError.overflow) { try eur(.min).negated() }
        #expect(throws: MoneyError.currencyMismatch) { try eur(1).adding(yen) }
        #expect(throws: MoneyError.currencyMismatch) { try eur(1).subtracting(yen) }
    }
}
