import Crypto
import Ledger
import Platform

/// The parameters of one execution in PostgreSQL's binary form. Add them in the order of their
/// numbers.
struct Parameters {
    private var bytes: [UInt8] = []
    /// Where each parameter begins and ends in `bytes`; nil for NULL.
    private var ranges: [Range<Int>?] = []

    static let none = Parameters()

    /// `capacity`: bytes to make room for.
    init(capacity: Int = 64) { bytes.reserveCapacity(capacity) }

    /// Days and microseconds between 1970 and 2000, where PostgreSQL's times begin.
    static let epochDays: Int64 = 10_957
    static let epochMicroseconds: Int64 = 946_684_800_000_000

    // MARK: Single values

    mutating func add(_ value: Int64) { single { $0.append(bigEndian: value) } }
    mutating func add(_ value: Int16) { single { $0.append(bigEndian: value) } }
    mutating func add(_ text: String) { single { $0.append(contentsOf: text.utf8) } }
    mutating func add(_ id: UUID128) { single { $0.append(uuid: id) } }
    mutating func add(_ value: [UInt8]) { single { $0.append(contentsOf: value) } }
    mutating func add(_ instant: Instant) { single { $0.append(timestamp: instant) } }

    mutating func add(_ text: String?) {
        if let text { add(text) } else { ranges.append(nil) }
    }

    private mutating func single(_ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        write(&bytes)
        ranges.append(start..<bytes.count)
    }

    // MARK: One array for each column of the rows

    mutating func bigints<Rows: Collection>(_ rows: Rows, _ value: (Rows.Element) -> Int64?) {
        array(of: .bigint, rows) { row, bytes in
            guard let value = value(row) else { return bytes.append(bigEndian: Int32(-1)) }
            bytes.append(bigEndian: Int32(8))
            bytes.append(bigEndian: value)
        }
    }

    mutating func smallints<Rows: Collection>(_ rows: Rows, _ value: (Rows.Element) -> Int16?) {
        array(of: .smallint, rows) { row, bytes in
            guard let value = value(row) else { return bytes.append(bigEndian: Int32(-1)) }
            bytes.append(bigEndian: Int32(2))
            bytes.append(bigEndian: value)
        }
    }

    mutating func texts<Rows: Collection>(_ rows: Rows, _ value: (Rows.Element) -> String?) {
        array(of: .text, rows) { row, bytes in
            guard let value = value(row) else { return bytes.append(bigEndian: Int32(-1)) }
            let text = value.utf8
            bytes.append(bigEndian: Int32(text.count))
            bytes.append(contentsOf: text)
        }
    }

    mutating func uuids<Rows: Collection>(_ rows: Rows, _ value: (Rows.Element) -> UUID128?) {
        array(of: .uuid, rows) { row, bytes in
            guard let value = value(row) else { return bytes.append(bigEndian: Int32(-1)) }
            bytes.append(bigEndian: Int32(16))
            bytes.append(uuid: value)
        }
    }

    mutating func digests<Rows: Collection>(_ rows: Rows, _ value: (Rows.Element) -> Digest256?) {
        array(of: .bytes, rows) { row, bytes in
            guard let value = value(row) else { return bytes.append(bigEndian: Int32(-1)) }
            bytes.append(bigEndian: Int32(32))
            for word in [value.word0, value.word1, value.word2, value.word3] {
                bytes.append(bigEndian: word)
            }
        }
    }

    mutating func blobs<Rows: Collection>(_ rows: Rows, _ value: (Rows.Element) -> [UInt8]) {
        array(of: .bytes, rows) { row, bytes in
            let value = value(row)
            bytes.append(bigEndian: Int32(value.count))
            bytes.append(contentsOf: value)
        }
    }

    mutating func timestamps<Rows: Collection>(
        _ rows: Rows, _ value: (Rows.Element) -> Instant?
    ) {
        array(of: .timestamp, rows) { row, bytes in
            guard let value = value(row) else { return bytes.append(bigEndian: Int32(-1)) }
            bytes.append(bigEndian: Int32(8))
            bytes.append(timestamp: value)
        }
    }

    /// Days since 1970-01-01.
    mutating func dates<Rows: Collection>(_ rows: Rows, _ value: (Rows.Element) -> Int64) {
        array(of: .date, rows) { row, bytes in
            bytes.append(bigEndian: Int32(4))
            bytes.append(bigEndian: Int32(clamping: value(row) - Self.epochDays))
        }
    }

    private mutating func array<Rows: Collection>(
        of type: PreparedStatement.ValueType, _ rows: Rows,
        _ write: (Rows.Element, inout [UInt8]) -> Void
    ) {
        let start = bytes.count
        // Dimensions, whether there may be a NULL, the elements' type; then the one dimension's
        // length and first index.
        bytes.append(bigEndian: Int32(rows.isEmpty ? 0 : 1))
        bytes.append(bigEndian: Int32(1))
        bytes.append(bigEndian: type.rawValue)
        if !rows.isEmpty {
            bytes.append(bigEndian: Int32(rows.count))
            bytes.append(bigEndian: Int32(1))
        }
        for row in rows { write(row, &bytes) }
        ranges.append(start..<bytes.count)
    }

    // MARK: Sending

    /// Calls `body` with what libpq wants: values, lengths, formats, all binary.
    func withPointers<Result>(
        _ body: (Int32, [UnsafePointer<CChar>?], [Int32], [Int32]) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { raw in
            // An empty value is not NULL: it needs an address.
            let base = raw.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
            let values = ranges.map { range in
                range.map { (base + $0.lowerBound).assumingMemoryBound(to: CChar.self) }
            }
            let lengths = ranges.map { Int32($0?.count ?? 0) }
            return body(
                Int32(ranges.count), values, lengths, [Int32](repeating: 1, count: ranges.count))
        }
    }
}

extension [UInt8] {
    /// In network order.
    mutating func append<Value: FixedWidthInteger>(bigEndian value: Value) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func append(uuid: UUID128) {
        append(bigEndian: uuid.high)
        append(bigEndian: uuid.low)
    }

    fileprivate mutating func append(timestamp instant: Instant) {
        append(bigEndian: instant.microseconds - Parameters.epochMicroseconds)
    }
}
