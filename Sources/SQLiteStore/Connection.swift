import CSQLite
import Store

/// One SQLite connection, confined to one thread at a time; the only owner of its pointer.
final class Connection {
    enum Mode {
        case create
        case existing
        case readOnly
        /// Commits batch after batch.
        case writer
    }

    /// SQLite's process-wide settings, made once before the first connection. Where something else
    /// in the process has opened one before, they stay as they are, which is only slower.
    private static let configured: Int32 = cs_memory_statistics_off()

    private let handle: OpaquePointer
    /// Written by SQLite's hook during COMMIT, on the thread that commits.
    private let frames: UnsafeMutablePointer<Int32>

    /// Frames in the write-ahead log after this connection's newest commit.
    var logFrames: Int { Int(frames.pointee) }

    /// Opens the file with the settings that every connection of the server shares: WAL, full
    /// durability, foreign keys, no checkpoint in the middle of somebody's commit. To be written to,
    /// the file must have one name.
    init(path: String, mode: Mode, busyMilliseconds: Int32 = 5000) throws(SQLiteError) {
        _ = Self.configured
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_READWRITE
            | (mode == .create ? SQLITE_OPEN_CREATE : 0)
        let code = sqlite3_open_v2(
            path, &opened, flags, mode == .writer ? GatheredLog.fileSystem : nil)
        guard code == SQLITE_OK, let opened else {
            let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(opened)
            throw SQLiteError(operation: "open \(path)", code: code, message: message)
        }
        handle = opened
        do throws(SQLiteError) {
            if mode != .readOnly { try Self.requireOneName(path) }
        } catch {
            sqlite3_close_v2(opened)
            throw error
        }
        frames = .allocate(capacity: 1)
        frames.initialize(to: 0)
        sqlite3_busy_timeout(handle, busyMilliseconds)
        _ = cs_no_checkpoint_on_close(handle, mode == .readOnly ? 1 : 0)
        guard try text("PRAGMA journal_mode = WAL") == "wal" else {
            throw SQLiteError(
                operation: "PRAGMA journal_mode = WAL", code: SQLITE_ERROR,
                message: "the file system cannot hold a write-ahead log")
        }
        try execute(
            """
            PRAGMA synchronous = FULL;
            PRAGMA wal_autocheckpoint = 0;
            PRAGMA foreign_keys = ON;
            PRAGMA cache_size = \(mode == .readOnly ? -4096 : -16384);
            PRAGMA temp_store = MEMORY;
            PRAGMA trusted_schema = OFF;
            """)
        // After the pragmas: setting wal_autocheckpoint takes the hook's place.
        sqlite3_wal_hook(
            handle,
            { frames, _, _, count in
                frames!.assumingMemoryBound(to: Int32.self).pointee = count
                return SQLITE_OK
            }, frames)
        if mode == .readOnly { try execute("PRAGMA query_only = ON") }
    }

    /// By each of several names SQLite would keep a log of its own, and lose what another's holds.
    private static func requireOneName(_ path: String) throws(SQLiteError) {
        guard try FileIdentity(path: path).names == 1 else {
            throw SQLiteError(
                operation: "open \(path)", code: SQLITE_MISMATCH,
                message: "the file has more than one hard link, and by each name it would have a "
                    + "log of its own; remove the other names")
        }
    }

    deinit {
        // Statements are freed by their owners, which hold this connection alive.
        let code = sqlite3_close_v2(handle)
        assert(code == SQLITE_OK)
        frames.deallocate()
    }

    /// Runs statements that return nothing.
    func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(String(sql.prefix(60))) }
    }

    func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw error("prepare \(sql.prefix(60))") }
        return Statement(owning: statement, of: self, sql: sql)
    }

    /// The first column of the first row, as text.
    func text(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try prepare(sql)
        return try statement.first { $0.text(0) }
    }

    /// The first column of the first row, as a number.
    func integer(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.first { $0.integer(0) }
    }

    /// Throws when the file was deleted, or another one has taken its place: what would be committed
    /// here could not be found again.
    func requireFileInPlace() throws(SQLiteError) {
        var moved: Int32 = 0
        guard cs_has_moved(handle, &moved) == SQLITE_OK, moved == 0 else {
            throw SQLiteError(
                operation: "stat", code: SQLITE_CANTOPEN,
                message: "the database file was moved or deleted while it was open")
        }
    }

    /// True outside a transaction, also after SQLite has rolled one back by itself.
    var isAutocommit: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// A copy of the whole database at `path`, to be made step by step. `path` is a new file.
    func copy(to path: String) throws(SQLiteError) -> DatabaseCopy {
        try DatabaseCopy(of: self, handle: handle, to: path)
    }

    /// Moves what it can of the log into the database without waiting for anybody.
    func checkpointPassively() throws(SQLiteError) -> (logFrames: Int, moved: Int) {
        var log: Int32 = 0
        var moved: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(
            handle, nil, SQLITE_CHECKPOINT_PASSIVE, &log, &moved)
        guard code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else { throw error("checkpoint") }
        return (Int(log), Int(moved))
    }

    func error(_ operation: String) -> SQLiteError {
        SQLiteError(
            operation: operation, code: sqlite3_extended_errcode(handle),
            message: String(cString: sqlite3_errmsg(handle)))
    }
}

@available(*, unavailable)
extension Connection: Sendable {}
