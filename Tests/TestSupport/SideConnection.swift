import CSQLite
import Platform

/// A second connection to a server's database, as an operator or another process has one.
package protocol SideDatabase: AnyObject, Sendable {
    func execute(_ sql: String) throws
    /// All rows, every column as text; NULL is "NULL".
    func rows(_ sql: String) throws -> [[String]]
    /// The first column of the first row.
    func integer(_ sql: String) throws -> Int64
    /// From now on a commit of the server waits, until the lock is released.
    func takeWriteLock() throws
    func releaseWriteLock() throws
}

/// The same to an SQLite file.
package final class SideConnection: SideDatabase, @unchecked Sendable {
    // Sendable: used by one thread at a time; SQLite's own mutex is on.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let handle: OpaquePointer

    package init(path: String) throws {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(
            path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX, nil)
        guard code == SQLITE_OK, let opened else { throw Failure(description: "open: \(code)") }
        handle = opened
        sqlite3_busy_timeout(handle, 20_000)
    }

    deinit { sqlite3_close_v2(handle) }

    package func execute(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw Failure(description: "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
        }
    }

    /// All rows, every column as text; NULL is "NULL".
    package func rows(_ sql: String) throws -> [[String]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw Failure(description: "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
        }
        defer { sqlite3_finalize(statement) }
        var rows: [[String]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                rows.append(
                    (0..<sqlite3_column_count(statement)).map { column in
                        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
                    })
            case SQLITE_DONE: return rows
            default:
                throw Failure(description: "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
            }
        }
    }

    /// The first column of the first row.
    package func integer(_ sql: String) throws -> Int64 {
        guard let value = try rows(sql).first?.first.flatMap({ Int64($0) }) else {
            throw Failure(description: "\(sql): no number")
        }
        return value
    }

    /// Takes SQLite's write lock: from now on a commit of the server waits.
    package func takeWriteLock() throws { try execute("BEGIN IMMEDIATE") }
    package func releaseWriteLock() throws { try execute("ROLLBACK") }
}
