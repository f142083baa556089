import CSQLite

/// A database being copied with SQLite's backup interface; the only owner of the copy's pointers.
final class DatabaseCopy {
    private let source: Connection
    private let target: OpaquePointer
    private let backup: OpaquePointer

    /// Use `Connection.copy`. `handle` is the pointer of `source`.
    init(of source: Connection, handle: OpaquePointer, to path: String) throws(SQLiteError) {
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let target = opened else {
            let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(opened)
            throw SQLiteError(operation: "open \(path)", code: code, message: message)
        }
        guard let backup = sqlite3_backup_init(target, "main", handle, "main") else {
            let error = Self.error(target)
            sqlite3_close_v2(target)
            throw error
        }
        self.source = source
        self.target = target
        self.backup = backup
    }

    deinit {
        // An error of the copy was thrown by its step.
        sqlite3_backup_finish(backup)
        sqlite3_close_v2(target)
    }

    /// Pages of the source; 0 before the first step.
    var pages: Int { Int(sqlite3_backup_pagecount(backup)) }

    var remainingPages: Int { Int(sqlite3_backup_remaining(backup)) }

    /// Copies at most `pages` pages. True when all are copied, committed and synced.
    func step(pages: Int32) throws(SQLiteError) -> Bool {
        switch sqlite3_backup_step(backup, pages) {
        case SQLITE_OK: return false
        case SQLITE_DONE: return true
        case let code:
            throw SQLiteError(
                operation: "copy", code: code, message: String(cString: sqlite3_errstr(code)))
        }
    }

    private static func error(_ handle: OpaquePointer) -> SQLiteError {
        SQLiteError(
            operation: "copy", code: sqlite3_extended_errcode(handle),
            message: String(cString: sqlite3_errmsg(handle)))
    }
}

@available(*, unavailable)
extension DatabaseCopy: Sendable {}
