/// The statements that write a plan's rows: each row once, one array for each column.
///
/// Plain inserts: COMMIT travels in the same flush, so that a unique violation has to undo the
/// batch, not to be counted.
enum WriteStatements {
    static let customers = PreparedStatement(
        "insert_customers", [.textArray, .timestamp],
        """
        INSERT INTO transferd.customers (customer_id, created_at) SELECT unnest($1), $2
        """)

    static let accounts = PreparedStatement(
        "insert_accounts",
        [.textArray, .uuidArray, .textArray, .textArray, .bigintArray, .bigintArray, .timestamp],
        """
        INSERT INTO transferd.accounts (customer_id, account_id, iban, currency,
                                        per_transfer_limit, daily_limit, opened_at)
        SELECT *, $7 FROM unnest($1, $2, $3, $4, $5, $6)
        """)

    static let directory = PreparedStatement(
        "insert_directory", [.textArray, .textArray, .uuidArray],
        """
        INSERT INTO transferd.account_ibans (iban, customer_id, account_id)
        SELECT * FROM unnest($1, $2, $3)
        """)

    static let outcomes = PreparedStatement(
        "insert_outcomes",
        [
            .textArray, .uuidArray, .smallintArray, .bytesArray, .smallintArray, .uuidArray,
            .smallintArray, .smallintArray, .bytesArray, .timestampArray, .timestamp,
        ],
        """
        INSERT INTO transferd.outcomes (customer_id, idempotency_key, kind, fingerprint,
                                        fingerprint_version, transfer_id, status_code,
                                        content_type, body, received_at, committed_at)
        SELECT *, $11 FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        """)

    static let transfers = PreparedStatement(
        "insert_transfers",
        [
            .textArray, .uuidArray, .uuidArray, .smallintArray, .smallintArray, .textArray,
            .uuidArray, .textArray, .bigintArray, .textArray, .textArray, .textArray, .textArray,
            .timestampArray, .textArray, .dateArray, .bigintArray, .bigintArray, .timestamp,
        ],
        """
        INSERT INTO transferd.transfers (customer_id, transfer_id, idempotency_key, state, reason,
                                         debtor_iban, debtor_account_id, currency, amount,
                                         creditor_iban, creditor_name, remittance_information,
                                         end_to_end_identification, confirmed_at, request_id,
                                         business_day, posting_id, last_sequence, created_at,
                                         updated_at)
        SELECT *, $19, $19 FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
                                       $15, $16, $17, $18)
        """)

    static let postings = PreparedStatement(
        "insert_postings",
        [
            .textArray, .bigintArray, .uuidArray, .smallintArray, .uuidArray, .textArray,
            .bigintArray, .bigintArray, .timestamp,
        ],
        """
        INSERT INTO transferd.postings (customer_id, posting_id, entry_id, ledger_account,
                                        account_id, currency, amount, previous_posting_id,
                                        created_at)
        SELECT *, $9 FROM unnest($1, $2, $3, $4, $5, $6, $7, $8)
        """)

    static let outbox = PreparedStatement(
        "insert_outbox", [.textArray, .uuidArray, .smallintArray],
        """
        INSERT INTO transferd.outbox (customer_id, transfer_id, connector)
        SELECT * FROM unnest($1, $2, $3)
        """)

    static let events = PreparedStatement(
        "insert_events",
        [.textArray, .bigintArray, .uuidArray, .smallintArray, .bigintArray, .timestamp],
        """
        INSERT INTO transferd.events (customer_id, sequence, transfer_id, state, previous_sequence,
                                      at)
        SELECT *, $6 FROM unnest($1, $2, $3, $4, $5)
        """)

    static let credits = PreparedStatement(
        "insert_credits",
        [
            .textArray, .uuidArray, .uuidArray, .smallintArray, .smallintArray, .bigintArray,
            .timestamp,
        ],
        """
        INSERT INTO transferd.credits (customer_id, transfer_id, account_id, decision, reason,
                                       posting_id, decided_at)
        SELECT *, $7 FROM unnest($1, $2, $3, $4, $5, $6)
        """)

