import Ledger
import Store
import StoreTestSupport
import Testing

/// One kind of damage: how it is made, and exactly which checks complain.
struct Damage: Sendable, CustomTestStringConvertible {
    struct Constraint: Sendable {
        let table: String
        let name: String
    }

    let testDescription: String
    /// `$settled` and the like stand for the id of that transfer of the busy bank.
    let sql: String
    let checks: Set<VerificationCheck>
    /// What would have refused it.
    var constraints: [Constraint] = []

    init(
        _ name: String, _ sql: String, _ checks: Set<VerificationCheck>,
        without constraints: (String, String)...
    ) {
        testDescription = name
        self.sql = sql
        self.checks = checks
        self.constraints = constraints.map { Constraint(table: $0.0, name: $0.1) }
    }

    static let transfers = [
        "$settled": BusyBank.settled, "$returned": BusyBank.returned,
        "$credited": BusyBank.credited, "$pending": BusyBank.pending,
        "$scheme": BusyBank.scheme, "$rejected": BusyBank.rejected,
        "$tomorrow": BusyBank.tomorrow,
    ]

    static let all = postings + accounts + outcomes + events + others

    private static func posting(of transfer: String) -> String {
        "(SELECT posting_id FROM transfers WHERE transfer_id = \(transfer))"
    }

    private static let postings = [
        Damage(
            "One leg of a pair has another amount",
            "UPDATE postings SET amount = amount - 1 WHERE posting_id = \(posting(of: "$pending"))",
            [.postingPairs, .currencyTotals, .postingEntries, .accountBalances]),
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
            [.accountBalances, .postingChains, .transitBalances]),
        Damage(
            "A counter leg is in another currency",
            """
            UPDATE postings SET currency = 'USD' WHERE posting_id = \(posting(of: "$pending")) + 1
            """,
            [.postingPairs, .currencyTotals, .transitBalances]),
        Damage(
            "A counter leg is of another entry",
            """
            UPDATE postings SET entry_id = $settled
            WHERE posting_id = \(posting(of: "$pending")) + 1
            """,
            [.postingPairs, .transitBalances]),
        Damage(
            "A chain leaves a posting out",
            """
            UPDATE postings SET previous_posting_id = NULL
            WHERE posting_id = \(posting(of: "$pending"))
            """,
            [.postingChains]),
    ]

    private static let accounts = [
        Damage(
            "A balance is too high",
            "UPDATE accounts SET balance = balance + 1 WHERE iban = '$iban2'", [.accountBalances]),
        Damage(
            "A balance is negative", "UPDATE accounts SET balance = -1 WHERE iban = '$iban4'",
            [.accountBalances], without: ("accounts", "accounts_balance_check")),
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
            [.postingChains]),
        Damage(
            "An account has another IBAN",
            "UPDATE accounts SET iban = 'DE89370400440532013000' WHERE iban = '$iban2'",
            [.directory]),
        Damage(
            "An account is not in the directory",
            "DELETE FROM account_ibans WHERE iban = '$iban2'", [.directory]),
    ]

    private static let outcomes = [
        Damage(
            "A transfer has another amount",
            "UPDATE transfers SET amount = amount + 1 WHERE transfer_id = $scheme",
            [.postingEntries, .transitBalances, .fingerprints]),
        Damage(
            "An executed transfer is gone",
            "DELETE FROM transfers WHERE transfer_id = $scheme",
            [.postingEntries, .outcomes, .eventChains, .outbox]),
        Damage(
            "A transfer has a reason that does not exist",
            "UPDATE transfers SET reason = 99 WHERE transfer_id = $rejected", [.fingerprints]),
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
            "A key has two outcomes",
            "INSERT INTO outcomes SELECT * FROM outcomes WHERE transfer_id = $settled",
            [.outcomes], without: ("outcomes", "outcomes_pkey")),
        Damage(
            "A fingerprint is another one",
            """
            UPDATE outcomes SET fingerprint = sha256('another') WHERE transfer_id = $settled
            """,
            [.fingerprints]),
        Damage(
            "A fingerprint is of a version that does not exist",
            "UPDATE outcomes SET fingerprint_version = 7 WHERE transfer_id = $settled",
            [.fingerprints]),
        Damage(
            "The stored intent says another name",
            "UPDATE transfers SET creditor_name = 'Pierre Curie' WHERE transfer_id = $settled",
            [.fingerprints]),
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
            "An event is on no chain",
            """
            INSERT INTO events SELECT customer_id, (SELECT max(sequence) + 1 FROM events
                WHERE customer_id = 'customer-1'), transfer_id, 3, last_sequence, 'epoch'
            FROM transfers WHERE transfer_id = $pending
            """,
            [.eventChains]),
    ]

    private static let others = [
        Damage(
            "An outbox row is gone", "DELETE FROM outbox WHERE transfer_id = $pending", [.outbox]),
        Damage(
            "An outbox row names a settled transfer",
            "INSERT INTO outbox (customer_id, transfer_id, connector) VALUES ('customer-1', $settled, 1)",
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
            [.postingEntries]),
        Damage(
            "A credit turns into a refusal",
            """
            UPDATE credits SET decision = 2, reason = 1, posting_id = NULL
            WHERE transfer_id = $settled
            """,
            [.postingEntries, .credits]),
        Damage(
            "A credit is on another account",
            """
            UPDATE credits SET account_id = (SELECT account_id FROM accounts WHERE iban = '$iban1')
            WHERE transfer_id = $settled
            """,
            [.postingEntries, .credits]),
        Damage(
            "A credit names another posting",
            "UPDATE credits SET posting_id = 1 WHERE transfer_id = $settled",
            [.postingEntries, .credits]),
    ]
}
