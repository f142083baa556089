import Foundation
import TestSupport

/// The body of a `POST /api/transfers`, valid until a test changes a member.
struct Payment: Sendable {
    var debtor = IBANs.alice
    var creditor = IBANs.elsewhere
    var currency = "EUR"
    var amount = "50.00"
    var name = "Marie Curie"
    var remittance: String?
    var endToEnd: String?
    var confirmedAt: String?

    /// Texts must not need escaping.
    var json: String {
        var json = """
            {"debtorAccount":{"iban":"\(debtor)"},\
            "instructedAmount":{"currency":"\(currency)","amount":"\(amount)"},\
            "creditorAccount":{"iban":"\(creditor)"},"creditorName":"\(name)"
            """
        if let remittance { json += #","remittanceInformationUnstructured":"\#(remittance)""# }
        if let endToEnd { json += #","endToEndIdentification":"\#(endToEnd)""# }
        if let confirmedAt { json += #","confirmedAt":"\#(confirmedAt)""# }
        return json + "}"
    }

    func with(_ change: (inout Payment) -> Void) -> Payment {
        var payment = self
        change(&payment)
        return payment
    }
}

/// Account numbers with valid check digits.
enum IBANs {
    static let alice = "DE89370400440532013000"
    static let aliceYen = "GB29NWBK60161331926819"
    static let bob = "FR1420041010050500013M02606"
    static let carol = "KW81CBKU0000000000001234560101"
    /// An account of another bank.
    static let elsewhere = "AT611904300234573201"
    /// An account of another bank that may be blocked.
    static let blocked = "BE68539007547034"

    /// The German account with this number.
    static func german(_ number: Int) -> String {
        let account = String(format: "37040044%010d", number)
        // ISO 7064 MOD 97-10 with DE00 moved to the end: D is 13, E is 14.
        var remainder = 0
        for digit in (account + "131400").utf8 {
            remainder = (remainder * 10 + Int(digit - 0x30)) % 97
        }
        return String(format: "DE%02d", 98 - remainder) + account
    }
}

/// A new idempotency key.
func newKey() -> String { UUID().uuidString.lowercased() }

extension HTTPRequest {
    /// `POST /api/transfers`
    static func payment(_ payment: Payment, key: String, token: String) -> HTTPRequest {
        HTTPRequest(
            "POST", "/api/transfers",
            fields: [
                ("Authorization", "Bearer \(token)"), ("Idempotency-Key", key),
                ("Content-Type", "application/json"),
            ], body: Array(payment.json.utf8))
    }

    static func get(_ target: String, token: String) -> HTTPRequest {
        HTTPRequest("GET", target, fields: [("Authorization", "Bearer \(token)")])
    }

    static func byKey(_ key: String, token: String) -> HTTPRequest {
        get("/api/transfers/by-key/\(key)", token: token)
    }
}
