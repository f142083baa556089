import Store
import Testing

/// One kind of damage: how it is made, and exactly which checks complain.
struct Damage: Sendable, CustomTestStringConvertible {
    let name: String
    /// `$settled` and the like stand for the id of that transfer of the busy bank.
    let sql: String
    let checks: Set<VerificationCheck>

    init(_ name: String, _ sql: String, _ checks: Set<VerificationCheck>) {
        self.name = name
        self.sql = sql
        self.checks = checks
    }

    var testDescription: String { name }

    static let all = postings + accounts + transfers + outcomes + events + others

    private static func posting(of transfer: String) -> String {
        "(SELECT posting_id FROM transfers WHERE transfer_id = \(transfer))"
    }

    private static let newest = "(SELECT max(posting_id) FROM postings)"
    private static let first = "(SELECT account_id FROM accounts WHERE iban = '$iban1')"

    private static let postings = [
        Damage(
            "One leg of a pair has another amount",
            "UPDATE postings SET amount = amount - 1 WHERE posting_id = \(posting(of: "$pending"))",
            [.postingPairs, .currencyTotals, .accountBalances]),
        Damage(
            "Both legs of a pair have another amount",
            """
            UPDATE postings SET amount = amount * 2
            WHERE posting_id - \(posting(of: "$pending")) IN (0, 1)
            """,
            [.postingEntries, .accountBalances, .transitBalances]),
        Damage(
            "A counter leg is gone",
            "DELETE FROM postings WHERE posting_id = \(posting(of: "$pending")) + 1",
            [.postingPairs, .currencyTotals, .transitBalances]),
        Damage(
            "A pair in the middle is gone",
            "DELETE FROM postings WHERE posting_id - \(posting(of: "$pending")) IN (0, 1)",
            [.accountBalances, .transitBalances]),
        Damage(
            "A counter leg is in another currency",
            """
            UPDATE postings SET currency = 'USD' WHERE posting_id = \(posting(of: "$pending")) + 1
            """,
            [.postingPairs, .currencyTotals, .transitBalances]),
        Damage(
            "A counter leg is of another customer",
            """
            UPDATE postings SET customer_id = 'customer-3'
            WHERE posting_id = \(posting(of: "$pending")) + 1
            """,
            [.postingPairs]),
        Damage(
            "A counter leg is of another entry",
            """
            UPDATE postings SET entry_id = $settled
            WHERE posting_id = \(posting(of: "$pending")) + 1
            """,
            [.postingPairs, .transitBalances]),
        Damage(
            "A transfer is posted twice",
            """
            INSERT INTO postings SELECT posting_id + 2 + \(newest) - \(posting(of: "$pending")) - 1,
                customer_id, entry_id, ledger_account, account_id, currency, amount,
                previous_posting_id, created_at
            FROM postings WHERE posting_id - \(posting(of: "$pending")) IN (0, 1)
            """,
            [.postingEntries, .postingChains]),
        Damage(
            "An account is opened twice",
            """
            INSERT INTO postings SELECT posting_id + \(newest), customer_id, entry_id,
                ledger_account, account_id, currency, amount, NULL, created_at
            FROM postings WHERE posting_id IN (1, 2)
            """,
            [.postingChains]),
        Damage(
            "An account gets money from nowhere later on",
            """
            INSERT INTO postings SELECT posting_id + \(newest), customer_id, entry_id,
                ledger_account, account_id, currency, amount,
                iif(posting_id = 1, (SELECT last_posting_id FROM accounts WHERE iban = '$iban1'),
                    NULL), created_at
            FROM postings WHERE posting_id IN (1, 2);
            UPDATE accounts SET balance = balance + 100000, last_posting_id = \(newest) - 1
            WHERE iban = '$iban1'
            """,
            [.postingEntries]),
        Damage(
            "A chain leads to another account",
            """
            UPDATE postings SET previous_posting_id = 3
            WHERE posting_id = \(posting(of: "$pending"))
            """,
            [.accountBalances]),
        Damage(
            "A chain leads forward",
            """
            UPDATE postings SET previous_posting_id = \(newest) - 1
            WHERE posting_id = \(posting(of: "$pending"))
            """,
            [.accountBalances]),
    ]

    private static let accounts = [
        Damage(
            "A balance is too high", "UPDATE accounts SET balance = balance + 1 WHERE rowid = 2",
            [.accountBalances]),
        Damage(
            "A balance is negative", "UPDATE accounts SET balance = -1 WHERE rowid = 4",
            [.accountBalances]),
        Damage(
            "A counter forgets a transfer",
            "UPDATE accounts SET used_today = 0 WHERE iban = '$iban1'", [.dailyUsage]),
        Damage(
            "A counter stands on an earlier day",
            "UPDATE accounts SET usage_day = usage_day - 1 WHERE iban = '$iban1'", [.dailyUsage]),
        Damage(
            "A transfer counts for another day",
            "UPDATE transfers SET business_day = business_day - 1 WHERE transfer_id = $tomorrow",
            [.dailyUsage]),
        Damage(
            "An account forgets its newest posting",
            """
            UPDATE accounts SET last_posting_id = (SELECT previous_posting_id FROM postings
                WHERE posting_id = last_posting_id) WHERE iban = '$iban1'
            """,
            [.accountBalances, .dailyUsage, .postingChains]),
        Damage(
            "An account has another IBAN",
            "UPDATE accounts SET iban = 'DE89370400440532013000' WHERE rowid = 2", [.directory]),
        Damage(
            "An account is not in the directory",
            "DELETE FROM account_ibans WHERE iban = '$iban2'", [.directory]),
        Damage(
            "The directory leads to another account",
            "UPDATE account_ibans SET account_id = \(first) WHERE iban = '$iban2'", [.directory]),
    ]

