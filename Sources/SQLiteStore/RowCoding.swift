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

    static let selectOutcome = """
        SELECT kind, fingerprint, fingerprint_version, transfer_id, status_code, content_type,
               body, received_at
        FROM outcomes WHERE customer_id = ? AND idempotency_key = ?
        """

    static let selectTransferColumns = """
        SELECT t.transfer_id, t.customer_id, t.idempotency_key, t.state, t.reason, t.debtor_iban,
               t.debtor_account_id, t.currency, t.amount, t.creditor_iban, t.creditor_name,
               t.remittance_information, t.end_to_end_identification, t.confirmed_at,
               t.request_id, t.business_day, t.posting_id, t.return_posting_id, t.last_sequence,
               t.created_at, t.updated_at
        """

    static let selectTransfer = selectTransferColumns + " FROM transfers AS t"
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

    func outcome() throws(SQLiteError) -> StoredOutcome {
        StoredOutcome(
            kind: try value(0, as: OutcomeKind.self), statusCode: Int(integer(4)),
            contentType: try value(5, as: StoredContentType.self), body: bytes(6),
            transfer: try optionalUUID(3).map { TransferID($0) },
            fingerprint: isNull(1)
                ? nil : Fingerprint(version: Int16(integer(2)), digest: try digest(1)),
            receivedAt: instant(7))
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
