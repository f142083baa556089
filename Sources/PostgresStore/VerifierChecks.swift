import Ledger
import Store

/// One check of the whole ledger as one statement: it answers a line for each damage. Rows are
/// compared with each other, never with what a balance or a counter says of itself.
struct VerifierCheck {
    let check: VerificationCheck
    /// Counts the rows that are looked at.
    let rows: String
    /// Selects one text for each damage.
    let damages: String

    static let all: [VerifierCheck] =
        postings + accounts + transfers + events + directory

    /// What the ledger says of states, as SQL lists.
    private static let terminalStates =
        TransferState.allCases.filter(\.isTerminal).map { String($0.rawValue) }
        .joined(separator: ", ")
    private static let steps = TransferState.allCases.flatMap { from in
        TransferState.allCases.filter { from.canMove(to: $0) }
            .map { "(\(from.rawValue), \($0.rawValue))" }
    }.joined(separator: ", ")

    private static let postings = [
        VerifierCheck(
            check: .postingPairs, rows: "SELECT count(*) FROM transferd.postings",
            damages: """
                SELECT format('postings %s are no pair that sums to zero',
                              string_agg(posting_id::text, ' and ' ORDER BY posting_id))
                FROM transferd.postings GROUP BY (posting_id + 1) / 2
                HAVING count(*) <> 2 OR sum(amount) <> 0
                    OR min(customer_id) <> max(customer_id) OR min(currency) <> max(currency)
                    OR min(entry_id::text) <> max(entry_id::text)
                    OR count(*) FILTER (WHERE ledger_account = 0 AND posting_id % 2 = 1) <> 1
                    OR count(*) FILTER (WHERE ledger_account <> 0 AND posting_id % 2 = 0) <> 1
                """),
        VerifierCheck(
            check: .currencyTotals,
            rows: "SELECT count(DISTINCT currency) FROM transferd.postings",
            damages: """
                SELECT format('the postings in %s sum to %s minor units', currency, sum(amount))
                FROM transferd.postings GROUP BY currency HAVING sum(amount) <> 0
                """),
        VerifierCheck(
            check: .postingEntries,
            rows: "SELECT count(*) FROM transferd.postings WHERE posting_id % 2 = 1",
            damages: """
                SELECT format('posting %s of entry %s is named neither as an execution, a return '
                              'or a credit nor as an opening', p.posting_id, p.entry_id)
                FROM transferd.postings AS p
                JOIN transferd.postings AS c
                    ON c.customer_id = p.customer_id AND c.posting_id = p.posting_id + 1
                LEFT JOIN transferd.transfers AS t ON t.transfer_id = p.entry_id
                LEFT JOIN transferd.credits AS r
                    ON r.customer_id = p.customer_id AND r.transfer_id = p.entry_id
                WHERE p.posting_id % 2 = 1 AND NOT CASE
                    WHEN c.ledger_account = 2 THEN
                        t.transfer_id IS NULL AND p.previous_posting_id IS NULL AND p.amount > 0
                    ELSE coalesce(
                        p.currency = t.currency AND (
                            p.posting_id = t.posting_id AND p.customer_id = t.customer_id
                                AND p.account_id = t.debtor_account_id AND p.amount = -t.amount
                            OR p.posting_id = t.return_posting_id AND p.customer_id = t.customer_id
                                AND p.account_id = t.debtor_account_id AND p.amount = t.amount
                            OR p.posting_id = r.posting_id AND p.account_id = r.account_id
                                AND p.amount = t.amount), false)
                    END
                """),
    ]