    private static let transfers = [
        Damage(
            "A transfer is settled without a credit",
            """
            INSERT INTO events SELECT customer_id, 100 + n, $pending, 2 + n, 99 + n, 0
            FROM transfers, (SELECT 1 AS n UNION SELECT 2) WHERE transfer_id = $pending;
            UPDATE events SET sequence = (SELECT max(sequence) FROM events
                WHERE customer_id = 'customer-1' AND sequence < 100) + sequence - 100,
                previous_sequence = iif(sequence = 101, (SELECT last_sequence FROM transfers
                    WHERE transfer_id = $pending), NULL) WHERE sequence = 101;
            UPDATE events SET sequence = (SELECT max(sequence) FROM events
                WHERE customer_id = 'customer-1' AND sequence < 100) + 1,
                previous_sequence = (SELECT max(sequence) FROM events
                WHERE customer_id = 'customer-1' AND sequence < 100) WHERE sequence = 102;
            UPDATE transfers SET state = 4, last_sequence = (SELECT max(sequence) FROM events
                WHERE customer_id = 'customer-1') WHERE transfer_id = $pending;
            DELETE FROM outbox WHERE transfer_id = $pending
            """,
            [.transitBalances]),
        Damage(
            "A transfer has another amount",
            "UPDATE transfers SET amount = amount + 1 WHERE transfer_id = $scheme",
            [.postingEntries, .transitBalances, .fingerprints]),
        Damage(
            "A transfer has another debtor account",
            """
            UPDATE transfers SET debtor_account_id = (SELECT account_id FROM accounts
                WHERE iban = '$iban2') WHERE transfer_id = $scheme
            """,
            [.postingEntries]),
        Damage(
            "A return forgets its posting",
            "UPDATE transfers SET return_posting_id = NULL WHERE transfer_id = $returned",
            [.postingEntries, .transitBalances]),
        Damage(
            "An executed transfer is gone",
            "DELETE FROM transfers WHERE transfer_id = $scheme",
            [.postingEntries, .outcomes, .eventChains, .outbox]),
        Damage(
            "A rejected transfer is gone",
            "DELETE FROM transfers WHERE transfer_id = $rejected", [.outcomes, .eventChains]),
        Damage(
            "A transfer has a reason that does not exist",
            "UPDATE transfers SET reason = 99 WHERE transfer_id = $rejected",
            [.transitBalances, .outcomes]),
    ]

    private static let outcomes = [
        Damage(
            "An outcome is gone", "DELETE FROM outcomes WHERE transfer_id = $settled",
            [.transferOutcomes]),
        Damage(
            "An outcome is of another kind",
            "UPDATE outcomes SET kind = 2 WHERE transfer_id = $settled", [.outcomes]),
        Damage(
            "An outcome names another transfer",
            "UPDATE outcomes SET transfer_id = $scheme WHERE transfer_id = $settled",
            [.outcomes, .transferOutcomes, .fingerprints]),
        Damage(
            "An outcome is of another key",
            "UPDATE outcomes SET idempotency_key = randomblob(16) WHERE transfer_id = $settled",
            [.outcomes, .transferOutcomes]),
        Damage(
            "A key has two outcomes",
            """
            CREATE TABLE copy AS SELECT * FROM outcomes;
            DROP TABLE outcomes;
            CREATE TABLE outcomes (outcome_id INTEGER PRIMARY KEY, customer_id TEXT,
                idempotency_key BLOB, kind INTEGER, fingerprint BLOB, fingerprint_version INTEGER,
                transfer_id BLOB, status_code INTEGER, content_type INTEGER, body BLOB,
                received_at INTEGER, committed_at INTEGER);
            INSERT INTO outcomes SELECT * FROM copy;
            UPDATE copy SET outcome_id = outcome_id + 100;
            INSERT INTO outcomes SELECT * FROM copy WHERE transfer_id = $settled;
            DROP TABLE copy
            """,
            [.outcomes]),
        Damage(
            "A fingerprint is another one",
            "UPDATE outcomes SET fingerprint = randomblob(32) WHERE transfer_id = $settled",
            [.fingerprints]),
        Damage(
            "A fingerprint is gone",
            "UPDATE outcomes SET fingerprint = NULL WHERE transfer_id = $settled",
            [.fingerprints]),
        Damage(
            "A fingerprint is of a version that does not exist",
            "UPDATE outcomes SET fingerprint_version = 7 WHERE transfer_id = $settled",
            [.fingerprints]),
        Damage(
            "The stored intent says another name",
            "UPDATE transfers SET creditor_name = 'Pierre Curie' WHERE transfer_id = $settled",
            [.fingerprints]),
        Damage(
            "A revoked intent has a fingerprint",
            """
            INSERT INTO outcomes SELECT NULL, customer_id, randomblob(16), 4, fingerprint,
                fingerprint_version, NULL, 200, 0, NULL, 0, 0
            FROM outcomes WHERE transfer_id = $settled
            """,
            [.fingerprints]),
        Damage(
            "A revoked intent has a transfer",
            """
            INSERT INTO outcomes SELECT NULL, customer_id, randomblob(16), 4, NULL, NULL,
                transfer_id, 200, 0, NULL, 0, 0
            FROM outcomes WHERE transfer_id = $settled
            """,
            [.outcomes]),
    ]

