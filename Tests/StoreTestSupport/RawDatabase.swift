import CSQLite

/// A connection of its own to a database file, for what the server never does: look past the
/// store, break rows, hold locks.
package final class RawDatabase {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let handle: OpaquePointer

    package init(_ path: String) throws {
        var opened: OpaquePointer?
        guard
            sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
                == SQLITE_OK, let opened
        else { throw Failure(description: "cannot open \(path)") }
        handle = opened
        sqlite3_busy_timeout(handle, 2000)
    }

    deinit { sqlite3_close_v2(handle) }

    package func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    /// All rows, each value as SQL literal.
    package func rows(_ sql: String) throws -> [[String]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw failure(sql)
        }
        defer { sqlite3_finalize(statement) }
        var rows: [[String]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                rows.append(
                    (0..<sqlite3_column_count(statement)).map { Self.literal(statement, $0) })
            case SQLITE_DONE: return rows
            default: throw failure(sql)
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

    /// Every row of every table of the ledger, in an order that does not depend on insertion.
    package func dump() throws -> [String: [[String]]] {
        let names = try rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'schema_migrations'")
        var tables: [String: [[String]]] = [:]
        for name in names.map({ String($0[0].dropFirst().dropLast()) }) {
            tables[name] = try rows("SELECT * FROM \(name) ORDER BY 1, 2")
        }
        return tables
    }

    private static func literal(_ statement: OpaquePointer?, _ column: Int32) -> String {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_NULL: return "NULL"
        case SQLITE_INTEGER: return String(sqlite3_column_int64(statement, column))
        case SQLITE_BLOB:
            let count = Int(sqlite3_column_bytes(statement, column))
            guard let start = sqlite3_column_blob(statement, column) else { return "x''" }
            let bytes = UnsafeRawBufferPointer(start: start, count: count)
            let digits = bytes.map { byte in
                String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }
            return "x'" + digits.joined() + "'"
        default:
            guard let text = sqlite3_column_text(statement, column) else { return "NULL" }
            return "'" + String(cString: text) + "'"
        }
    }

    private func failure(_ sql: String) -> Failure {
        Failure(description: "\(String(cString: sqlite3_errmsg(handle))) in \(sql)")
    }
}
