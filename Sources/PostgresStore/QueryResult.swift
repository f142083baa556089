import CPostgres
import Crypto
import Ledger
import Platform

/// The rows that one execution answered, in binary form; the only owner of libpq's memory of them.
final class QueryResult {
    private let handle: OpaquePointer
    let count: Int

    init(owning handle: OpaquePointer) {
        self.handle = handle
        count = Int(PQntuples(handle))
    }

    deinit { PQclear(handle) }

    /// "COMMIT", "INSERT 0 5" and so on.
    var commandTag: String { String(cString: PQcmdStatus(handle)) }

    /// Rows that were written.
    var affectedRows: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

    /// Calls `body` for each row.
    func eachRow<Failure: Error>(_ body: (Row) throws(Failure) -> Void) throws(Failure) {
        for index in 0..<count { try body(Row(handle: handle, index: Int32(index))) }
    }

    /// The first row's value, or nil without a row.
    func first<Value, Failure: Error>(
        _ body: (Row) throws(Failure) -> Value?
    ) throws(Failure) -> Value? {
        count == 0 ? nil : try body(Row(handle: handle, index: 0))
    }
}

@available(*, unavailable)
extension QueryResult: Sendable {}

/// One row; valid only inside the closure that it was passed to. Columns count from 0.
struct Row {
    fileprivate let handle: OpaquePointer
    fileprivate let index: Int32

    func isNull(_ column: Int32) -> Bool { PQgetisnull(handle, index, column) == 1 }

    private func raw(_ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(handle, index, column),
            count: Int(PQgetlength(handle, index, column)))
    }

    /// smallint, integer, bigint or boolean; 0 for NULL.
    func integer(_ column: Int32) -> Int64 {
        let raw = raw(column)
        switch raw.count {
        case 8: return Int64(bigEndian: raw.loadUnaligned(as: Int64.self))
        case 4: return Int64(Int32(bigEndian: raw.loadUnaligned(as: Int32.self)))
        case 2: return Int64(Int16(bigEndian: raw.loadUnaligned(as: Int16.self)))
        case 1: return Int64(raw[0])
        default: return 0
        }
    }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func boolean(_ column: Int32) -> Bool { integer(column) != 0 }

    func text(_ column: Int32) -> String { String(decoding: raw(column), as: UTF8.self) }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    func bytes(_ column: Int32) -> [UInt8] { Array(raw(column)) }

    func uuid(_ column: Int32) throws(PostgresError) -> UUID128 {
        let raw = raw(column)
        guard raw.count == 16, !isNull(column) else { throw damaged(column, "a UUID") }
        return UUID128(
            high: UInt64(bigEndian: raw.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    func optionalUUID(_ column: Int32) throws(PostgresError) -> UUID128? {
        isNull(column) ? nil : try uuid(column)
    }

    func instant(_ column: Int32) -> Instant {
        Instant(microseconds: integer(column) &+ Parameters.epochMicroseconds)
    }

    func optionalInstant(_ column: Int32) -> Instant? { isNull(column) ? nil : instant(column) }

    /// Days since 1970-01-01.
    func day(_ column: Int32) -> Int64 { integer(column) + Parameters.epochDays }

    func customer(_ column: Int32) throws(PostgresError) -> CustomerID {
        guard let id = CustomerID(text(column)) else { throw damaged(column, "a customer id") }
        return id
    }

    func iban(_ column: Int32) throws(PostgresError) -> IBAN {
        do throws(IBANRefusal) { return try IBAN(text(column)) } catch {
            throw damaged(column, "an IBAN")
        }
    }

    func currency(_ column: Int32) throws(PostgresError) -> Currency {
        guard let currency = Currency(text(column)) else {
            throw damaged(column, "a currency of ISO 4217")
        }
        return currency
    }

    func digest(_ column: Int32) throws(PostgresError) -> Digest256 {
        guard let digest = Digest256(bytes: raw(column)) else {
            throw damaged(column, "a SHA-256 digest")
        }
        return digest
    }

    func value<Raw: RawRepresentable>(
        _ column: Int32, as type: Raw.Type
    ) throws(PostgresError) -> Raw where Raw.RawValue: FixedWidthInteger {
        guard let raw = Raw.RawValue(exactly: integer(column)), let value = Raw(rawValue: raw)
        else { throw damaged(column, "a \(type)") }
        return value
    }

    private func damaged(_ column: Int32, _ expected: String) -> PostgresError {
        let name = PQfname(handle, column).map { String(cString: $0) } ?? "?"
        return PostgresError(
            operation: "read \(name)", cause: .value,
            message: "the stored value is not \(expected)")
    }
}
