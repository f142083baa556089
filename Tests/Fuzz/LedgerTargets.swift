import Foundation
import Ledger
import Platform

/// A text that may be an IBAN.
func fuzzIBAN(_ input: [UInt8]) {
    guard let iban = try? IBAN(input.span) else { return }
    let bytes = Array(iban.text.utf8)
    require((5...34).contains(bytes.count), "\(iban.text) has \(bytes.count) characters")
    require(
        bytes.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) },
        "\(iban.text) is not in its electronic form")
    require(remainder97(bytes) == 1, "\(iban.text) is \(remainder97(bytes)) mod 97")
    // There is one pair of check digits for each number and country, so none but this.
    for check in 0..<100 {
        let digits = [0x30 + UInt8(check / 10), 0x30 + UInt8(check % 10)]
        let other = Array(bytes[..<2]) + digits + bytes[4...]
        if other == bytes { continue }
        require((try? IBAN(other.span)) == nil, "\(shown(other)) is one too")
    }
    let spaced = iban.text.lowercased().map { "\($0) " }.joined()
    require((try? IBAN(spaced)) == iban, "\(spaced) is refused")
    require(
        bytes.count < 9 || !iban.description.contains(iban.text), "the description tells it all")
    if IBANRegistry.swift.refusal(of: iban) == nil {
        require(bytes.count >= 15, "\(iban.text) is too short for a country's")
    }
}

/// The remainder as schoolchildren compute it: all digits, one after another.
private func remainder97(_ bytes: [UInt8]) -> Int {
    let digits = (bytes[4...] + bytes[..<4]).map { byte in
        byte >= 0x41 ? String(Int(byte) - 55) : String(Int(byte) - 48)
    }.joined()
    return digits.utf8.reduce(0) { ($0 * 10 + Int($1) - 48) % 97 }
}

/// A text that may be an amount.
func fuzzAmount(_ input: [UInt8]) {
    guard let amount = try? DecimalAmount(input.span) else { return }
    let text = String(decoding: input, as: UTF8.self)
    guard let value = Decimal(string: text) else { fail("\(text) is an amount to us alone") }
    require(value > 0, "\(text) is an amount")
    guard let again = try? DecimalAmount(amount.canonical) else {
        fail("\(amount.canonical) is refused")
    }
    require(again == amount && again.hashValue == amount.hashValue, "\(text) changes")
    require(again.canonical == amount.canonical, "\(text) has two canonical forms")
    require(Decimal(string: amount.canonical) == value, "\(text) is not \(amount.canonical)")
    for exponent in 0...18 {
        guard let units = try? amount.minorUnits(exponent: exponent) else { continue }
        require(units > 0, "\(text) is \(units) units")
        let product = value * Decimal(sign: .plus, exponent: exponent, significand: 1)
        require(Decimal(units) == product, "\(text) is \(units) units of 10^-\(exponent)")
    }
    for currency in CurrencyTable.iso4217.all.prefix(40) {
        guard let money = try? Money(amount, currency) else { continue }
        require(Decimal(string: money.decimal) == value, "\(text) is not \(money)")
    }
}

/// A value of `Idempotency-Key`.
func fuzzIdempotencyKey(_ input: [UInt8]) {
    let bare = IdempotencyKey(input.span)
    let read = try? IdempotencyKey(headerValue: input.span)
    if let bare { require(read == bare, "\(shown(input)) is one key in a path and not in a field") }
    let isNamed = input.first != 0x22
    require(!isNamed || bare == read, "\(shown(input)) is a key in a field and not in a path")
    guard let read else { return }
    let isQuoted = input.first == 0x22
    require(input.count == (isQuoted ? 38 : 36), "\(shown(input)) is a key")
    let text = String(decoding: isQuoted ? Array(input[1..<37]) : input, as: UTF8.self)
    guard let uuid = UUID(uuidString: text) else { fail("\(text) is a key to us alone") }
    require(uuid.uuidString.lowercased() == read.description, "\(text) is read as \(read)")
    for spelling in [text, text.uppercased(), text.lowercased(), "\"\(text)\""] {
        let bytes = Array(spelling.utf8)
        require((try? IdempotencyKey(headerValue: bytes.span)) == read, "\(spelling) is refused")
    }
}

/// A text that may be an RFC 3339 time.
func fuzzTime(_ input: [UInt8]) {
    guard let instant = Instant(rfc3339: input) else { return }
    let text = instant.rfc3339
    guard let again = Instant(rfc3339: text.utf8) else { fail("\(shown(input)) is \(text)") }
    require(again.milliseconds == instant.milliseconds, "\(shown(input)) is \(text)")
}
