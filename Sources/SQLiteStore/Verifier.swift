import CSQLite
package import Store

/// Proves the ledger from its rows.
///
/// Online: it reads one range after the other, each in a short transaction of its own, because a
/// long one would keep the log from beginning anew. What may change between two ranges is never
/// compared across them; what is compared across them (postings, events, and which of them a row
/// named at one time) is never changed or deleted.
package enum Verifier {
    /// Verifies the database at `path`, which must be migrated.
    ///
    /// `rangeRows`, at least 2, bounds the rows of one transaction. `structure` first checks the
    /// file's pages in one transaction that takes as long as reading the file. `progress` gets the
    /// name of a check and its rows so far, after each range. Memory grows by some 50 bytes for
    /// each transfer that has not ended. Damage is in the report; an error means that the
    /// verification could not be carried out.
    package static func verify(
        path: String, rangeRows: Int = 5000, structure: Bool = false,
        progress: @escaping (String, Int) -> Void = { _, _ in }
    ) throws(StoreError) -> VerificationReport {
        precondition(rangeRows >= 2, "a range holds at least a pair of postings")
        let run: VerificationRun
        do throws(SQLiteError) {
            run = VerificationRun(
                try Connection(path: path, mode: .readOnly), rangeRows: rangeRows,
                progress: progress)
        } catch { throw error.storeError() }
        do throws(SQLiteError) {
            if structure { try run.verifyStructure() }
            // Nothing can be read from pages that are wrong.
            if run.report.isSound { try run.verifyRows() }
        } catch {
            guard error.primaryCode == SQLITE_CORRUPT else { throw error.storeError() }
            run.damage(.fileStructure, error.description)
        }
        return run.report
    }
}

/// One verification under way: its connection, its report, and how ranges are read.
final class VerificationRun {
    let connection: Connection
    let rangeRows: Int
    private(set) var report = VerificationReport()
    private let progress: (String, Int) -> Void

    init(_ connection: Connection, rangeRows: Int, progress: @escaping (String, Int) -> Void) {
        self.connection = connection
        self.rangeRows = rangeRows
        self.progress = progress
    }

    func damage(_ check: VerificationCheck, _ text: String) { report.add(check, text) }

    /// Counts rows without telling the progress.
    func count(_ rows: Int, _ check: VerificationCheck) { report.count(rows, check) }

    /// Counts rows and tells the progress.
    func progress(_ rows: Int, _ check: VerificationCheck) {
        progress(check.rawValue, report.count(rows, check))
    }

    /// All statements of `body` see one committed state.
    func snapshot<Value>(
        _ body: () throws(SQLiteError) -> Value
    ) throws(SQLiteError) -> Value {
        try connection.execute("BEGIN")
        // An error ends the verification, and closing the connection ends the transaction.
        let value = try body()
        try connection.execute("COMMIT")
        return value
    }

    /// Calls `range` in one transaction after the other for as long as it finds `rangeRows` rows.
    func ranges(
        _ check: VerificationCheck, _ range: () throws(SQLiteError) -> Int
    ) throws(SQLiteError) {
        while true {
            let rows = try snapshot(range)
            progress(rows, check)
            if rows < rangeRows { return }
        }
    }

    func verifyRows() throws(SQLiteError) {
        try verifyAccounts(try verifyPostings())
        try verifyTransfers(pending: try verifyOutbox())
        try verifyOutcomes()
        try verifyEvents()
        try verifyDirectory()
        try verifyCredits()
    }

    /// The rows that `statement` has. One with a value that cannot be read is a damage like any
    /// other: it is told, counted, and left out.
    func read<Value>(
        _ check: VerificationCheck, _ statement: Statement,
        _ body: (Row) throws(SQLiteError) -> Value
    ) throws(SQLiteError) -> (values: [Value], rows: Int) {
        var values: [Value] = []
        var rows = 0
        try statement.eachRow { row throws(SQLiteError) in
            rows += 1
            do throws(SQLiteError) { values.append(try body(row)) } catch {
                guard error.isUnreadableValue else { throw error }
                damage(check, error.description)
            }
        }
        return (values, rows)
    }

    /// `PRAGMA integrity_check`, which tells up to a hundred faults.
    func verifyStructure() throws(SQLiteError) {
        try connection.prepare("PRAGMA integrity_check(100)").eachRow { row in
            let text = row.text(0)
            if text != "ok" { damage(.fileStructure, text) }
        }
        let pages = try connection.integer("PRAGMA page_count") ?? 0
        progress(Int(pages), .fileStructure)
    }
}

extension SQLiteError {
    /// Whether one stored value is not what its column holds, as against a call that failed.
    var isUnreadableValue: Bool { operation.hasPrefix("read ") && code == SQLITE_CORRUPT }
}

extension Statement {
    /// As `first`, but a row with a value that cannot be read counts as absent: the check of that
    /// row's own table tells of it.
    func firstReadable<Value>(
        _ body: (Row) throws(SQLiteError) -> Value?
    ) throws(SQLiteError) -> Value? {
        do throws(SQLiteError) { return try first(body) } catch {
            guard error.isUnreadableValue else { throw error }
            return nil
        }
    }
}
