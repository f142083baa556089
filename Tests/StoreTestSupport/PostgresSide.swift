package import PostgresStore
import TestSupport

/// A second connection to a server's PostgreSQL database, of the superuser. Its tables need no
/// schema's name.
package final class PostgresSide: SideDatabase, @unchecked Sendable {
    // Sendable: used by one thread at a time, as libpq demands.
    private let raw: RawPostgres

    package init(_ address: PostgresAddress) throws {
        raw = try RawPostgres(address.text)
        try raw.run("SET search_path = transferd, pg_catalog")
    }

    package func execute(_ sql: String) throws { try raw.run(sql) }

    package func rows(_ sql: String) throws -> [[String]] {
        try raw.rows(sql).map { row in
            row.map { $0.hasPrefix("'") ? String($0.dropFirst().dropLast()) : $0 }
        }
    }

    package func integer(_ sql: String) throws -> Int64 { Int64(try raw.integer(sql)) }

    /// Whoever writes locks a row of this table first.
    package func takeWriteLock() throws {
        try raw.run("BEGIN; LOCK TABLE customers IN EXCLUSIVE MODE")
    }

    package func releaseWriteLock() throws { try raw.run("ROLLBACK") }
}
