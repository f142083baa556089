import Ledger
import Testing

@Suite("Decimal amount")
struct DecimalAmountTests {
    @Test(
        "An amount has one canonical form, whatever the currency",
        arguments: [
            ("50.00", "50"), ("50.0", "50"), ("50", "50"), ("50.10", "50.1"), ("0.50", "0.5"),
            ("0.05", "0.05"), ("0.0000000000000001", "0.0000000000000001"), ("100", "100"),
            ("1000.000", "1000"), ("10.01", "10.01"), ("999999999999999999", "999999999999999999"),
            ("1.00000000000000000", "1"), ("0.10000000000000000", "0.1"),
        ])
    func canonical(text: String, canonical: String) throws {
        let amount = try DecimalAmount(text)
        #expect(amount.canonical == canonical)
        #expect(try DecimalAmount(canonical) == amount)
        #expect(try Set([amount]).contains(DecimalAmount(canonical)))
    }

    @Test(
        "Scenario 18: what is no plain decimal number is refused",
        arguments: [
            ("", .grammar), (".", .grammar), ("1.", .grammar), (".5", .grammar), ("010", .grammar),
            ("00", .grammar), ("00.5", .grammar), ("1e2", .grammar), ("1E400", .grammar),
            ("-1", .grammar), ("+1", .grammar), ("-0", .grammar), ("NaN", .grammar),
            ("Infinity", .grammar), ("１２", .grammar), ("٣", .grammar), ("1,5", .grammar),
            ("1'000", .grammar), ("1 000", .grammar), (" 1", .grammar), ("1 ", .grammar),
            ("1.2.3", .grammar), ("1..2", .grammar), ("0x10", .grammar), ("1\0", .grammar),
            ("1\n", .grammar), ("1_0", .grammar), ("1234567890123456789x", .grammar),
            ("0", .zero), ("0.0", .zero), ("0.00000000000000000", .zero),
            ("1000000000000000000", .tooManyDigits), ("0.000000000000000000", .tooManyDigits),
            ("1.000000000000000000", .tooManyDigits),
            ("99999999999999999999999999999999999999999999", .tooManyDigits),
        ] as [(String, AmountRefusal)])
    func refusals(text: String, refusal: AmountRefusal) {
        #expect(throws: refusal) { try DecimalAmount(text) }
    }

    @Test("Every refusal says what to send", arguments: AmountRefusal.allCases)
    func details(refusal: AmountRefusal) {
        #expect(refusal.detail.hasPrefix("Send "))
    }

    @Test(
        "Scenario 22: an amount fits a currency if its written decimals do",
        arguments: [
            ("50.00", 2, 5000), ("50.0", 2, 5000), ("50", 2, 5000), ("0.01", 2, 1),
            ("1.234", 3, 1234), ("5", 0, 5), ("1.5", 4, 15000),
            ("9007199254740993", 0, 9_007_199_254_740_993),
            ("90071992547409.93", 2, 9_007_199_254_740_993),
            ("90071992547409.92", 2, 9_007_199_254_740_992),
            ("999999999999999999", 0, 999_999_999_999_999_999),
            ("92233720368547758", 2, 9_223_372_036_854_775_800),
            ("9223372036854775.8", 3, 9_223_372_036_854_775_800),
        ] as [(String, Int, Int64)])
    func minorUnits(text: String, exponent: Int, units: Int64) throws {
        #expect(try DecimalAmount(text).minorUnits(exponent: exponent) == units)
    }

    @Test(
        "Scenario 22: more decimals than the currency has are refused, zeros included",
        arguments: [
            ("1.234", 2), ("50.000", 2), ("1.5", 0), ("1.0", 0), ("1.2345", 3), ("1.23456", 4),
        ])
    func tooManyDecimals(text: String, exponent: Int) {
        #expect(throws: ScaleRefusal.tooManyDecimals(allowed: exponent)) {
            try DecimalAmount(text).minorUnits(exponent: exponent)
        }
    }

    @Test(
        "An amount above the largest count of minor units is refused",
        arguments: [
            ("92233720368547759", 2), ("999999999999999999", 2), ("999999999999999999", 1),
            ("9223372036854776", 3), ("922337203685477.6", 4),
        ])
    func tooLarge(text: String, exponent: Int) {
        #expect(throws: ScaleRefusal.tooLarge) {
            try DecimalAmount(text).minorUnits(exponent: exponent)
        }
    }

    @Test("Scenario 18: neighbours above 2^53 are told apart")
    func neighbours() throws {
        #expect(try DecimalAmount("9007199254740993") != DecimalAmount("9007199254740992"))
        #expect(try DecimalAmount("90071992547409.93") != DecimalAmount("90071992547409.92"))
    }

    @Test("Scenario 18: random texts are taken exactly where the documented grammar takes them")
    func grammar() throws {
        let choices = Choices(seed: 7493)
        let pattern = try Regex("(0|[1-9][0-9]*)(\\.[0-9]+)?")
        var taken = 0
        for _ in 0..<20_000 {
            let text = choices.text("0001259....-+e ", count: choices.below(7))
            let digits = text.filter { ("1"..."9").contains($0) }
            let expected = try pattern.wholeMatch(in: text) != nil && !digits.isEmpty
            #expect(((try? DecimalAmount(text)) != nil) == expected, "\(text)")
            if expected { taken += 1 }
        }
        #expect(taken > 1000)
    }

    @Test("The canonical form of any amount equals the one computed on its text")
    func canonicalOfRandomAmounts() throws {
        let choices = Choices(seed: 18)
        for _ in 0..<5000 {
            let whole = String(choices.word() % 1_000_000_000)
            let fraction = choices.text("0001259", count: choices.below(9))
            guard whole != "0" || fraction.contains(where: { $0 != "0" }) else { continue }
            var expected = fraction.isEmpty ? whole : "\(whole).\(fraction)"
            let amount = try DecimalAmount(expected)
            if expected.contains(".") {
                while expected.hasSuffix("0") { expected.removeLast() }
                if expected.hasSuffix(".") { expected.removeLast() }
            }
            #expect(amount.canonical == expected)
            #expect(amount.scale == fraction.count)
        }
    }
}
