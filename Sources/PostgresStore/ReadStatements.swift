/// What readers ask. Each is one statement, so that all its rows are of one committed state.
enum ReadStatements {
    /// This and the next: a transfer once for each of its events, newest first.
    static let transferOfKey = PreparedStatement(
        "transfer_of_key", [.text, .uuid],
        """
        WITH RECURSIVE history AS (
            SELECT e.customer_id, e.sequence, e.state, e.at, e.previous_sequence
            FROM transferd.outcomes AS o
            JOIN transferd.transfers AS t
                ON t.customer_id = o.customer_id AND t.transfer_id = o.transfer_id
            JOIN transferd.events AS e
                ON e.customer_id = t.customer_id AND e.sequence = t.last_sequence
            WHERE o.customer_id = $1 AND o.idempotency_key = $2
            UNION ALL
            SELECT e.customer_id, e.sequence, e.state, e.at, e.previous_sequence
            FROM history AS h JOIN transferd.events AS e
                ON e.customer_id = h.customer_id AND e.sequence = h.previous_sequence)
        SELECT \(Columns.transfer), o.received_at, h.state, h.at
        FROM transferd.outcomes AS o
        JOIN transferd.transfers AS t
            ON t.customer_id = o.customer_id AND t.transfer_id = o.transfer_id
        CROSS JOIN history AS h
        WHERE o.customer_id = $1 AND o.idempotency_key = $2
        ORDER BY h.sequence DESC
        """)

    static let transferByID = PreparedStatement(
        "transfer_by_id", [.text, .uuid],
        """
        WITH RECURSIVE history AS (
            SELECT e.customer_id, e.sequence, e.state, e.at, e.previous_sequence
            FROM transferd.transfers AS t
            JOIN transferd.events AS e
                ON e.customer_id = t.customer_id AND e.sequence = t.last_sequence
            WHERE t.customer_id = $1 AND t.transfer_id = $2
            UNION ALL
            SELECT e.customer_id, e.sequence, e.state, e.at, e.previous_sequence
            FROM history AS h JOIN transferd.events AS e
                ON e.customer_id = h.customer_id AND e.sequence = h.previous_sequence)
        SELECT \(Columns.transfer), o.received_at, h.state, h.at
        FROM transferd.transfers AS t
        LEFT JOIN transferd.outcomes AS o
            ON o.customer_id = t.customer_id AND o.idempotency_key = t.idempotency_key
        CROSS JOIN history AS h
        WHERE t.customer_id = $1 AND t.transfer_id = $2
        ORDER BY h.sequence DESC
        """)

    static let outcome = PreparedStatement(
        "outcome", [.text, .uuid],
        """
        SELECT \(Columns.transfer), \(Columns.outcome) FROM transferd.outcomes AS o
        LEFT JOIN transferd.transfers AS t
            ON t.customer_id = o.customer_id AND t.transfer_id = o.transfer_id
        WHERE o.customer_id = $1 AND o.idempotency_key = $2
        """)

    static let revocation = PreparedStatement(
        "revocation", [.text, .uuid],
        """
        SELECT o.received_at, o.committed_at FROM transferd.outcomes AS o
        WHERE o.customer_id = $1 AND o.idempotency_key = $2 AND o.kind = 4
        """)

    static let list = PreparedStatement(
        "list", [.text, .bigint, .bigint],
        """
        SELECT \(Columns.transfer), e.sequence FROM transferd.events AS e
        JOIN transferd.transfers AS t
            ON t.customer_id = e.customer_id AND t.transfer_id = e.transfer_id
        WHERE e.customer_id = $1 AND e.sequence < $2 AND e.previous_sequence IS NULL
        ORDER BY e.sequence DESC LIMIT $3
        """)

    static let accounts = PreparedStatement(
        "accounts", [.text],
        """
        SELECT \(Columns.account) FROM transferd.accounts AS a WHERE a.customer_id = $1
        ORDER BY a.opened_at, a.account_id
        """)

    static let account = PreparedStatement(
        "account", [.text, .uuid],
        """
        SELECT \(Columns.account) FROM transferd.accounts AS a
        WHERE a.customer_id = $1 AND a.account_id = $2
        """)

    static let bookings = PreparedStatement(
        "bookings", [.bigint, .bigint],
        """
        SELECT o.outbox_id, o.customer_id, o.transfer_id, t.currency, t.amount, i.customer_id,
               i.account_id
        FROM transferd.outbox AS o
        JOIN transferd.transfers AS t
            ON t.customer_id = o.customer_id AND t.transfer_id = o.transfer_id
        LEFT JOIN transferd.account_ibans AS i ON i.iban = t.creditor_iban
        WHERE o.connector = 1 AND o.outbox_id > $1 ORDER BY o.outbox_id LIMIT $2
        """)

    static let revocations = PreparedStatement(
        "revocations", [], "SELECT r.kind, r.value, r.revoked_at FROM transferd.revocations AS r")
}
