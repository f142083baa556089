import Ledger
import StoreTestSupport
import Testing

@testable import API

@Suite("Reading an intent") struct IntentDecoderTests {
    private static func decode(
        _ json: String, _ rules: FieldRules = FieldRules(characters: .unicode)
    ) -> Result<SubmittedIntent, FieldErrors> {
        let bytes = Array(json.utf8)
        return IntentDecoder.decode(bytes.span, rules: rules)
    }

    private static func pointers(_ json: String) -> [String] {
        guard case .failure(let errors) = decode(json) else { return [] }
        return errors.errors.map(\.pointer)
    }

    /// A valid body whose members can be replaced; nil leaves one out.
    private static func body(_ changes: [String: String?] = [:]) -> String {
        var members: [(String, String?)] = [
            ("debtorAccount", #"{"iban":"DE89370400440532013000"}"#),
            ("instructedAmount", #"{"currency":"EUR","amount":"50.00"}"#),
            ("creditorAccount", #"{"iban":"FR1420041010050500013M02606"}"#),
            ("creditorName", #""Marie Curie""#),
        ]
        for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
            if let index = members.firstIndex(where: { $0.0 == name }) {
                members[index].1 = value
            } else {
                members.append((name, value))
            }
        }
        let texts = members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
        return "{" + texts.joined(separator: ",") + "}"
    }

    private static func decimal(_ value: String) -> String {
        body(["instructedAmount": #"{"currency":"EUR","amount":\#(value)}"#])
    }

    @Test("the least and the most that an intent can say is read")
    func reads() throws {
        let least = try Self.decode(Self.body()).get()
        #expect(least.debtorIBAN.text == "DE89370400440532013000")
        #expect(least.creditorIBAN.text == "FR1420041010050500013M02606")
        #expect(least.amount == amount("50"))
        #expect(least.creditorName == "Marie Curie")
        #expect(least.remittanceInformation == nil)
        let most = try Self.decode(
            Self.body([
                "remittanceInformationUnstructured": #""Invoice 42""#,
                "endToEndIdentification": #""INV-42""#,
                "confirmedAt": #""2026-11-30T15:02:11+01:00""#,
            ])
        ).get()
        #expect(most.remittanceInformation == "Invoice 42")
        #expect(most.endToEndIdentification == "INV-42")
        #expect(most.confirmedAt == (try instant("2026-11-30T14:02:11Z")))
    }

    @Test(
        "another spelling is the same intent",
        arguments: [
            ["instructedAmount": #"{"amount":"50","currency":"EUR"}"#],
            ["debtorAccount": #"{"iban":" de89 3704 0044 0532 0130 00 "}"#],
            ["creditorName": #""M\u0061rie Curie""#],
            ["remittanceInformationUnstructured": "null"],
            ["endToEndIdentification": "null"], ["confirmedAt": "null"],
            ["confirmedAt": #""2020-01-01T00:00:00Z""#],
        ] as [[String: String?]])
    func spellings(_ changes: [String: String?]) throws {
        let (one, other) = (
            try Self.decode(Self.body()).get(), try Self.decode(Self.body(changes)).get()
        )
        #expect(one.fingerprint == other.fingerprint)
    }

    @Test(
        "a member of the wrong kind is named",
        arguments: [
            (["debtorAccount": #""DE89370400440532013000""#], ["/debtorAccount"]),
            (["debtorAccount": "null"], ["/debtorAccount"]),
            (["debtorAccount": "{}"], ["/debtorAccount/iban"]),
            (["debtorAccount": #"{"iban":1}"#], ["/debtorAccount/iban"]),
            (["debtorAccount": #"{"iban":"DE88370400440532013000"}"#], ["/debtorAccount/iban"]),
            (["debtorAccount": #"{"bban":"1"}"#], ["/debtorAccount/bban", "/debtorAccount/iban"]),
            (["creditorAccount": "[]"], ["/creditorAccount"]),
            (["instructedAmount": #""50""#], ["/instructedAmount"]),
            (
                ["instructedAmount": "{}"],
                ["/instructedAmount/currency", "/instructedAmount/amount"]
            ),
            (
                ["instructedAmount": #"{"currency":"eur","amount":"1"}"#],
                ["/instructedAmount/currency"]
            ),
            (["creditorName": "null"], ["/creditorName"]),
            (["creditorName": "1"], ["/creditorName"]),
            (["creditorName": nil], ["/creditorName"]),
            (["remittanceInformationUnstructured": "{}"], ["/remittanceInformationUnstructured"]),
            (["endToEndIdentification": "true"], ["/endToEndIdentification"]),
            (["confirmedAt": #""yesterday""#], ["/confirmedAt"]),
            (["confirmedAt": #""2026-11-30T14:02:11""#], ["/confirmedAt"]),
            (["confirmedAt": "1796040000"], ["/confirmedAt"]), (["a/b~c": "1"], ["/a~1b~0c"]),
        ] as [([String: String?], [String])])
    func wrongKinds(_ changes: [String: String?], _ pointers: [String]) {
        #expect(Self.pointers(Self.body(changes)) == pointers)
    }

    @Test(
        "an amount that is not written as the contract says is refused",
        arguments: [
            "50", "50.00", "null", "true", #""""#, #""0""#, #""0.00""#, #""-1""#, #""+1""#,
            #"" 1""#, #""1 ""#, #""1e2""#, #""010""#, #"".5""#, #""5.""#, #""1,00""#, #""１２""#,
            #""NaN""#, #""0x10""#, #""1234567890123456789""#, #""1\u00002""#,
        ])
    func amounts(_ value: String) {
        #expect(
            Self.pointers(Self.decimal(value)).first.map {
                ["/instructedAmount/amount", ""].contains($0)
            }
                == true)
    }

    @Test("a number as the amount is told to send a string")
    func number() {
        guard case .failure(let errors) = Self.decode(Self.decimal("50.00")) else {
            Issue.record("a number passed")
            return
        }
        #expect(
            errors.errors == [
                FieldError(
                    .amount, "Send the amount as a JSON string such as \"50.00\", not as a number.")
            ])
    }

    @Test("everything that is wrong is told at once, today's field rules included")
    func allAtOnce() {
        let json = #"""
            {"debtorAccount":{"iban":"DE00"},"instructedAmount":{"currency":"EUR","amount":"1.234"},
             "creditorName":"","remittanceInformationUnstructured":7,"confirmedAt":"now","extra":1}
            """#
        let expected: Set = [
            "/debtorAccount/iban", "/instructedAmount/amount", "/creditorAccount/iban",
            "/creditorName", "/remittanceInformationUnstructured", "/confirmedAt", "/extra",
        ]
        #expect(Set(Self.pointers(json)) == expected)
        #expect(Self.pointers(json).count == expected.count)
    }

    @Test("field rules alone wait until it is known that the key has no outcome")
    func rulesWait() throws {
        let submitted = try Self.decode(
            Self.body(["instructedAmount": #"{"currency":"EUR","amount":"1.234"}"#])
        ).get()
        #expect(submitted.amount == amount("1.234"))
    }

    @Test(
        "what is not strict JSON is refused where it goes wrong",
        arguments: [
            ("", ""), ("[]", ""), ("null", ""), ("\"x\"", ""), ("{", ""), ("{} ", nil),
            ("{}{}", ""),
            ("\u{FEFF}{}", ""), (#"{"creditorName":"a","creditorName":"b"}"#, "/creditorName"),
            (#"{"creditorName":"\ud800"}"#, "/creditorName"),
            (#"{"creditorName":"\u0000"}"#, "/creditorName"),
            (#"{"debtorAccount":{"iban":{"a":{}}}}"#, nil), ("{\"creditorName\":\"a\",}", nil),
        ] as [(String, String?)])
    func syntax(_ json: String, _ pointer: String?) {
        let pointers = Self.pointers(json)
        #expect(!pointers.isEmpty)
        if let pointer { #expect(pointers == [pointer]) }
    }

    @Test("no refusal repeats a value of the request")
    func silence() {
        let secret = "Zyxwvutsrqp"
        let json = #"""
            {"debtorAccount":{"iban":"\#(secret)"},"instructedAmount":{"currency":"\#(secret)",
             "amount":"\#(secret)"},"creditorAccount":{"iban":"\#(secret)"},
             "creditorName":7,"confirmedAt":"\#(secret)"}
            """#
        guard case .failure(let errors) = Self.decode(json) else {
            Issue.record("nonsense passed")
            return
        }
        #expect(errors.errors.count == 6)
        for error in errors.errors { #expect(!error.detail.contains(secret)) }
    }
}
