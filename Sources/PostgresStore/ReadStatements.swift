/// What readers ask. Each is one statement, so that all its rows are of one committed state.
enum ReadStatements {
    /// Each event of the one transfer in `wanted`, from the newest back.
    private static let history = """
        history AS (
            SELECT e.* FROM wanted AS w CROSS JOIN LATERAL (
                SELECT e.customer_id, e.sequence, e.state, e.at, e.previous_sequence
                FROM transferd.events AS e
                WHERE e.customer_id = w.customer_id AND e.sequence = w.last_sequence
                LIMIT 1) AS e
            UNION ALL
            SELECT e.* FROM history AS h CROSS JOIN LATERAL (
                SELECT e.customer_id, e.sequence, e.state, e.at, e.previous_sequence
                FROM transferd.events AS e
                WHERE e.customer_id = h.customer_id AND e.sequence = h.previous_sequence
                LIMIT 1) AS e)
        SELECT w.*, h.state, h.at FROM wanted AS w CROSS JOIN history AS h ORDER BY h.sequence DESC
        """

    /// This and the next: a transfer once for each of its events, newest first.
    static let transferOfKey = PreparedStatement(
        "transfer_of_key", [.text, .uuid],
        """
        WITH RECURSIVE wanted AS (
            SELECT \(Columns.transfer), o.received_at
            FROM transferd.outcomes AS o
            CROSS JOIN LATERAL (
                SELECT * FROM transferd.transfers AS t
                WHERE t.customer_id = o.customer_id AND t.transfer_id = o.transfer_id
                LIMIT 1) AS t
            WHERE o.customer_id = $1 AND o.idempotency_key = $2),
        \(history)
        """)

    static let transferByID = PreparedStatement(
        "transfer_by_id", [.text, .uuid],
        """
        WITH RECURSIVE wanted AS (
            SELECT \(Columns.transfer), o.received_at
            FROM transferd.transfers AS t
            LEFT JOIN LATERAL (
                SELECT o.received_at FROM transferd.outcomes AS o
                WHERE o.customer_id = t.customer_id AND o.idempotency_key = t.idempotency_key
                LIMIT 1) AS o ON true
            WHERE t.customer_id = $1 AND t.transfer_id = $2),
        \(history)
        """)

    static let outcome = PreparedStatement(
        "outcome", [.text, .uuid],
        """
        SELECT \(Columns.transfer), \(Columns.outcome) FROM transferd.outcomes AS o
        LEFT JOIN LATERAL (
            SELECT * FROM transferd.transfers AS t
            WHERE t.customer_id = o.customer_id AND t.transfer_id = o.transfer_id
            LIMIT 1) AS t ON true
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
        CROSS JOIN LATERAL (
            SELECT * FROM transferd.transfers AS t
            WHERE t.customer_id = e.customer_id AND t.transfer_id = e.transfer_id LIMIT 1) AS t
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
        CROSS JOIN LATERAL (
            SELECT * FROM transferd.transfers AS t
            WHERE t.customer_id = o.customer_id AND t.transfer_id = o.transfer_id LIMIT 1) AS t
        LEFT JOIN LATERAL (
            SELECT * FROM transferd.account_ibans AS i WHERE i.iban = t.creditor_iban
            LIMIT 1) AS i ON true
        WHERE o.connector = 1 AND o.outbox_id > $1 ORDER BY o.outbox_id LIMIT $2
        """)

    static let revocations = PreparedStatement(
        "revocations", [], "SELECT r.kind, r.value, r.revoked_at FROM transferd.revocations AS r")

    /// A test holds their plans.
    static let all = [
        transferOfKey, transferByID, outcome, revocation, list, accounts, account, bookings,
        revocations,
    ]
}
