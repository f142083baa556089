import CPostgres

/// A connection of its own to a PostgreSQL database, for what the server never does: look past the
/// store, break rows, hold locks. Blocks.
package final class RawPostgres {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let handle: OpaquePointer

    package init(_ address: String) throws {
        guard let opened = PQconnectdb(address) else { throw Failure(description: "no memory") }
        guard PQstatus(opened) == CONNECTION_OK else {
            let reason = String(cString: PQerrorMessage(opened))
            PQfinish(opened)
            throw Failure(description: reason)
        }
        handle = opened
        _ = try rows("SET client_min_messages = error")
    }

    deinit { PQfinish(handle) }

    package func run(_ sql: String) throws { _ = try rows(sql) }

    /// All rows of the last statement, each value as SQL literal.
    package func rows(_ sql: String) throws -> [[String]] {
        let result = PQexec(handle, sql)
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK: break
        default:
            throw Failure(description: "\(String(cString: PQerrorMessage(handle))) in \(sql)")
        }
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                if PQgetisnull(result, row, column) == 1 { return "NULL" }
                let text = String(cString: PQgetvalue(result, row, column))
                let isNumber = [20, 21, 23].contains(PQftype(result, column))
                return isNumber ? text : "'\(text)'"
            }
        }
    }

    /// The one number that `sql` selects.
    package func integer(_ sql: String) throws -> Int {
        guard let text = try rows(sql).first?.first, let number = Int(text) else {
            throw Failure(description: "no number: \(sql)")
        }
        return number
    }

    /// Tables of the ledger.
    package static let tables = [
        "customers", "accounts", "account_ibans", "blocked_beneficiaries", "outcomes", "transfers",
        "postings", "outbox", "credits", "events", "settings", "revocations",
    ]

    /// Every row of every table of the ledger, in an order that does not depend on insertion.
    /// Postings are numbered from 1 without gaps, in the order of their ids: which ids a writer
    /// takes depends on how many writers there are.
    package func dump() throws -> [String: [[String]]] {
        let numbered = """
            CREATE TEMPORARY TABLE IF NOT EXISTS numbers (id bigint PRIMARY KEY, n bigint);
            TRUNCATE numbers;
            INSERT INTO numbers SELECT posting_id, row_number() OVER (ORDER BY posting_id)
            FROM transferd.postings;
            """
        try run(numbered)
        var tables: [String: [[String]]] = [:]
        for name in Self.tables {
            let columns = try rows(
                """
                SELECT attname FROM pg_attribute WHERE attrelid = 'transferd.\(name)'::regclass
                AND attnum > 0 ORDER BY attnum
                """
            ).map { row -> String in
                let column = String(row[0].dropFirst().dropLast())
                guard column.hasSuffix("posting_id") else { return column }
                return "(SELECT n FROM numbers WHERE id = \(column))"
            }.joined(separator: ", ")
            tables[name] = try rows("SELECT \(columns) FROM transferd.\(name) ORDER BY 1, 2")
        }
        return tables
    }
}
