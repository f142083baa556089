import Foundation
import JSON
import Ledger
import Platform

@testable import API

/// A request body. What is accepted is written again and read as the same intent.
func fuzzIntent(_ input: [UInt8]) {
    let plain = FieldRules(characters: .sepa)
    let wide = FieldRules(characters: .unicode)
    switch (decode(input, plain), decode(input, wide)) {
    case (.success(let submitted), .success(let other)):
        require(submitted.differences(from: other).isEmpty, "the rules change what is submitted")
        require(submitted.fingerprint == other.fingerprint, "the rules change the fingerprint")
        checkMembers(submitted, input)
        readAgain(submitted, plain)
        for rules in [plain, wide] { checkRules(submitted, rules) }
    case (.failure(let errors), .failure(let others)):
        checkErrors(errors)
        checkErrors(others)
    default: fail("the rules decide whether a body is understood")
    }
}

private func decode(
    _ body: [UInt8], _ rules: FieldRules
) -> Result<SubmittedIntent, FieldErrors> {
    IntentDecoder.decode(body.span, rules: rules)
}

private func checkErrors(_ errors: FieldErrors) {
    require(!errors.errors.isEmpty, "refused without a word")
    for error in errors.errors {
        require(error.pointer.isEmpty || error.pointer.utf8.first == 0x2F, "no pointer: \(error)")
        require(!error.detail.isEmpty, "no detail: \(error)")
    }
}

private func checkRules(_ submitted: SubmittedIntent, _ rules: FieldRules) {
    switch rules.intent(from: submitted) {
    case .failure(let errors): checkErrors(errors)
    case .success(let intent):
        require(intent.money.minorUnits > 0, "an intent of nothing")
        require((1...70).contains(intent.creditorName.unicodeScalars.count), "name's length")
        let decimal = intent.money.decimal
        require(
            Decimal(string: decimal) == Decimal(string: submitted.amount.canonical),
            "\(decimal) is not \(submitted.amount)")
    }
}

/// Holds an intent against what its own JSON says.
private func checkMembers(_ submitted: SubmittedIntent, _ body: [UInt8]) {
    guard let root = try? JSONDocument(body, maximumDepth: 3).root else { fail("no JSON") }
    func text(_ value: JSONValue?) -> String? { value?.string.map(normalizedText) }
    let expected = [
        (text(root["creditorName"]), submitted.creditorName),
        (text(root["remittanceInformationUnstructured"]), submitted.remittanceInformation),
        (text(root["endToEndIdentification"]), submitted.endToEndIdentification),
        (text(root["instructedAmount"]?["currency"]), submitted.currency.description),
    ]
    for (sent, read) in expected {
        require(
            sent.map { Array($0.utf8) } == read.map { Array($0.utf8) },
            "\(sent as Any) is read as \(read as Any)")
    }
    let ibans = [
        (root["debtorAccount"], submitted.debtorIBAN),
        (root["creditorAccount"], submitted.creditorIBAN),
    ]
    for (account, iban) in ibans {
        let sent = account?["iban"]?.string?.uppercased().filter { $0 != " " }
        require(sent == iban.text, "\(sent as Any) is read as \(iban.text)")
    }
    let amount = root["instructedAmount"]?["amount"]?.string.flatMap { Decimal(string: $0) }
    require(amount == Decimal(string: submitted.amount.canonical), "another amount")
    require(
        (root["confirmedAt"]?.string != nil) == (submitted.confirmedAt != nil), "a time is lost")
}

private func readAgain(_ submitted: SubmittedIntent, _ rules: FieldRules) {
    var json = JSONWriter()
    json.beginObject()
    json.beginObject("debtorAccount")
    json.member("iban", submitted.debtorIBAN.text)
    json.endObject()
    json.beginObject("instructedAmount")
    json.member("amount", submitted.amount.canonical)
    json.member("currency", submitted.currency.description)
    json.endObject()
    json.beginObject("creditorAccount")
    json.member("iban", submitted.creditorIBAN.text)
    json.endObject()
    json.member("creditorName", submitted.creditorName)
    if let text = submitted.remittanceInformation {
        json.member("remittanceInformationUnstructured", text)
    }
    if let text = submitted.endToEndIdentification { json.member("endToEndIdentification", text) }
    if let instant = submitted.confirmedAt { json.member("confirmedAt", instant.rfc3339) }
    json.endObject()
    let body = json.finish()
    guard case .success(let again) = decode(body, rules) else { fail("\(shown(body)) is refused") }
    require(again.fingerprint == submitted.fingerprint, "\(shown(body)) is another intent")
    require(again.differences(from: submitted).isEmpty, "\(shown(body)) differs in a member")
    require(
        again.confirmedAt?.milliseconds == submitted.confirmedAt?.milliseconds,
        "\(shown(body)) has another time")
}
