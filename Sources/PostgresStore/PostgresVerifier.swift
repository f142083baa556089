import Crypto
import Ledger
import Platform
package import Store

/// Proves the ledger from its rows, beside running servers.
///
/// All checks see one snapshot, so that what is compared belongs together whatever commits
/// meanwhile. While it lasts the database keeps old versions of rows: run it when the bank is quiet,
/// or on a standby that was promoted for it.
package enum PostgresVerifier {
    /// Of one statement; beyond it the verification fails.
    private static let statementMilliseconds: Int64 = 3_600_000
    /// Damages that one check tells, at most.
    private static let toldDamages = 1000
    private static let fetchedRows = 2000

    /// Verifies the database, which must be migrated. `progress` gets the name of a check and its
    /// rows. Damage is in the report; an error means that the verification could not be carried out.
    package static func verify(
        _ address: PostgresAddress, progress: (String, Int) -> Void = { _, _ in }
    ) throws(StoreError) -> VerificationReport {
        do throws(PostgresError) {
            let clock = SystemMonotonicClock()
            let connection = try Connection(address, clock: clock, keepsStatements: false)
            func patient() {
                connection.deadline = clock.now().advanced(milliseconds: statementMilliseconds)
            }
            patient()
            try connection.script(
                """
                BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
                SET LOCAL statement_timeout = 0;
                -- Every row is compared: one by one that would take for ever.
                SET LOCAL enable_nestloop = off;
                SET LOCAL work_mem = '64MB';
                SET LOCAL idle_in_transaction_session_timeout = 0
                """)
            var report = VerificationReport()
            for (number, check) in VerifierCheck.all.enumerated() {
                patient()
                let rows = try connection.run(
                    PreparedStatement("rows_\(number)", [], check.rows)
                ).first { $0.integer(0) }
                patient()
                let damages = PreparedStatement(
                    "damages_\(number)", [],
                    "SELECT * FROM (\(check.damages)) AS found LIMIT \(toldDamages)")
                try connection.run(damages).eachRow { report.add(check.check, $0.text(0)) }
                progress(check.check.rawValue, report.count(Int(rows ?? 0), check.check))
            }
            try verifyFingerprints(connection, &report, patient, progress)
            _ = try connection.run(Statements.commit)
            return report
        } catch { throw error.storeError }
    }

    private static let cursor = PreparedStatement(
        "cursor", [],
        """
        DECLARE intents NO SCROLL CURSOR FOR
        SELECT \(Columns.transfer), \(Columns.outcome), o.idempotency_key, o.customer_id
        FROM transferd.outcomes AS o
        LEFT JOIN transferd.transfers AS t
            ON t.customer_id = o.customer_id AND t.transfer_id = o.transfer_id
        """)
    private static let fetch = PreparedStatement(
        "fetch", [], "FETCH FORWARD \(fetchedRows) FROM intents")

    /// Stored fingerprints against the stored intents, which only this program can compute.
    private static func verifyFingerprints(
        _ connection: Connection, _ report: inout VerificationReport, _ patient: () -> Void,
        _ progress: (String, Int) -> Void
    ) throws(PostgresError) {
        let keyColumn = Columns.transferCount + 8
        patient()
        _ = try connection.run(cursor)
        while true {
            patient()
            let rows = try connection.run(fetch)
            try rows.eachRow { row throws(PostgresError) in
                let title =
                    "the outcome of key \(try row.uuid(keyColumn)) of customer "
                    + row.text(keyColumn + 1)
                do throws(PostgresError) {
                    if let fault = try fault(row) { report.add(.fingerprints, title + " " + fault) }
                } catch {
                    guard error.cause == .value else { throw error }
                    report.add(.fingerprints, title + ": " + error.description)
                }
            }
            progress(
                VerificationCheck.fingerprints.rawValue, report.count(rows.count, .fingerprints))
            if rows.count < fetchedRows { return }
        }
    }

    private static func fault(_ row: Row) throws(PostgresError) -> String? {
        let outcome = try row.outcome(from: Columns.transferCount)
        if outcome.kind == .revoked {
            return outcome.fingerprint == nil ? nil : "is revoked and has a fingerprint"
        }
        guard let fingerprint = outcome.fingerprint else { return "has no fingerprint" }
        // That it has a transfer is another check.
        if row.isNull(0) { return nil }
        guard
            let computed = try row.transfer().submitted?.fingerprint(version: fingerprint.version)
        else {
            return "has a fingerprint of version \(fingerprint.version), which this program cannot "
                + "compute"
        }
        return computed == fingerprint ? nil : "has another intent's fingerprint"
    }
}
