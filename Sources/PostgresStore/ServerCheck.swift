import Platform

/// How far a server's history has got: each promotion begins a new timeline, and the log's position
/// goes on from where the promoted server stood.
struct Lineage: Hashable {
    var timeline: Int64
    /// Bytes of the log.
    var position: Int64

    /// Whether a server may lack what `known` had: one that was not promoted, or was promoted from
    /// too short a log.
    func isBehind(_ known: Lineage) -> Bool {
        timeline < known.timeline || position < known.position
    }
}

/// What a server must be before anything is asked of it.
enum ServerCheck {
    private static let lineageStatement = PreparedStatement(
        "lineage", [],
        """
        SELECT ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint,
               (pg_current_wal_insert_lsn() - '0/0')::bigint
        """)

    private static let settingsStatement = PreparedStatement(
        "server", [],
        "SELECT current_setting('fsync', true), current_setting('server_encoding')")

    /// Refuses a server that would lose what it acknowledges. Nil where the engine has no log that
    /// it tells of.
    static func lineage(of connection: Connection) throws(PostgresError) -> Lineage? {
        let found = try connection.run(settingsStatement).first { row in
            (fsync: row.optionalText(0), encoding: row.text(1))
        }
        guard let found else { throw refusal("the server says nothing of itself") }
        guard found.fsync ?? "on" == "on" else {
            throw refusal(
                "the server runs with fsync=off and would lose what it acknowledged: set fsync=on "
                    + "and restart it")
        }
        guard found.encoding == "UTF8" else {
            throw refusal("the database has the encoding \(found.encoding): make one with UTF8")
        }
        do throws(PostgresError) {
            return try connection.run(lineageStatement).first {
                Lineage(timeline: $0.integer(0), position: $0.integer(1))
            }
        } catch {
            guard error.isUndefined else { throw error }
            try connection.recover()
            return nil
        }
    }

    private static func refusal(_ message: String) -> PostgresError {
        PostgresError(operation: "connect", cause: .server("3F000"), message: message)
    }
}

/// What this process has heard of the servers: how much was acknowledged, and how often a commit's
/// end was not known.
struct History {
    /// A lower bound of what was acknowledged; nil before anything was, and where the engine does
    /// not tell.
    private(set) var acknowledged: Lineage?
    /// Counts the commits that nobody knows to have ended. What was read before the newest of them
    /// is proven durable no more.
    private(set) var unknowns = 0

    /// Notes a new connection; false when the server may lack what was acknowledged.
    mutating func meets(_ lineage: Lineage?) -> Bool {
        guard let lineage else { return true }
        guard let known = acknowledged else {
            acknowledged = Lineage(timeline: lineage.timeline, position: 0)
            return true
        }
        if lineage.isBehind(known) { return false }
        acknowledged?.timeline = lineage.timeline
        return true
    }

    /// A transaction that began when the log stood at `position` was acknowledged.
    mutating func acknowledge(_ position: Int64) {
        if let known = acknowledged?.position, known < position {
            acknowledged?.position = position
        }
    }

    mutating func noteUnknown() { unknowns += 1 }
}
