import Ledger
import Platform
import Store

/// Column lists that more than one statement shares.
enum Columns {
    static let account = """
        a.customer_id, a.account_id, a.iban, a.currency, a.status, a.balance,
        a.per_transfer_limit, a.daily_limit, a.usage_day, a.used_today, a.last_posting_id
        """

    static let outcome = """
        o.kind, o.fingerprint, o.fingerprint_version, o.transfer_id, o.status_code, o.content_type,
        o.body, o.received_at
        """

    /// So many columns; others may follow.
    static let transferCount: Int32 = 21
    static let transfer = """
        t.transfer_id, t.customer_id, t.idempotency_key, t.state, t.reason, t.debtor_iban,
        t.debtor_account_id, t.currency, t.amount, t.creditor_iban, t.creditor_name,
        t.remittance_information, t.end_to_end_identification, t.confirmed_at, t.request_id,
        t.business_day, t.posting_id, t.return_posting_id, t.last_sequence, t.created_at,
        t.updated_at
        """
}

extension Row {
    /// `Columns.account` from the first column on.
    func account() throws(PostgresError) -> AccountRow {
        AccountRow(
            id: AccountID(try uuid(1)), customer: try customer(0), iban: try iban(2),
            currency: try currency(3), status: try value(4, as: AccountStatus.self),
            balance: integer(5), perTransferLimit: optionalInteger(6),
            dailyLimit: optionalInteger(7), usageDay: day(8), usedToday: integer(9),
            lastPosting: optionalInteger(10))
    }

    /// `Columns.transfer` from the first column on.
    func transfer() throws(PostgresError) -> TransferRow {
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
            confirmedAt: optionalInstant(13), requestID: text(14),
            businessDay: day(15), posting: optionalInteger(16),
            returnPosting: optionalInteger(17), lastSequence: integer(18), createdAt: instant(19),
            updatedAt: instant(20))
    }

    /// `Columns.outcome` from column `first` on.
    func outcome(from first: Int32 = 0) throws(PostgresError) -> StoredOutcome {
        StoredOutcome(
            kind: try value(first, as: OutcomeKind.self), statusCode: Int(integer(first + 4)),
            contentType: try value(first + 5, as: StoredContentType.self), body: bytes(first + 6),
            transfer: try optionalUUID(first + 3).map { TransferID($0) },
            fingerprint: isNull(first + 1)
                ? nil
                : Fingerprint(
                    version: Int16(truncatingIfNeeded: integer(first + 2)),
                    digest: try digest(first + 1)),
            receivedAt: instant(first + 7))
    }

    func creditDecision(_ column: Int32, reason: Int32) throws(PostgresError) -> CreditDecision {
        integer(column) == 1 ? .credited : .refused(try value(reason, as: ReturnReason.self))
    }
}
