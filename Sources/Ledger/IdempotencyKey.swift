package import Platform

/// The key that a client gives one intent, for the life of that intent. A UUID of any version but
/// nil and max; it belongs to a customer, so alone it names nothing.
package struct IdempotencyKey: UUIDIdentifier {
    package let uuid: UUID128

    /// From storage, or of an intent made here.
    package init(_ uuid: UUID128) { self.uuid = uuid }

    /// Reads the bare form only, as in a path; nil for anything else, nil and max UUIDs included.
    package init?(_ text: Span<UInt8>) {
        guard let uuid = UUID128(text), uuid != .nil, uuid != .max else { return nil }
        self.init(uuid)
    }

    /// Reads the value of an `Idempotency-Key` header line: the UUID's 36-character form, bare or
    /// as an RFC 9651 string in double quotes, in either letter case.
    ///
    /// The HTTP layer strips the blanks around a value; any that are left are refused.
    package init(headerValue: Span<UInt8>) throws(IdempotencyKeyRefusal) {
        let count = headerValue.count
        let quoted = count >= 2 && headerValue[0] == 0x22 && headerValue[count - 1] == 0x22
        let value = quoted ? headerValue.extracting(1..<count - 1) : headerValue
        guard !value.isEmpty else { throw .empty }
        if let refusal = Self.foreignSyntax(in: value) { throw refusal }
        guard value.count == 36 else { throw .length }
        guard let uuid = UUID128(value) else { throw .notUUID }
        guard uuid != .nil else { throw .nilUUID }
        guard uuid != .max else { throw .maxUUID }
        self.init(uuid)
    }

    /// The reason that says most, where a value has bytes that no UUID has.
    private static func foreignSyntax(in value: Span<UInt8>) -> IdempotencyKeyRefusal? {
        var found: IdempotencyKeyRefusal?
        for index in 0..<value.count {
            let next: IdempotencyKeyRefusal
            switch value[index] {
            case 0x2C: next = .list
            case 0x3B: next = .parameters
            case 0x5C: next = .escape
            case 0x22: next = .quotes
            case 0x20, 0x09: next = .blank
            case 0x21...0x7E: continue
            default: next = .character
            }
            if let earlier = found, earlier.rank <= next.rank { continue }
            found = next
        }
        return found
    }
}

/// Why a value of `Idempotency-Key` is not a key.
package enum IdempotencyKeyRefusal: Error, Hashable, Sendable, CaseIterable {
    case empty
    case list
    case parameters
    case escape
    case quotes
    case blank
    case character
    case length
    case notUUID
    case nilUUID
    case maxUUID

    /// The smaller one is told when a value has several faults: `"K", "K"` is a list before it is
    /// anything else.
    fileprivate var rank: Int {
        switch self {
        case .list: 0
        case .parameters: 1
        case .escape: 2
        case .quotes: 3
        case .blank: 4
        default: 5
        }
    }

    /// For people: what is wrong and what to send.
    package var detail: String {
        let send =
            "send one UUID in its 36-character form, "
            + "such as 8e03978e-40d5-43dd-bc93-6894a57f9324, bare or in double quotes"
        switch self {
        case .empty: return "The key is empty: \(send)."
        case .list: return "The value is a list: \(send), not a comma-separated list."
        case .parameters: return "The value has parameters: \(send), with no \";\" after it."
        case .escape: return "The value has a backslash: \(send), without escapes."
        case .quotes: return "The double quotes do not enclose exactly one value: \(send)."
        case .blank: return "The value has blanks: \(send), without spaces or tabs."
        case .character:
            return "The value has a byte that is not printable ASCII: \(send)."
        case .length: return "The value is not 36 characters long: \(send)."
        case .notUUID: return "The value is not a UUID: \(send)."
        case .nilUUID:
            return "The nil UUID is everybody's: send a UUID made at random for this intent."
        case .maxUUID:
            return "The max UUID is everybody's: send a UUID made at random for this intent."
        }
    }
}
