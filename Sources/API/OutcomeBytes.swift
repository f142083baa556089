import JSON
package import Ledger
package import Platform
package import Store

/// Renders the outcomes that are stored: the 201 and the refusals. Called inside the transaction.
package struct OutcomeBytes: OutcomeRenderer {
    package init() {}

    package func render(
        _ decision: StorableDecision, of intent: IntentID, requestID: String, at now: Instant
    ) -> RenderedOutcome {
        switch decision {
        case .executed(let transfer, let balance):
            var json = JSONWriter(reservingCapacity: 768)
            json.beginObject()
            json.transferMembers(transfer, status: transfer.state.publicName)
            json.member("createdAt", plain: transfer.createdAt.appendRFC3339)
            json.balance(balance, asOf: now)
            json.endObject()
            return RenderedOutcome(statusCode: 201, contentType: .json, body: json.finish())
        case .rejected(let transfer, let reason, let balance):
            let code = ProblemCode(reason)
            var json = Problem.begin(
                code, detail: reason.detail, instance: requestID)
            json.member("transferId", plain: transfer.id.uuid.append(textTo:))
            // `status` is the HTTP status in problem details, so the transfer's has its own name.
            json.member("transferStatus", transfer.state.publicName)
            if let balance { json.balance(balance, asOf: now) }
            json.endObject()
            return RenderedOutcome(
                statusCode: code.status, contentType: .problem, body: json.finish())
        case .revoked:
            var json = JSONWriter()
            json.revocation(intent, at: now)
            json.endObject()
            return RenderedOutcome(statusCode: 200, contentType: .json, body: json.finish())
        }
    }
}

extension ProblemCode {
    init(_ reason: RejectionReason) {
        self =
            switch reason {
            case .customerRestricted: .customerRestricted
            case .accountNotFound: .accountNotFound
            case .accountClosed: .accountClosed
            case .accountFrozen: .accountFrozen
            case .currencyNotSupported: .currencyNotSupported
            case .sameAccount: .sameAccount
            case .beneficiaryBlocked: .beneficiaryBlocked
            case .transferLimitExceeded: .transferLimitExceeded
            case .dailyLimitExceeded: .dailyLimitExceeded
            case .insufficientFunds: .insufficientFunds
            }
    }
}

extension RejectionReason {
    /// What to tell the customer, and what could be done.
    var detail: String {
        switch self {
        case .customerRestricted:
            "The bank has restricted this customer. Contact the bank."
        case .accountNotFound:
            "Send the IBAN of an account of the customer whose token this is."
        case .accountClosed: "Pay from another account."
        case .accountFrozen: "Pay from another account, or contact the bank."
        case .currencyNotSupported: "Send an amount in the currency of the debtor's account."
        case .sameAccount: "Send the IBAN of another account as the creditor's."
        case .beneficiaryBlocked: "The bank does not pay this beneficiary. Contact the bank."
        case .transferLimitExceeded: "Send a smaller amount, or have the limit raised."
        case .dailyLimitExceeded:
            "Send a smaller amount, wait for the next business day, or have the limit raised."
        case .insufficientFunds: "Send an amount that the balance covers."
        }
    }
}

extension JSONWriter {
    /// The members that every picture of a transfer begins with.
    mutating func transferMembers(_ transfer: TransferRow, status: String) {
        member("transferId", plain: transfer.id.uuid.append(textTo:))
        member("status", status)
        member("idempotencyKey", plain: transfer.intent.key.uuid.append(textTo:))
        beginObject("debtorAccount")
        member("iban", transfer.debtorIBAN.text)
        endObject()
        beginObject("instructedAmount")
        money(transfer.money)
        endObject()
        beginObject("creditorAccount")
        member("iban", transfer.creditorIBAN.text)
        endObject()
        member("creditorName", transfer.creditorName)
        if let text = transfer.remittanceInformation {
            member("remittanceInformationUnstructured", text)
        }
        if let text = transfer.endToEndIdentification { member("endToEndIdentification", text) }
    }

    /// What there is to say of a revoked intent; the object stays open.
    mutating func revocation(_ intent: IntentID, at revokedAt: Instant) {
        beginObject()
        member("status", TransferState.revoked.publicName)
        member("idempotencyKey", plain: intent.key.uuid.append(textTo:))
        member("revokedAt", plain: revokedAt.appendRFC3339)
    }

    mutating func balance(_ balance: Money, asOf: Instant) {
        beginObject("balance")
        money(balance)
        member("asOf", plain: asOf.appendRFC3339)
        endObject()
    }

    private mutating func money(_ money: Money) {
        member("currency", plain: money.currency.code.append(textTo:))
        member("amount", plain: money.appendDecimal)
    }
}
