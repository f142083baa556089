package import Platform

/// An intent that passed the rules that configuration and registries can change.
package struct Intent: Hashable, Sendable, CustomStringConvertible {
    package let debtorIBAN: IBAN
    package let creditorIBAN: IBAN
    /// Above zero.
    package let money: Money
    /// This and the next two are in Unicode normalisation form C.
    package let creditorName: String
    package let remittanceInformation: String?
    package let endToEndIdentification: String?
    /// The phone's clock: observed only.
    package let confirmedAt: Instant?

    /// Bland: the members are private.
    package var description: String { "Intent \(debtorIBAN) to \(creditorIBAN)" }
}

/// The rules for members that configuration and registries can change. They hold for a key without
/// an outcome only, so that tightening one never turns the retry of an executed intent into an
/// error.
package struct FieldRules: Sendable {
    /// For the three texts.
    package var characters: CharacterSetPolicy
    /// This length and the next two are in Unicode scalars after normalisation.
    package var creditorNameLength: ClosedRange<Int> = 1...70
    package var remittanceInformationLength: ClosedRange<Int> = 1...140
    package var endToEndIdentificationLength: ClosedRange<Int> = 1...35
    /// What an instructed amount may be in.
    package var currencies: CurrencyTable = .iso4217
    /// Holds for debtor and creditor.
    package var ibans: IBANRegistry = .swift

    /// The contract's lengths, all of ISO 4217 and all of the IBAN registry.
    package init(characters: CharacterSetPolicy) { self.characters = characters }

    /// All errors of the members that are there, in the order of `IntentField`.
    package func errors(_ partial: PartialIntent) -> [FieldError] { check(partial).errors }

    /// The intent, or all its errors in the order of `IntentField`.
    package func intent(from submitted: SubmittedIntent) -> Result<Intent, FieldErrors> {
        let (money, errors) = check(submitted.members)
        guard let money, errors.isEmpty else { return .failure(FieldErrors(errors)) }
        return .success(
            Intent(
                debtorIBAN: submitted.debtorIBAN, creditorIBAN: submitted.creditorIBAN,
                money: money, creditorName: submitted.creditorName,
                remittanceInformation: submitted.remittanceInformation,
                endToEndIdentification: submitted.endToEndIdentification,
                confirmedAt: submitted.confirmedAt))
    }

    /// The money is there if amount and currency are and fit each other.
    private func check(_ partial: PartialIntent) -> (money: Money?, errors: [FieldError]) {
        var errors: [FieldError] = []
        func note(_ field: IntentField, _ detail: String?) {
            if let detail { errors.append(FieldError(field, detail)) }
        }
        let currency = partial.currency.flatMap { currencies[$0] }
        var money: Money?

        note(.debtorIBAN, partial.debtorIBAN.flatMap(ibans.refusal(of:))?.detail)
        // Without a currency the amount has no scale to fit.
        if let amount = partial.amount, let currency {
            do {
                money = try Money(amount, currency)
            } catch {
                note(.amount, error.detail(currency: currency.code))
            }
        }
        if let code = partial.currency, currency == nil {
            note(
                .currency,
                "\(code) is no currency that is known here: send the ISO 4217 code of one, such as EUR."
            )
        }
        note(.creditorIBAN, partial.creditorIBAN.flatMap(ibans.refusal(of:))?.detail)
        note(.creditorName, refusal(of: partial.creditorName, creditorNameLength))
        note(
            .remittanceInformation,
            refusal(of: partial.remittanceInformation, remittanceInformationLength))
        note(
            .endToEndIdentification,
            refusal(
                of: partial.endToEndIdentification, endToEndIdentificationLength,
                isIdentifier: true))
        return (money, errors)
    }

    private func refusal(
        of text: String?, _ length: ClosedRange<Int>, isIdentifier: Bool = false
    ) -> String? {
        guard let text else { return nil }
        return TextRule(policy: characters, length: length, isIdentifier: isIdentifier)
            .refusal(of: normalizedText(text))
    }
}
