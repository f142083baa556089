import CSQLite
import Crypto
import Ledger
import Platform
import Store

/// Column lists that more than one statement shares.
enum SQL {
    static let selectAccount = """
        SELECT customer_id, account_id, iban, currency, status, balance, per_transfer_limit,
               daily_limit, usage_day, used_today, last_posting_id
        FROM accounts
        """

    static let selectTransfer = """
        SELECT transfer_id, customer_id, idempotency_key, state, reason, debtor_iban,
               debtor_account_id, currency, amount, creditor_iban, creditor_name,
               remittance_information, end_to_end_identification, confirmed_at, request_id,
               business_day, posting_id, return_posting_id, last_sequence, created_at, updated_at
        FROM transfers
        """
}

extension Row {
    func account() throws(SQLiteError) -> AccountRow {
        AccountRow(
            id: AccountID(try uuid(1)), customer: try customer(0), iban: try iban(2),
            currency: try currency(3), status: try value(4, as: AccountStatus.self),
            balance: integer(5), perTransferLimit: optionalInteger(6),
            dailyLimit: optionalInteger(7), usageDay: integer(8), usedToday: integer(9),
            lastPosting: optionalInteger(10))
    }

    func transfer() throws(SQLiteError) -> TransferRow {
        let state = try value(3, as: TransferState.self)
        return TransferRow(
            id: TransferID(try uuid(0)),
            intent: IntentID(customer: try customer(1), key: IdempotencyKey(try uuid(2))),
            state: state,
            rejection: state == .rejected ? try value(4, as: RejectionReason.self) : nil,
            returned: state == .returned ? try value(4, as: ReturnReason.self) : nil,
            debtorIBAN: try iban(5), debtorAccount: try optionalUUID(6).map { AccountID($0) },
            money: Money(minorUnits: integer(8), currency: try currency(7)),
            creditorIBAN: try iban(9), creditorName: text(10),
            remittanceInformation: optionalText(11), endToEndIdentification: optionalText(12),
            confirmedAt: isNull(13) ? nil : instant(13), requestID: text(14),
            businessDay: integer(15), posting: optionalInteger(16),
            returnPosting: optionalInteger(17), lastSequence: integer(18), createdAt: instant(19),
            updatedAt: instant(20))
    }

    func creditDecision(_ column: Int32, reason: Int32) throws(SQLiteError) -> CreditDecision {
        integer(column) == 1 ? .credited : .refused(try value(reason, as: ReturnReason.self))
    }

    func digest(_ column: Int32) throws(SQLiteError) -> Digest256 {
        guard let digest = Digest256(bytes: bytes(column)) else {
            throw SQLiteError(
                operation: "read fingerprint", code: SQLITE_CORRUPT,
                message: "the stored value is not a SHA-256 digest")
        }
        return digest
    }
}

extension TransferRow {
    /// What the first attempt asked for, as far as it is fingerprinted.
    var submitted: SubmittedIntent? {
        // Without the zeros that the currency adds: with them the largest amounts have more digits
        // than an instructed amount may have.
        var decimal = money.decimal[...]
        if decimal.contains(".") {
            while decimal.last == "0" { decimal.removeLast() }
            if decimal.last == "." { decimal.removeLast() }
        }
        guard let amount = try? DecimalAmount(String(decimal)) else { return nil }
        return SubmittedIntent(
            debtorIBAN: debtorIBAN, amount: amount, currency: money.currency.code,
            creditorIBAN: creditorIBAN, creditorName: creditorName,
            remittanceInformation: remittanceInformation,
            endToEndIdentification: endToEndIdentification, confirmedAt: confirmedAt)
    }
}
