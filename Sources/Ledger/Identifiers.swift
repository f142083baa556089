package import Platform

/// An id that is a UUID. Ordered by its bytes; its description is the 36-character form in lower
/// case.
package protocol UUIDIdentifier: Hashable, Comparable, Sendable, Loggable, CustomStringConvertible {
    /// The id as two machine words, as it is stored.
    var uuid: UUID128 { get }
    init(_ uuid: UUID128)

    /// Reads the 36-character form in either letter case; nil for anything else.
    init?(_ text: Span<UInt8>)
}

extension UUIDIdentifier {
    package init?(_ text: Span<UInt8>) {
        guard let uuid = UUID128(text) else { return nil }
        self.init(uuid)
    }

    /// Reads the same from a string.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(bytes.span)
    }

    package static func < (a: Self, b: Self) -> Bool { a.uuid < b.uuid }
    package var description: String { uuid.description }
    package var logValue: LogValue { uuid.logValue }
}

/// Names one committed intent and the transfer that came of it.
package struct TransferID: UUIDIdentifier {
    package let uuid: UUID128
    package init(_ uuid: UUID128) { self.uuid = uuid }
}

/// Names an account where its IBAN must not stand, such as a URL.
package struct AccountID: UUIDIdentifier {
    package let uuid: UUID128
    package init(_ uuid: UUID128) { self.uuid = uuid }
}

/// The customer that a token's `sub` names: 1 to 64 printable ASCII bytes, compared byte by byte.
package struct CustomerID: Hashable, Comparable, Sendable, Loggable, CustomStringConvertible {
    /// As the token has it.
    package let text: String

    /// Nil for another length or a byte outside 0x21 to 0x7E, as in a token's subject.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard (1...64).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }

    /// The order in which customers are locked.
    package static func < (a: Self, b: Self) -> Bool { a.text < b.text }
    package var description: String { text }
    package var logValue: LogValue { .text(text) }
}
