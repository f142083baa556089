import CSQLite
import Store

/// An SQLite call that failed, with its extended result code.
struct SQLiteError: Error, CustomStringConvertible {
    let operation: String
    let code: Int32
    let message: String

    var primaryCode: Int32 { code & 0xFF }

    var description: String { "\(operation): \(message) (SQLite \(code))" }

    /// What it means to the caller. `committing`: it happened in COMMIT, after which only asking
    /// again can tell.
    func storeError(committing: Bool = false) -> StoreError {
        switch code {
        case cs_ioerr_fsync(), cs_ioerr_dir_fsync(): return .mediumFailed(description)
        default: break
        }
        if committing { return .unknownOutcome(description) }
        switch primaryCode {
        case SQLITE_CONSTRAINT: return .constraint(description)
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_MISUSE, SQLITE_ERROR, SQLITE_MISMATCH:
            return .unusable(description)
        case SQLITE_BUSY, SQLITE_LOCKED:
            return .unavailable("the database is locked by another program")
        case SQLITE_FULL: return .unavailable("the disk is full")
        default: return .unavailable(description)
        }
    }
}
