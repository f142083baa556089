/// An answer: a status, field lines and a body. The server adds Date, Content-Length and
/// Connection; a handler never sets those.
package struct Response: Sendable {
    /// How an answer leaves. All but `send` end the connection; `reset` and `truncate` exist for the
    /// sandbox, which breaks connections on purpose.
    package enum Delivery: Sendable, Equatable {
        case send
        /// Send it, then close.
        case close
        /// Send nothing and reset the connection.
        case reset
        /// Send that many bytes of the answer, its head included, then close.
        case truncate(bytes: Int)
    }

    /// 200 to 599.
    package var status: Int
    package var body: [UInt8]
    package var delivery = Delivery.send

    /// Field lines as they go out, each ended by CRLF.
    private(set) var fields: [UInt8] = []
    /// A bit for every name set, by length and first letter, so that most calls need no search.
    private var names: UInt64 = 0

    package init(status: Int, body: [UInt8] = []) {
        self.status = status
        self.body = body
    }

    /// Sets a field, replacing an earlier one of that name.
    ///
    /// `name` is a token of ours. Bytes of `value` that may not stand in a field value (RFC 9110
    /// section 5.5: CR, LF, NUL and the other control bytes) are replaced by spaces.
    package mutating func setField(_ name: StaticString, _ value: some Sequence<UInt8>) {
        let bit = Self.bit(name)
        if names & bit != 0 { removeField(name) }
        names |= bit
        appendField(name, value)
    }

    package mutating func setField(_ name: StaticString, _ value: Span<UInt8>) {
        value.withUnsafeBufferPointer { setField(name, $0) }
    }

    package mutating func setField(_ name: StaticString, _ value: StaticString) {
        setField(
            name, UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
    }

    package mutating func setField(_ name: StaticString, _ value: String) {
        setField(name, value.utf8)
    }

    package mutating func setField(_ name: StaticString, _ value: Int) {
        setField(name, String(value).utf8)
    }

    /// Adds a field line and keeps earlier ones of that name.
    package mutating func addField(_ name: StaticString, _ value: some Sequence<UInt8>) {
        names |= Self.bit(name)
        appendField(name, value)
    }

    /// Takes every field line of that name away.
    package mutating func removeField(_ name: StaticString) {
        var start = 0
        while start < fields.count {
            var end = start
            while fields[end] != ByteClass.lineFeed { end += 1 }
            let length = name.utf8CodeUnitCount
            if end - start > length, fields[start + length] == 0x3A,
                fields.span.extracting(start..<start + length).equalsIgnoringCase(name)
            {
                fields.removeSubrange(start...end)
            } else {
                start = end + 1
            }
        }
    }

    /// The value of the first field of that name, as it will go out.
    package func field(_ name: StaticString) -> [UInt8]? {
        let length = name.utf8CodeUnitCount
        var start = 0
        while start < fields.count {
            var end = start
            while fields[end] != ByteClass.lineFeed { end += 1 }
            if end - start > length, fields[start + length] == 0x3A,
                fields.span.extracting(start..<start + length).equalsIgnoringCase(name)
            {
                return Array(fields[start + length + 2..<end - 1])
            }
            start = end + 1
        }
        return nil
    }

    private mutating func appendField(_ name: StaticString, _ value: some Sequence<UInt8>) {
        if fields.isEmpty { fields.reserveCapacity(256) }
        fields.append(text: name)
        fields.append(0x3A)
        fields.append(ByteClass.space)
        let start = fields.count
        fields.append(contentsOf: value)
        for index in start..<fields.count where !ByteClass.isFieldValue(fields[index]) {
            fields[index] = ByteClass.space
        }
        fields.append(ByteClass.carriageReturn)
        fields.append(ByteClass.lineFeed)
    }

    private static func bit(_ name: StaticString) -> UInt64 {
        let first = Int(ByteClass.lowercased(name.utf8Start[0]))
        return 1 << UInt64((name.utf8CodeUnitCount * 7 + first) & 63)
    }
}
