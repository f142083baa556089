import Platform

/// How far a server's history has got: each promotion begins a new timeline.
struct Lineage: Comparable {
    let timeline: Int64
    /// Bytes of the log.
    let position: Int64

    /// A later timeline may begin before the end of the one that it left.
    static func < (a: Lineage, b: Lineage) -> Bool {
        a.timeline == b.timeline ? a.position < b.position : a.timeline < b.timeline
    }
}

/// What a server must be before anything is asked of it.
enum ServerCheck {
    private static let statement = PreparedStatement(
        "server", [],
        """
        SELECT ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint,
               (pg_current_wal_insert_lsn() - '0/0')::bigint,
               current_setting('fsync'), current_setting('server_encoding')
        """)

    /// Refuses a server that would lose what it acknowledges.
    static func lineage(of connection: Connection) throws(PostgresError) -> Lineage {
        let found = try connection.run(statement).first { row in
            (Lineage(timeline: row.integer(0), position: row.integer(1)), row.text(2), row.text(3))
        }
        guard let (lineage, fsync, encoding) = found else {
            throw refusal("the server says nothing of itself")
        }
        guard fsync == "on" else {
            throw refusal(
                "the server runs with fsync=off and would lose what it acknowledged: set fsync=on "
                    + "and restart it")
        }
        guard encoding == "UTF8" else {
            throw refusal("the database has the encoding \(encoding): make one with UTF8")
        }
        return lineage
    }

    private static func refusal(_ message: String) -> PostgresError {
        PostgresError(operation: "connect", cause: .server("3F000"), message: message)
    }
}
