import JSON
import Ledger
import Platform

/// Reads the body of `POST /api/transfers`: syntax and types, all faults at once.
///
/// Where a member is at fault, today's field rules are held against the others as well, so that one
/// answer names everything; alone they wait until it is known that the key has no outcome.
struct IntentDecoder {
    private static let maximumErrors = 50

    private let rules: FieldRules
    private var intent = PartialIntent()
    private var errors: [FieldError] = []

    private init(rules: FieldRules) { self.rules = rules }

    static func decode(
        _ body: Span<UInt8>, rules: FieldRules
    ) -> Result<SubmittedIntent, FieldErrors> {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: body, maximumDepth: 3)
        } catch {
            return .failure(
                FieldErrors([FieldError(pointer: error.pointer, detail: Self.detail(error))]))
        }
        var decoder = IntentDecoder(rules: rules)
        decoder.read(document.root)
        if decoder.errors.isEmpty,
            let submitted = decoder.intent.submitted(written: document.source)
        {
            return .success(submitted)
        }
        // All that a person can use: a body full of nonsense shall not make a larger answer.
        let all = decoder.errors.prefix(Self.maximumErrors) + rules.errors(decoder.intent)
        return .failure(FieldErrors(Array(all)))
    }

    private mutating func read(_ root: JSONValue) {
        guard case .object = root.kind else {
            return fail("", "The body must be a JSON object.")
        }
        var seen = FieldSet()
        for member in root.members {
            let value = member.value
            if member.nameEquals("debtorAccount") {
                account(value, .debtorIBAN, "/debtorAccount", &seen)
            } else if member.nameEquals("creditorAccount") {
                account(value, .creditorIBAN, "/creditorAccount", &seen)
            } else if member.nameEquals("instructedAmount") {
                amount(value, &seen)
            } else if member.nameEquals("creditorName") {
                seen.insert(.creditorName)
                if let text = text(value, .creditorName) { intent.creditorName = text }
            } else if member.nameEquals("remittanceInformationUnstructured") {
                intent.remittanceInformation = optionalText(value, .remittanceInformation)
            } else if member.nameEquals("endToEndIdentification") {
                intent.endToEndIdentification = optionalText(value, .endToEndIdentification)
            } else if member.nameEquals("confirmedAt") {
                confirmedAt(value)
            } else {
                unknown(member, in: "")
            }
        }
        for field in [
            IntentField.debtorIBAN, .currency, .amount, .creditorIBAN, .creditorName,
        ] where !seen.contains(field) {
            fail(field, "This member is required.")
        }
    }

    private mutating func account(
        _ value: JSONValue, _ field: IntentField, _ pointer: String, _ seen: inout FieldSet
    ) {
        guard case .object = value.kind else {
            seen.insert(field)
            return fail(pointer, "Send an object with the member \"iban\".")
        }
        for member in value.members {
            guard member.nameEquals("iban") else {
                unknown(member, in: pointer)
                continue
            }
            seen.insert(field)
            let iban: Result<IBAN, IBANRefusal>? = member.value.withText { text in
                do throws(IBANRefusal) { return .success(try IBAN(text)) } catch {
                    return .failure(error)
                }
            }
            switch iban {
            case nil: fail(field, "Send the IBAN as a JSON string.")
            case .failure(let refusal): fail(field, refusal.detail)
            case .success(let iban):
                if field == .debtorIBAN {
                    intent.debtorIBAN = iban
                } else {
                    intent.creditorIBAN = iban
                }
            }
        }
    }

    private mutating func amount(_ value: JSONValue, _ seen: inout FieldSet) {
        guard case .object = value.kind else {
            seen.insert(.amount)
            seen.insert(.currency)
            return fail(
                "/instructedAmount", "Send an object with the members \"currency\" and \"amount\".")
        }
        for member in value.members {
            if member.nameEquals("amount") {
                seen.insert(.amount)
                decimal(member.value)
            } else if member.nameEquals("currency") {
                seen.insert(.currency)
                let code = member.value.withText { CurrencyCode($0) } ?? nil
                if let code {
                    intent.currency = code
                } else {
                    fail(.currency, CurrencyCode.refusalDetail)
                }
            } else {
                unknown(member, in: "/instructedAmount")
            }
        }
    }

    private mutating func decimal(_ value: JSONValue) {
        let amount: Result<DecimalAmount, AmountRefusal>? = value.withText { text in
            do throws(AmountRefusal) { return .success(try DecimalAmount(text)) } catch {
                return .failure(error)
            }
        }
        switch amount {
        case .success(let amount): intent.amount = amount
        case .failure(let refusal): fail(.amount, refusal.detail)
        case nil:
            if case .number = value.kind {
                fail(
                    .amount, "Send the amount as a JSON string such as \"50.00\", not as a number.")
            } else {
                fail(.amount, "Send the amount as a JSON string such as \"50.00\".")
            }
        }
    }

    private mutating func text(_ value: JSONValue, _ field: IntentField) -> String? {
        if let text = value.string { return text }
        fail(field, "Send a JSON string.")
        return nil
    }

    /// `null` is the same as no member.
    private mutating func optionalText(_ value: JSONValue, _ field: IntentField) -> String? {
        value.isNull ? nil : text(value, field)
    }

    private mutating func confirmedAt(_ value: JSONValue) {
        guard !value.isNull else { return }
        guard let text = value.string, let instant = Instant(rfc3339: text.utf8) else {
            return fail(
                .confirmedAt,
                "Send a time with an offset as RFC 3339 writes it, such as "
                    + "\"2026-11-30T14:02:11Z\".")
        }
        intent.confirmedAt = instant
    }

    private mutating func unknown(_ member: JSONMember, in parent: String) {
        fail(
            parent + "/" + JSONPointer.escape(member.name),
            "This member is not known. Leave it out.")
    }

    private mutating func fail(_ field: IntentField, _ detail: String) {
        errors.append(FieldError(field, detail))
    }

    private mutating func fail(_ pointer: String, _ detail: String) {
        errors.append(FieldError(pointer: pointer, detail: detail))
    }

    private static func detail(_ error: JSONError) -> String {
        let what =
            switch error.reason {
            case .unexpectedEnd: "The JSON text ends too early"
            case .unexpectedByte: "This is not JSON"
            case .invalidLiteral: "A literal is not true, false or null"
            case .invalidNumber: "A number is not written as JSON writes numbers"
            case .trailingComma: "A comma stands before a closing bracket"
            case .trailingData: "Something follows the JSON text"
            case .byteOrderMark: "A byte-order mark stands before the JSON text; leave it out"
            case .invalidUTF8: "The text is not valid UTF-8"
            case .controlCharacter: "A control character stands in a string; escape or remove it"
            case .invalidEscape: "A string has an escape that JSON does not know"
            case .loneSurrogate: "A string has half of a surrogate pair"
            case .noncharacter: "A string has a code point that is not a character"
            case .nulCharacter: "A string has the character U+0000"
            case .duplicateMember: "A member stands twice in one object; send it once"
            case .tooDeep: "Objects are nested deeper than this request needs"
            case .tooLarge: "The JSON text is too large"
            }
        return "\(what) (at byte \(error.offset))."
    }
}

/// Some of an intent's members.
private struct FieldSet {
    private var bits: UInt16 = 0

    mutating func insert(_ field: IntentField) { bits |= 1 << UInt16(field.rawValue) }
    func contains(_ field: IntentField) -> Bool { bits >> UInt16(field.rawValue) & 1 == 1 }
}