    private static let accounts = [
        VerifierCheck(
            check: .accountBalances, rows: "SELECT count(*) FROM transferd.accounts",
            damages: """
                SELECT format('account %s has a balance of %s, its postings sum to %s',
                              coalesce(a.account_id, p.account_id), a.balance, p.amount)
                FROM transferd.accounts AS a
                FULL JOIN (
                    SELECT customer_id, account_id, sum(amount) AS amount,
                           min(currency) AS currency, max(currency) AS other
                    FROM transferd.postings WHERE ledger_account = 0
                    GROUP BY customer_id, account_id) AS p
                    ON p.customer_id = a.customer_id AND p.account_id = a.account_id
                WHERE a.account_id IS NULL OR a.balance < 0
                    OR a.balance <> coalesce(p.amount, 0)
                    OR p.currency <> a.currency OR p.other <> a.currency
                """),
        VerifierCheck(
            check: .postingChains,
            rows: "SELECT count(*) FROM transferd.postings WHERE ledger_account = 0",
            damages: """
                SELECT format('posting %s is not on the chain of account %s', c.posting_id,
                              c.account_id)
                FROM (
                    SELECT p.*, lag(p.posting_id) OVER accounts AS before,
                           lead(p.posting_id) OVER accounts AS after
                    FROM transferd.postings AS p WHERE p.ledger_account = 0
                    WINDOW accounts AS (
                        PARTITION BY p.customer_id, p.account_id ORDER BY p.posting_id)) AS c
                LEFT JOIN transferd.accounts AS a
                    ON a.customer_id = c.customer_id AND a.account_id = c.account_id
                WHERE c.previous_posting_id IS DISTINCT FROM c.before
                    OR c.after IS NULL AND a.last_posting_id IS DISTINCT FROM c.posting_id
                UNION ALL
                SELECT format('account %s names posting %s, which is not there', a.account_id,
                              a.last_posting_id)
                FROM transferd.accounts AS a
                LEFT JOIN transferd.postings AS p
                    ON p.customer_id = a.customer_id AND p.posting_id = a.last_posting_id
                WHERE a.last_posting_id IS NOT NULL AND p.posting_id IS NULL
                """),
        VerifierCheck(
            check: .dailyUsage, rows: "SELECT count(*) FROM transferd.accounts",
            damages: """
                SELECT format('account %s counts %s for %s, its transfers of that day sum to %s',
                              a.account_id, a.used_today, a.usage_day, coalesce(sum(t.amount), 0))
                FROM transferd.accounts AS a
                LEFT JOIN transferd.transfers AS t
                    ON t.customer_id = a.customer_id AND t.debtor_account_id = a.account_id
                    AND t.posting_id IS NOT NULL AND t.business_day >= a.usage_day
                GROUP BY a.customer_id, a.account_id
                HAVING a.used_today <> coalesce(sum(t.amount), 0)
                    OR max(t.business_day) > a.usage_day
                """),
    ]

    private static let transfers = [
        VerifierCheck(
            check: .transitBalances, rows: "SELECT count(*) FROM transferd.transfers",
            damages: """
                SELECT format('transfer %s is in state %s with %s minor units in transit, not %s',
                              t.transfer_id, t.state, coalesce(p.amount, 0), e.amount)
                FROM transferd.transfers AS t
                LEFT JOIN (
                    SELECT entry_id, sum(amount) AS amount, min(currency) AS currency,
                           max(currency) AS other
                    FROM transferd.postings WHERE ledger_account = 1 GROUP BY entry_id) AS p
                    ON p.entry_id = t.transfer_id
                LEFT JOIN (
                    SELECT transfer_id FROM transferd.credits WHERE decision = 1
                    GROUP BY transfer_id) AS c ON c.transfer_id = t.transfer_id
                CROSS JOIN LATERAL (
                    SELECT CASE WHEN t.posting_id IS NOT NULL AND c.transfer_id IS NULL
                                     AND t.state NOT IN (\(terminalStates))
                           THEN t.amount ELSE 0 END) AS e (amount)
                WHERE coalesce(p.amount, 0) <> e.amount OR p.currency <> t.currency
                    OR p.other <> t.currency
                """),
        VerifierCheck(
            check: .transferOutcomes, rows: "SELECT count(*) FROM transferd.transfers",
            damages: """
                SELECT format('transfer %s is not its key''s outcome', t.transfer_id)
                FROM transferd.transfers AS t
                LEFT JOIN transferd.outcomes AS o
                    ON o.customer_id = t.customer_id AND o.idempotency_key = t.idempotency_key
                WHERE o.transfer_id IS DISTINCT FROM t.transfer_id
                """),
        VerifierCheck(
            check: .outcomes, rows: "SELECT count(*) FROM transferd.outcomes",
            damages: """
                SELECT format('the outcome of key %s of customer %s has kind %s, its transfer %s '
                              'state %s', o.idempotency_key, o.customer_id, o.kind, o.transfer_id,
                              t.state)
                FROM transferd.outcomes AS o
                LEFT JOIN transferd.transfers AS t
                    ON t.customer_id = o.customer_id AND t.transfer_id = o.transfer_id
                WHERE CASE o.kind WHEN 4 THEN o.transfer_id IS NOT NULL ELSE
                    t.idempotency_key IS DISTINCT FROM o.idempotency_key
                    OR o.kind <> CASE t.state WHEN 7 THEN 2 WHEN 8 THEN 3 ELSE 1 END END
                UNION ALL
                SELECT format('key %s of customer %s has %s outcomes', idempotency_key, customer_id,
                              count(*))
                FROM transferd.outcomes GROUP BY customer_id, idempotency_key HAVING count(*) > 1
                """),
        VerifierCheck(
            check: .credits, rows: "SELECT count(*) FROM transferd.credits",
            damages: """
                SELECT format('the credit of transfer %s to customer %s does not fit its transfer '
                              'or its posting', r.transfer_id, r.customer_id)
                FROM transferd.credits AS r
                LEFT JOIN transferd.transfers AS t ON t.transfer_id = r.transfer_id
                LEFT JOIN transferd.account_ibans AS i ON i.iban = t.creditor_iban
                LEFT JOIN transferd.postings AS p
                    ON p.customer_id = r.customer_id AND p.posting_id = r.posting_id
                WHERE t.transfer_id IS NULL OR CASE r.decision
                    WHEN 1 THEN t.state IN (5, 7, 8)
                        OR i.customer_id IS DISTINCT FROM r.customer_id
                        OR i.account_id IS DISTINCT FROM r.account_id
                        OR p.entry_id IS DISTINCT FROM r.transfer_id
                        OR p.account_id IS DISTINCT FROM r.account_id
                    ELSE r.posting_id IS NOT NULL OR t.state IN (4, 7, 8) END
                """),
    ]

