import Ledger
import Platform

/// Drops the bodies of old outcomes. Outcomes are numbered in commit order, so it keeps a mark up to
/// which all is done and needs no index by time.
final class Retirement {
    /// A row when the oldest outcome beyond the mark was committed before the bound time.
    static let hasCandidates = """
        SELECT 1 FROM (
            SELECT committed_at FROM outcomes
            WHERE outcome_id > coalesce(
                (SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'retention.mark'), 0)
            ORDER BY outcome_id LIMIT 1)
        WHERE committed_at < ?
        """

    private let candidates: Statement
    private let drop: Statement
    private let mark: Statement

    init(_ connection: Connection) throws(SQLiteError) {
        candidates = try connection.prepare(
            """
            SELECT outcome_id, committed_at FROM outcomes
            WHERE outcome_id > coalesce(
                (SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'retention.mark'), 0)
            ORDER BY outcome_id LIMIT ?
            """)
        // A revoked intent has no transfer to point to: its few bytes stay.
        drop = try connection.prepare(
            "UPDATE outcomes SET body = NULL WHERE outcome_id = ? AND kind <> 4")
        mark = try connection.prepare(
            """
            INSERT INTO settings (name, value) VALUES ('retention.mark', CAST(? AS BLOB))
            ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """)
    }

    func run(_ command: RetireCommand) throws(SQLiteError) {
        var old: [Int64] = []
        var reached = false
        candidates.bind(1, Int64(command.limit))
        try candidates.eachRow { row in
            reached = reached || row.instant(1) >= command.before
            if !reached { old.append(row.integer(0)) }
        }
        guard let last = old.last else { return }
        for id in old {
            drop.bind(1, id)
            try drop.run()
        }
        mark.bind(1, String(last))
        try mark.run()
    }
}
