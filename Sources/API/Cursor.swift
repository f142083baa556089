import Crypto
import Ledger

/// A place in a customer's list, opaque to the client: the last event number that was looked at,
/// sealed together with the customer and the filters, so that a cursor works only where it was made.
struct Cursor: Equatable {
    let sequence: Int64
    /// A bit for each state that the list was filtered by.
    let states: UInt16

    private static let version: UInt8 = 1
    private static let sealBytes = 16

    func sealed(for customer: CustomerID, by seal: HMACSHA256) -> String {
        let content = self.content
        return Base64URL.encode(content + Self.code(content, customer, seal))
    }

    /// Nil unless it was sealed for this customer with this secret.
    init?(_ text: String, for customer: CustomerID, by seal: HMACSHA256) {
        let length = 1 + 2 + 8
        guard let bytes = Base64URL.decode(text), bytes.count == length + Self.sealBytes,
            bytes[0] == Self.version
        else { return nil }
        let content = Array(bytes[..<length])
        let expected = Self.code(content, customer, seal)
        let given = Array(bytes[length...])
        guard ConstantTime.equal(expected.span, given.span) else { return nil }
        states = UInt16(content[1]) << 8 | UInt16(content[2])
        sequence = Int64(
            bitPattern: content[3...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    init(sequence: Int64, states: UInt16) {
        self.sequence = sequence
        self.states = states
    }

    private var content: [UInt8] {
        var bytes = [Self.version, UInt8(states >> 8), UInt8(states & 0xFF)]
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: sequence >> Int64(shift)))
        }
        return bytes
    }

    private static func code(
        _ content: [UInt8], _ customer: CustomerID, _ seal: HMACSHA256
    ) -> [UInt8] {
        let sealed = content + customer.text.utf8
        return Array(seal.code(for: sealed.span).bytes.prefix(sealBytes))
    }
}