    static let changedTransfers = PreparedStatement(
        "update_transfers",
        [
            .textArray, .uuidArray, .smallintArray, .smallintArray, .bigintArray, .bigintArray,
            .timestampArray,
        ],
        """
        UPDATE transferd.transfers AS t
        SET state = w.state, reason = w.reason, return_posting_id = w.return_posting_id,
            last_sequence = w.last_sequence, updated_at = w.updated_at
        FROM unnest($1, $2, $3, $4, $5, $6, $7)
            AS w (customer_id, transfer_id, state, reason, return_posting_id, last_sequence,
                  updated_at)
        WHERE t.customer_id = w.customer_id AND t.transfer_id = w.transfer_id
            AND t.customer_id = ANY ($1) AND t.transfer_id = ANY ($2)
        """)

    static let changedAccounts = PreparedStatement(
        "update_accounts",
        [
            .textArray, .uuidArray, .smallintArray, .bigintArray, .bigintArray, .bigintArray,
            .dateArray, .bigintArray, .bigintArray,
        ],
        """
        UPDATE transferd.accounts AS a
        SET status = w.status, balance = w.balance, per_transfer_limit = w.per_transfer_limit,
            daily_limit = w.daily_limit, usage_day = w.usage_day, used_today = w.used_today,
            last_posting_id = w.last_posting_id
        FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)
            AS w (customer_id, account_id, status, balance, per_transfer_limit, daily_limit,
                  usage_day, used_today, last_posting_id)
        WHERE a.customer_id = w.customer_id AND a.account_id = w.account_id
            AND a.customer_id = ANY ($1) AND a.account_id = ANY ($2)
        """)

    static let changedCustomers = PreparedStatement(
        "update_customers", [.textArray, .smallintArray],
        """
        UPDATE transferd.customers AS c SET restricted = w.restricted <> 0
        FROM unnest($1, $2) AS w (customer_id, restricted)
        WHERE c.customer_id = w.customer_id AND c.customer_id = ANY ($1)
        """)

    /// Only of transfers that have ended.
    static let finishedOutbox = PreparedStatement(
        "delete_outbox", [.textArray, .bigintArray],
        """
        DELETE FROM transferd.outbox AS o USING unnest($1, $2) AS w (customer_id, outbox_id)
        WHERE o.customer_id = w.customer_id AND o.outbox_id = w.outbox_id
            AND o.customer_id = ANY ($1) AND (
                SELECT t.state IN (4, 5, 7, 8) FROM transferd.transfers AS t
                WHERE t.customer_id = o.customer_id AND t.transfer_id = o.transfer_id)
        """)

    /// A revoked intent has no transfer to point to: its few bytes stay.
    static let retire = PreparedStatement(
        "retire", [.timestamp, .bigint],
        """
        UPDATE transferd.outcomes AS o SET body = NULL
        WHERE o.ctid = ANY (ARRAY(
            SELECT old.ctid FROM transferd.outcomes AS old
            WHERE old.body IS NOT NULL AND old.kind <> 4 AND old.committed_at < $1
            ORDER BY old.committed_at LIMIT $2 FOR UPDATE SKIP LOCKED))
        """)

    /// Whether `retire` would find anything. Read, not written.
    static let retirable = PreparedStatement(
        "retirable", [.timestamp],
        """
        SELECT FROM transferd.outcomes AS o
        WHERE o.body IS NOT NULL AND o.kind <> 4 AND o.committed_at < $1 LIMIT 1
        """)

    /// A test holds their plans.
    static let all = [
        customers, accounts, directory, outcomes, transfers, postings, outbox, events, credits,
        changedTransfers, changedAccounts, changedCustomers, finishedOutbox, retire, retirable,
    ]
}
