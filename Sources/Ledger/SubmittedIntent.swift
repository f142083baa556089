package import Platform

/// What a customer decided, as one request body says it: right in syntax and types, and not yet
/// held against any table or setting.
///
/// Texts are in Unicode normalisation form C. Immutable, made once per request and shared by
/// everyone who handles it. Has no description of its own, so that it is not logged by mistake.
package final class SubmittedIntent: Sendable {
    package let debtorIBAN: IBAN
    package let amount: DecimalAmount
    package let currency: CurrencyCode
    package let creditorIBAN: IBAN
    package let creditorName: String
    package let remittanceInformation: String?
    package let endToEndIdentification: String?
    /// The phone's clock: observed only. In no decision and not in the fingerprint.
    package let confirmedAt: Instant?
    /// Of the current version.
    package let fingerprint: Fingerprint
    /// The body that said it, byte by byte; empty where there was none. Who sends the same bytes
    /// again says the same.
    package let written: [UInt8]
    /// All members, for those who treat them alike.
    let members: PartialIntent

    /// Texts may come in any normalisation form.
    package init(
        debtorIBAN: IBAN, amount: DecimalAmount, currency: CurrencyCode, creditorIBAN: IBAN,
        creditorName: String, remittanceInformation: String? = nil,
        endToEndIdentification: String? = nil, confirmedAt: Instant? = nil,
        written: [UInt8] = []
    ) {
        self.written = written
        self.debtorIBAN = debtorIBAN
        self.amount = amount
        self.currency = currency
        self.creditorIBAN = creditorIBAN
        self.creditorName = normalizedText(creditorName)
        self.remittanceInformation = remittanceInformation.map(normalizedText)
        self.endToEndIdentification = endToEndIdentification.map(normalizedText)
        self.confirmedAt = confirmedAt
        var members = PartialIntent()
        members.debtorIBAN = debtorIBAN
        members.amount = amount
        members.currency = currency
        members.creditorIBAN = creditorIBAN
        members.creditorName = self.creditorName
        members.remittanceInformation = self.remittanceInformation
        members.endToEndIdentification = self.endToEndIdentification
        members.confirmedAt = confirmedAt
        self.members = members
        fingerprint = Fingerprint(version1Of: members)
    }

    /// The fingerprint that a stored one of `version` is compared with; nil for a version that
    /// this program does not know.
    package func fingerprint(version: Int16) -> Fingerprint? {
        version == Fingerprint.currentVersion ? fingerprint : nil
    }

    /// The members whose difference makes this another intent, in the order of `IntentField`.
    /// Empty exactly if the two are the same intent.
    package func differences(from other: SubmittedIntent) -> [IntentField] {
        IntentField.fingerprinted.filter { field in
            switch field {
            case .debtorIBAN: debtorIBAN != other.debtorIBAN
            case .amount: amount != other.amount
            case .currency: currency != other.currency
            case .creditorIBAN: creditorIBAN != other.creditorIBAN
            case .creditorName: creditorName != other.creditorName
            case .remittanceInformation: remittanceInformation != other.remittanceInformation
            case .endToEndIdentification: endToEndIdentification != other.endToEndIdentification
            case .confirmedAt: false
            }
        }
    }
}

/// A request body while it is read: the members found right so far.
///
/// A member that was sent but was wrong is nil too, so whoever reads keeps the errors beside it
/// and asks for `submitted()` only where there is none.
package struct PartialIntent: Sendable, CustomStringConvertible {
    package var debtorIBAN: IBAN?
    package var amount: DecimalAmount?
    package var currency: CurrencyCode?
    package var creditorIBAN: IBAN?
    /// In any normalisation form, like the other texts.
    package var creditorName: String?
    package var remittanceInformation: String?
    package var endToEndIdentification: String?
    package var confirmedAt: Instant?

    /// Nothing found yet.
    package init() {}

    /// Nil while a required member is missing. `written` is the body that was read.
    package func submitted(written: [UInt8] = []) -> SubmittedIntent? {
        guard let debtorIBAN, let amount, let currency, let creditorIBAN, let creditorName
        else { return nil }
        return SubmittedIntent(
            debtorIBAN: debtorIBAN, amount: amount, currency: currency, creditorIBAN: creditorIBAN,
            creditorName: creditorName, remittanceInformation: remittanceInformation,
            endToEndIdentification: endToEndIdentification, confirmedAt: confirmedAt,
            written: written)
    }

    /// Bland: the members are private.
    package var description: String { "PartialIntent" }
}
