/// The statements of a batch and of the first lines of a transaction.
enum Statements {
    // MARK: Transactions

    static let begin = PreparedStatement(
        "begin", [], "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
    static let beginReading = PreparedStatement(
        "begin_reading", [], "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    static let commit = PreparedStatement("commit", [], "COMMIT")

    /// Nothing depends on what a session, a role or a database has set: each transaction says what
    /// it needs. $1: how long a lock is waited for.
    ///
    /// A plan that was made on an empty table would read all of it for ever: so indexes always, one
    /// plan for all executions, and in each statement look-ups that can go one way only, by LATERAL
    /// with a LIMIT.
    static let settings = PreparedStatement(
        "settings", [.text],
        """
        SELECT set_config('synchronous_commit', 'on', true),
               set_config('lock_timeout', $1, true),
               set_config('statement_timeout', '0', true),
               set_config('idle_in_transaction_session_timeout', '5000', true),
               set_config('plan_cache_mode', 'force_generic_plan', true),
               set_config('enable_seqscan', 'off', true),
               set_config('enable_hashjoin', 'off', true),
               set_config('enable_mergejoin', 'off', true),
               set_config('jit', 'off', true)
        """)

    // MARK: Locks

    /// The places, from 1, of the hashes whose lock somebody else has.
    static let tryKeys = PreparedStatement(
        "try_keys", [.bigintArray],
        """
        SELECT k.place FROM unnest($1) WITH ORDINALITY AS k (hash, place)
        WHERE NOT pg_try_advisory_xact_lock(k.hash)
        """)

    /// Locks the customers whose keys are ours and have no outcome yet, in the order of their ids. A
    /// stored outcome never changes, so that a replay needs no lock and its commit no fsync; who is
    /// in flight elsewhere is told so without a wait. A key's lock that this transaction has is had
    /// again. In two forms: one waits, one leaves out those that somebody else has locked.
    static let lockCustomers = PreparedStatement(
        "lock_customers", [.textArray, .uuidArray, .bigintArray], lockSQL)
    static let lockFreeCustomers = PreparedStatement(
        "lock_free_customers", [.textArray, .uuidArray, .bigintArray], lockSQL + " SKIP LOCKED")
    private static let lockSQL = """
        SELECT c.customer_id, c.restricted FROM (
            SELECT DISTINCT w.customer_id
            FROM unnest($1, $2, $3) AS w (customer_id, idempotency_key, hash)
            LEFT JOIN LATERAL (
                SELECT true AS is_stored FROM transferd.outcomes AS o
                WHERE o.customer_id = w.customer_id AND o.idempotency_key = w.idempotency_key
                LIMIT 1) AS o ON true
            WHERE o.is_stored IS NULL
                AND (w.hash IS NULL OR pg_try_advisory_xact_lock(w.hash))) AS w
        JOIN transferd.customers AS c ON c.customer_id = w.customer_id
        WHERE c.customer_id = ANY ($1)
        ORDER BY c.customer_id FOR NO KEY UPDATE OF c
        """

    /// Which of these customers there are; also those who are not locked.
    static let customers = PreparedStatement(
        "customers", [.textArray],
        "SELECT c.customer_id FROM transferd.customers AS c WHERE c.customer_id = ANY ($1)")

    // MARK: Loading

    /// The database's time, after the locks; and how far its log has got, where it tells.
    static let clock = PreparedStatement("clock", [], "SELECT clock_timestamp(), 0::bigint")
    static let clockAndPosition = PreparedStatement(
        "clock_and_position", [],
        "SELECT clock_timestamp(), (pg_current_wal_insert_lsn() - '0/0')::bigint")

    static let outcomes = PreparedStatement(
        "outcomes", [.textArray, .uuidArray],
        """
        SELECT w.place, \(Columns.outcome)
        FROM unnest($1, $2) WITH ORDINALITY AS w (customer_id, idempotency_key, place)
        CROSS JOIN LATERAL (
            SELECT * FROM transferd.outcomes AS o
            WHERE o.customer_id = w.customer_id AND o.idempotency_key = w.idempotency_key
            LIMIT 1) AS o
        """)

    static let directory = PreparedStatement(
        "directory", [.textArray],
        """
        SELECT i.iban, i.customer_id, i.account_id FROM transferd.account_ibans AS i
        WHERE i.iban = ANY ($1)
        """)

    /// Accounts by owner and IBAN.
    static let accountsByIBAN = PreparedStatement(
        "accounts_by_iban", [.textArray, .textArray],
        """
        SELECT \(Columns.account) FROM unnest($1, $2) AS w (customer_id, iban)
        CROSS JOIN LATERAL (
            SELECT * FROM transferd.account_ibans AS i
            WHERE i.iban = w.iban AND i.customer_id = w.customer_id LIMIT 1) AS i
        CROSS JOIN LATERAL (
            SELECT * FROM transferd.accounts AS a
            WHERE a.customer_id = i.customer_id AND a.account_id = i.account_id LIMIT 1) AS a
        """)

    /// Accounts by owner and id.
    static let accountsByID = PreparedStatement(
        "accounts_by_id", [.textArray, .uuidArray],
        """
        SELECT \(Columns.account) FROM unnest($1, $2) AS w (customer_id, account_id)
        CROSS JOIN LATERAL (
            SELECT * FROM transferd.accounts AS a
            WHERE a.customer_id = w.customer_id AND a.account_id = w.account_id LIMIT 1) AS a
        """)

    /// The debtors' accounts of transfers.
    static let accountsOfTransfers = PreparedStatement(
        "accounts_of_transfers", [.textArray, .uuidArray],
        """
        SELECT \(Columns.account) FROM unnest($1, $2) AS w (customer_id, transfer_id)
        CROSS JOIN LATERAL (
            SELECT * FROM transferd.transfers AS t
            WHERE t.customer_id = w.customer_id AND t.transfer_id = w.transfer_id LIMIT 1) AS t
        CROSS JOIN LATERAL (
            SELECT * FROM transferd.accounts AS a
            WHERE a.customer_id = t.customer_id AND a.account_id = t.debtor_account_id LIMIT 1) AS a
        """)

    /// How many payments from each account have not ended.
    static let underWay = PreparedStatement(
        "under_way", [.textArray, .uuidArray],
        """
        SELECT w.account_id, t.count FROM unnest($1, $2) AS w (customer_id, account_id)
        CROSS JOIN LATERAL (
            SELECT count(*) FROM transferd.transfers AS t
            WHERE t.customer_id = w.customer_id AND t.debtor_account_id = w.account_id
                AND t.state IN (1, 2, 3, 6)) AS t
        """)

    /// The number of each customer's newest event.
    static let sequences = PreparedStatement(
        "sequences", [.textArray],
        """
        SELECT w.customer_id, e.sequence FROM unnest($1) AS w (customer_id)
        CROSS JOIN LATERAL (
            SELECT e.sequence FROM transferd.events AS e WHERE e.customer_id = w.customer_id
            ORDER BY e.sequence DESC LIMIT 1) AS e
        """)

    static let blocked = PreparedStatement(
        "blocked", [.textArray],
        "SELECT b.iban FROM transferd.blocked_beneficiaries AS b WHERE b.iban = ANY ($1)")

    static let transfers = PreparedStatement(
        "transfers", [.textArray, .uuidArray],
        """
        SELECT \(Columns.transfer) FROM unnest($1, $2) AS w (customer_id, transfer_id)
        CROSS JOIN LATERAL (
            SELECT * FROM transferd.transfers AS t
            WHERE t.customer_id = w.customer_id AND t.transfer_id = w.transfer_id LIMIT 1) AS t
        """)

    static let credits = PreparedStatement(
        "credits", [.textArray, .uuidArray],
        """
        SELECT c.customer_id, c.transfer_id, c.account_id, c.decision, c.reason, c.posting_id
        FROM unnest($1, $2) AS w (customer_id, transfer_id)
        CROSS JOIN LATERAL (
            SELECT * FROM transferd.credits AS c
            WHERE c.customer_id = w.customer_id AND c.transfer_id = w.transfer_id LIMIT 1) AS c
        """)

    /// The first id of a block that nobody else gets.
    static let postingBlock = PreparedStatement(
        "posting_block", [], "SELECT nextval('transferd.posting_blocks')")
    static let postingBlockSize: Int64 = 65_536

    /// A real write where there is nothing else to write.
    static let writeProof = PreparedStatement(
        "write_proof", [], "UPDATE transferd.write_proof SET proven_at = clock_timestamp()")

    /// Those that look something up; a test holds their plans.
    static let lookUps = [
        tryKeys, lockCustomers, lockFreeCustomers, customers, outcomes, directory, accountsByIBAN,
        accountsByID, accountsOfTransfers, underWay, sequences, blocked, transfers, credits,
        writeProof,
    ]
}
