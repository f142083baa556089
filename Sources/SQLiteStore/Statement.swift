import CSQLite
import Crypto
import Ledger
import Platform

/// One prepared statement: bound, stepped, and always reset with its bindings cleared.
final class Statement {
    private let handle: OpaquePointer
    /// Keeps the connection open for as long as the statement lives.
    private let connection: Connection
    private let sql: String
    /// Bound bytes live here until the reset, so that SQLite need not copy each into memory of its
    /// own; what does not fit is left to SQLite.
    private let arena = UnsafeMutableRawBufferPointer.allocate(byteCount: 2048, alignment: 8)
    private var arenaUsed = 0

    init(owning handle: OpaquePointer, of connection: Connection, sql: String) {
        self.handle = handle
        self.connection = connection
        self.sql = sql
    }

    deinit {
        sqlite3_finalize(handle)
        arena.deallocate()
    }

    // MARK: Binding, from parameter 1 on

    func bind(_ index: Int32, _ value: Int64) { check(sqlite3_bind_int64(handle, index, value)) }

    func bind(_ index: Int32, _ value: Int64?) {
        if let value { bind(index, value) } else { check(sqlite3_bind_null(handle, index)) }
    }

    func bind(_ index: Int32, _ text: String) {
        var text = text
        text.withUTF8 { bytes in
            let raw = UnsafeRawBufferPointer(bytes)
            if let kept = keep(raw) {
                let characters = kept.assumingMemoryBound(to: CChar.self)
                check(cs_bind_text_static(handle, index, characters, Int32(raw.count)))
            } else {
                let characters = raw.baseAddress!.assumingMemoryBound(to: CChar.self)
                check(cs_bind_text_copy(handle, index, characters, Int32(raw.count)))
            }
        }
    }

    func bind(_ index: Int32, _ text: String?) {
        if let text { bind(index, text) } else { check(sqlite3_bind_null(handle, index)) }
    }

    func bind(_ index: Int32, _ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bind(index, $0) }
    }

    private func bind(_ index: Int32, _ raw: UnsafeRawBufferPointer) {
        if let kept = keep(raw) {
            check(cs_bind_blob_static(handle, index, kept, Int32(raw.count)))
        } else {
            check(cs_bind_blob_copy(handle, index, raw.baseAddress!, Int32(raw.count)))
        }
    }

    /// Copies into the arena; nil when it is too full. Never nil for an empty value, which has an
    /// address there and so is not mistaken for NULL.
    private func keep(_ raw: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
        guard raw.count < arena.count - arenaUsed else { return nil }
        let place = UnsafeMutableRawBufferPointer(
            rebasing: arena[arenaUsed..<arenaUsed + raw.count + 1])
        place.copyMemory(from: raw)
        arenaUsed += raw.count + 1
        return UnsafeRawPointer(place.baseAddress!)
    }

    func bind(_ index: Int32, _ id: UUID128) {
        var words = (id.high.bigEndian, id.low.bigEndian)
        withUnsafeBytes(of: &words) { bind(index, $0) }
    }

    func bind(_ index: Int32, _ digest: Digest256?) {
        guard let digest else { return check(sqlite3_bind_null(handle, index)) }
        var words = (
            digest.word0.bigEndian, digest.word1.bigEndian, digest.word2.bigEndian,
            digest.word3.bigEndian
        )
        withUnsafeBytes(of: &words) { bind(index, $0) }
    }

    func bind(_ index: Int32, _ id: UUID128?) {
        if let id { bind(index, id) } else { check(sqlite3_bind_null(handle, index)) }
    }

    func bind(_ index: Int32, _ instant: Instant) { bind(index, instant.microseconds) }
    func bind(_ index: Int32, _ customer: CustomerID) { bind(index, customer.text) }
    func bind(_ index: Int32, _ iban: IBAN) { bind(index, iban.text) }

    /// Binding fails only for a wrong index or no memory: defects, not conditions.
    private func check(_ code: Int32) {
        precondition(code == SQLITE_OK, "binding failed with \(code) in \(sql)")
    }

    // MARK: Running

    /// Runs a statement that returns no rows.
    func run() throws(SQLiteError) {
        let code = sqlite3_step(handle)
        let failure = code == SQLITE_DONE ? nil : connection.error(String(sql.prefix(60)))
        reset()
        if let failure { throw failure }
    }

    /// Calls `body` for each row.
    func eachRow(_ body: (Row) throws(SQLiteError) -> Void) throws(SQLiteError) {
        defer { reset() }
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: try body(Row(handle: handle))
            case SQLITE_DONE: return
            default: throw connection.error(String(sql.prefix(60)))
            }
        }
    }

    /// The first row's value, or nil without a row.
    func first<Value>(_ body: (Row) throws(SQLiteError) -> Value?) throws(SQLiteError) -> Value? {
        defer { reset() }
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return try body(Row(handle: handle))
        case SQLITE_DONE: return nil
        default: throw connection.error(String(sql.prefix(60)))
        }
    }

    private func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        arenaUsed = 0
    }
}

@available(*, unavailable)
extension Statement: Sendable {}

/// The current row; valid only inside the closure it was passed to.
struct Row {
    fileprivate let handle: OpaquePointer

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(sqlite3_column_bytes(handle, column))
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    func uuid(_ column: Int32) throws(SQLiteError) -> UUID128 {
        guard let start = sqlite3_column_blob(handle, column),
            sqlite3_column_bytes(handle, column) == 16
        else { throw damaged(column, "a 16-byte id") }
        let high = start.loadUnaligned(as: UInt64.self)
        let low = (start + 8).loadUnaligned(as: UInt64.self)
        return UUID128(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
    }

    func optionalUUID(_ column: Int32) throws(SQLiteError) -> UUID128? {
        isNull(column) ? nil : try uuid(column)
    }

    func instant(_ column: Int32) -> Instant { Instant(microseconds: integer(column)) }

    func customer(_ column: Int32) throws(SQLiteError) -> CustomerID {
        guard let id = CustomerID(text(column)) else { throw damaged(column, "a customer id") }
        return id
    }

    func iban(_ column: Int32) throws(SQLiteError) -> IBAN {
        do throws(IBANRefusal) { return try IBAN(text(column)) } catch {
            throw damaged(column, "an IBAN")
        }
    }

    func currency(_ column: Int32) throws(SQLiteError) -> Currency {
        guard let currency = Currency(text(column)) else {
            throw damaged(column, "a currency of ISO 4217")
        }
        return currency
    }

    func value<Raw: RawRepresentable>(
        _ column: Int32, as type: Raw.Type
    ) throws(SQLiteError) -> Raw where Raw.RawValue: FixedWidthInteger {
        guard let raw = Raw.RawValue(exactly: integer(column)), let value = Raw(rawValue: raw)
        else { throw damaged(column, "a \(type)") }
        return value
    }

    func optionalValue<Raw: RawRepresentable>(
        _ column: Int32, as type: Raw.Type
    ) throws(SQLiteError) -> Raw? where Raw.RawValue: FixedWidthInteger {
        isNull(column) ? nil : try value(column, as: type)
    }

    private func damaged(_ column: Int32, _ expected: String) -> SQLiteError {
        let name = sqlite3_column_name(handle, column).map { String(cString: $0) } ?? "?"
        return SQLiteError(
            operation: "read \(name)", code: SQLITE_CORRUPT,
            message: "the stored value is not \(expected)")
    }
}
