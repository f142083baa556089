/// Writes JSON to bytes, compact and with the fewest escapes (RFC 8785 section 3.2.2.2), so that
/// one value has one spelling. Commas are its business; that the calls nest properly is the
/// caller's, and checked in debug builds.
package struct JSONWriter {
    /// What has been written.
    package private(set) var bytes: [UInt8]
    private var needsComma = false
    private var open = 0

    /// `capacity` in bytes; it grows as needed.
    package init(reservingCapacity capacity: Int = 512) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Goes on after `bytes`, as a new document.
    package init(appendingTo bytes: consuming [UInt8]) { self.bytes = bytes }

    /// Begins a value that is an object.
    package mutating func beginObject() { begin(0x7B) }
    /// Ends the innermost object.
    package mutating func endObject() { end(0x7D) }
    /// Begins a value that is an array.
    package mutating func beginArray() { begin(0x5B) }
    /// Ends the innermost array.
    package mutating func endArray() { end(0x5D) }

    /// The name of the next member; needs no escapes.
    package mutating func name(_ name: StaticString) {
        assert(
            name.withUTF8Buffer { $0.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C } })
        separate()
        bytes.append(0x22)
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(0x22)
        bytes.append(0x3A)
        needsComma = false
    }

    /// The name of the next member, escaped as needed.
    package mutating func name(dynamic name: String) {
        string(name)
        bytes.append(0x3A)
        needsComma = false
    }

    /// A string, escaped as needed.
    package mutating func string(_ text: String) {
        separate()
        bytes.append(0x22)
        var text = text
        text.withUTF8 { escape($0) }
        bytes.append(0x22)
        needsComma = true
    }

    /// A string of ASCII that `body` appends and that needs no escapes, such as an id or a time.
    package mutating func plainString(_ body: (inout [UInt8]) -> Void) {
        separate()
        bytes.append(0x22)
        let start = bytes.count
        body(&bytes)
        assert(
            bytes[start...].allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C })
        bytes.append(0x22)
        needsComma = true
    }

    /// A number without fraction or exponent.
    package mutating func integer(_ value: Int64) {
        separate()
        appendDecimal(value)
        needsComma = true
    }

    /// `true` or `false`.
    package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }
    /// `null`.
    package mutating func null() { raw("null") }

    /// One complete JSON value, written before.
    package mutating func raw(_ json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    /// A member whose value is a string, escaped as needed.
    package mutating func member(_ name: StaticString, _ value: String) {
        self.name(name)
        string(value)
    }

    /// A member whose value is an integer.
    package mutating func member(_ name: StaticString, _ value: Int64) {
        self.name(name)
        integer(value)
    }

    /// A member whose value is a boolean.
    package mutating func member(_ name: StaticString, _ value: Bool) {
        self.name(name)
        bool(value)
    }

    /// A member whose value is one complete JSON value, written before.
    package mutating func member(_ name: StaticString, raw json: [UInt8]) {
        self.name(name)
        raw(json)
    }

    /// A member whose value is ASCII that needs no escapes; see `plainString`.
    package mutating func member(_ name: StaticString, plain body: (inout [UInt8]) -> Void) {
        self.name(name)
        plainString(body)
    }

    /// A member whose value is `null`.
    package mutating func nullMember(_ name: StaticString) {
        self.name(name)
        null()
    }

    /// Begins a member whose value is an object.
    package mutating func beginObject(_ name: StaticString) {
        self.name(name)
        beginObject()
    }

    /// Begins a member whose value is an array.
    package mutating func beginArray(_ name: StaticString) {
        self.name(name)
        beginArray()
    }

    /// The finished document.
    package consuming func finish() -> [UInt8] {
        assert(open == 0, "an object or array was not ended")
        return bytes
    }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
        open += 1
    }

    private mutating func end(_ bracket: UInt8) {
        assert(open > 0, "nothing is open")
        bytes.append(bracket)
        needsComma = true
        open -= 1
    }

    private mutating func separate() {
        if needsComma { bytes.append(0x2C) }
    }

    private mutating func raw(_ word: StaticString) {
        separate()
        word.withUTF8Buffer { bytes.append(contentsOf: $0) }
        needsComma = true
    }

    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        var clean = 0
        for index in text.indices {
            let byte = text[index]
            guard byte < 0x20 || byte == 0x22 || byte == 0x5C else { continue }
            bytes.append(contentsOf: text[clean..<index])
            clean = index + 1
            bytes.append(0x5C)
            switch byte {
            case 0x22, 0x5C: bytes.append(byte)
            case 0x08: bytes.append(0x62)
            case 0x09: bytes.append(0x74)
            case 0x0A: bytes.append(0x6E)
            case 0x0C: bytes.append(0x66)
            case 0x0D: bytes.append(0x72)
            default:
                let low = byte & 0xF
                bytes.append(contentsOf: [0x75, 0x30, 0x30, 0x30 + byte >> 4])
                bytes.append(low < 10 ? 0x30 + low : 0x61 + low - 10)
            }
        }
        bytes.append(contentsOf: text[clean...])
    }

    private mutating func appendDecimal(_ value: Int64) {
        if value < 0 { bytes.append(0x2D) }
        var digits = [20 of UInt8](repeating: 0x30)
        var start = 20
        var magnitude = value.magnitude
        repeat {
            start -= 1
            digits[start] = 0x30 + UInt8(truncatingIfNeeded: magnitude % 10)
            magnitude /= 10
        } while magnitude > 0
        digits.span.extracting(start..<20).withUnsafeBufferPointer {
            bytes.append(contentsOf: $0)
        }
    }
}
