/// The members of an intent, in the order in which errors and differences are told.
package enum IntentField: Int, Hashable, Sendable, CaseIterable {
    case debtorIBAN
    case amount
    case currency
    case creditorIBAN
    case creditorName
    case remittanceInformation
    case endToEndIdentification
    /// Observed only: not in the fingerprint.
    case confirmedAt

    /// The members that the fingerprint covers.
    package static let fingerprinted = Array(allCases.dropLast())

    /// Where the member stands in the request body, as a JSON pointer (RFC 6901).
    package var pointer: String {
        switch self {
        case .debtorIBAN: "/debtorAccount/iban"
        case .amount: "/instructedAmount/amount"
        case .currency: "/instructedAmount/currency"
        case .creditorIBAN: "/creditorAccount/iban"
        case .creditorName: "/creditorName"
        case .remittanceInformation: "/remittanceInformationUnstructured"
        case .endToEndIdentification: "/endToEndIdentification"
        case .confirmedAt: "/confirmedAt"
        }
    }
}

/// One fault of one member of a request body.
package struct FieldError: Hashable, Sendable {
    /// A JSON pointer (RFC 6901).
    package let pointer: String
    /// For people: what is wrong and what to send. Never repeats the value.
    package let detail: String

    package init(pointer: String, detail: String) {
        self.pointer = pointer
        self.detail = detail
    }

    package init(_ field: IntentField, _ detail: String) {
        self.init(pointer: field.pointer, detail: detail)
    }
}

/// All faults of one request body, at least one, in the order of `IntentField`.
package struct FieldErrors: Error, Hashable, Sendable {
    /// At least one.
    package let errors: [FieldError]

    /// `errors` is not empty.
    package init(_ errors: [FieldError]) {
        precondition(!errors.isEmpty, "field errors without an error")
        self.errors = errors
    }
}