    private static let events = [
        VerifierCheck(
            check: .eventSequences, rows: "SELECT count(*) FROM transferd.events",
            damages: """
                SELECT format('customer %s has event %s where %s belongs', customer_id, sequence,
                              place)
                FROM (
                    SELECT customer_id, sequence, row_number() OVER (
                        PARTITION BY customer_id ORDER BY sequence) AS place
                    FROM transferd.events) AS e
                WHERE sequence <> place
                """),
        VerifierCheck(
            check: .eventChains, rows: "SELECT count(*) FROM transferd.events",
            damages: """
                WITH chains AS (
                    SELECT e.*, lag(e.sequence) OVER transfers AS before,
                           lag(e.state) OVER transfers AS old,
                           lead(e.sequence) OVER transfers AS after
                    FROM transferd.events AS e
                    WINDOW transfers AS (
                        PARTITION BY e.customer_id, e.transfer_id ORDER BY e.sequence))
                SELECT format('event %s of customer %s is not on the chain of its transfer',
                              c.sequence, c.customer_id)
                FROM chains AS c
                LEFT JOIN transferd.transfers AS t
                    ON t.customer_id = c.customer_id AND t.transfer_id = c.transfer_id
                WHERE t.transfer_id IS NULL OR c.previous_sequence IS DISTINCT FROM c.before
                    OR c.before IS NULL AND c.state NOT IN (1, 7, 8)
                    OR c.before IS NOT NULL AND (c.old, c.state) NOT IN (\(steps))
                    OR c.after IS NULL
                        AND (c.sequence <> t.last_sequence OR c.state <> t.state)
                UNION ALL
                SELECT format('transfer %s has no event', t.transfer_id)
                FROM transferd.transfers AS t WHERE NOT EXISTS (
                    SELECT FROM transferd.events AS e
                    WHERE e.customer_id = t.customer_id AND e.transfer_id = t.transfer_id)
                """),
    ]

    private static let directory = [
        VerifierCheck(
            check: .directory, rows: "SELECT count(*) FROM transferd.account_ibans",
            damages: """
                SELECT format('account %s and its IBAN do not lead to each other',
                              coalesce(a.account_id, i.account_id))
                FROM transferd.accounts AS a
                FULL JOIN transferd.account_ibans AS i
                    ON i.customer_id = a.customer_id AND i.account_id = a.account_id
                    AND i.iban = a.iban
                WHERE a.account_id IS NULL OR i.iban IS NULL
                """),
        VerifierCheck(
            check: .outbox, rows: "SELECT count(*) FROM transferd.outbox",
            damages: """
                SELECT format('row %s names no transfer that settlement has to do with',
                              o.outbox_id)
                FROM transferd.outbox AS o
                LEFT JOIN transferd.transfers AS t
                    ON t.customer_id = o.customer_id AND t.transfer_id = o.transfer_id
                LEFT JOIN transferd.account_ibans AS i ON i.iban = t.creditor_iban
                WHERE t.transfer_id IS NULL OR t.state IN (\(terminalStates))
                    OR o.connector = 1 AND i.iban IS NULL
                UNION ALL
                SELECT format('transfer %s has not ended and has no outbox row', t.transfer_id)
                FROM transferd.transfers AS t
                LEFT JOIN transferd.outbox AS o
                    ON o.customer_id = t.customer_id AND o.transfer_id = t.transfer_id
                WHERE t.state NOT IN (\(terminalStates)) AND o.transfer_id IS NULL
                """),
    ]
}