    private static let events = [
        Damage(
            "An event in the middle is gone",
            "DELETE FROM events WHERE customer_id = 'customer-1' AND sequence = 2",
            [.eventSequences, .eventChains]),
        Damage(
            "The newest event is gone",
            """
            DELETE FROM events WHERE customer_id = 'customer-1' AND sequence =
                (SELECT max(sequence) FROM events WHERE customer_id = 'customer-1')
            """,
            [.eventChains]),
        Damage(
            "An event has another state",
            "UPDATE events SET state = 6 WHERE transfer_id = $settled AND state = 3",
            [.eventChains]),
        Damage(
            "A transfer is not where its newest event says",
            "UPDATE transfers SET state = 2 WHERE transfer_id = $pending", [.eventChains]),
        Damage(
            "A terminal state is left",
            """
            INSERT INTO events SELECT customer_id, (SELECT max(sequence) + 1 FROM events
                WHERE customer_id = 'customer-1'), transfer_id, 3, last_sequence, 0
            FROM transfers WHERE transfer_id = $settled;
            UPDATE transfers SET state = 3, last_sequence = (SELECT max(sequence) FROM events
                WHERE customer_id = 'customer-1') WHERE transfer_id = $settled;
            INSERT INTO outbox (customer_id, transfer_id, connector)
                VALUES ('customer-1', $settled, 1)
            """,
            [.eventChains]),
        Damage(
            "An event is on no chain",
            """
            INSERT INTO events SELECT customer_id, (SELECT max(sequence) + 1 FROM events
                WHERE customer_id = 'customer-1'), transfer_id, 3, last_sequence, 0
            FROM transfers WHERE transfer_id = $pending
            """,
            [.eventChains]),
    ]

    private static let others = [
        Damage(
            "An outbox row is gone", "DELETE FROM outbox WHERE transfer_id = $pending", [.outbox]),
        Damage(
            "An outbox row is there twice",
            """
            INSERT INTO outbox (customer_id, transfer_id, connector)
                SELECT customer_id, transfer_id, connector FROM outbox LIMIT 1
            """,
            [.outbox]),
        Damage(
            "An outbox row names a settled transfer",
            """
            INSERT INTO outbox (customer_id, transfer_id, connector)
                VALUES ('customer-1', $settled, 1)
            """,
            [.outbox]),
        Damage(
            "An outbox row names no transfer",
            """
            INSERT INTO outbox (customer_id, transfer_id, connector)
                VALUES ('customer-1', randomblob(16), 1)
            """,
            [.outbox]),
        Damage(
            "An outbox row is of another customer",
            "UPDATE outbox SET customer_id = 'customer-3' WHERE transfer_id = $pending",
            [.outbox]),
        Damage(
            "A booking goes to another bank",
            "UPDATE outbox SET connector = 1 WHERE transfer_id = $scheme", [.outbox]),
        Damage(
            "A credit is gone", "DELETE FROM credits WHERE transfer_id = $settled",
            [.postingEntries, .transitBalances]),
        Damage(
            "A credit turns into a refusal",
            """
            UPDATE credits SET decision = 2, reason = 1, posting_id = NULL
            WHERE transfer_id = $settled
            """,
            [.postingEntries, .transitBalances, .credits]),
        Damage(
            "A refusal turns into a credit",
            """
            UPDATE credits SET decision = 1, reason = NULL, posting_id = NULL
            WHERE transfer_id = $returned
            """,
            [.credits]),
        Damage(
            "A credit is on another account",
            "UPDATE credits SET account_id = \(first) WHERE transfer_id = $settled",
            [.postingEntries, .credits]),
        Damage(
            "A credit is made twice",
            """
            INSERT INTO credits SELECT 'customer-3', transfer_id, account_id, decision, reason,
                posting_id, decided_at FROM credits WHERE transfer_id = $settled
            """,
            [.credits]),
        Damage(
            "A credit names another posting",
            "UPDATE credits SET posting_id = 1 WHERE transfer_id = $settled",
            [.postingEntries, .transitBalances, .credits]),
        Damage(
            "A credit is of no transfer",
            """
            INSERT INTO credits SELECT customer_id, randomblob(16), account_id, 2, 1, NULL, 0
            FROM credits WHERE transfer_id = $settled
            """,
            [.credits]),
    ]
}
