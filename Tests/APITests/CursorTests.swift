import Crypto
import Testing

@testable import API

@Suite("Cursors") struct CursorTests {
    private static let seal = HMACSHA256(key: [UInt8](repeating: 1, count: 32))

    @Test(
        "a sealed cursor opens to what it was",
        arguments: [Int64(1), 0, -1, 255, 256, .max, .min], [UInt16(0), 1, 0x8001, .max])
    func opens(_ sequence: Int64, _ states: UInt16) throws {
        let alice = try customerID("alice")
        let cursor = Cursor(sequence: sequence, states: states)
        let text = cursor.sealed(for: alice, by: Self.seal)
        #expect(text.utf8.count == 36)
        #expect(Cursor(text, for: alice, by: Self.seal) == cursor)
    }

    @Test("a cursor is worth nothing to another customer, or under another secret")
    func others() throws {
        let (alice, bob) = (try customerID("alice"), try customerID("bob"))
        let text = Cursor(sequence: 7, states: 2).sealed(for: alice, by: Self.seal)
        #expect(Cursor(text, for: bob, by: Self.seal) == nil)
        let other = HMACSHA256(key: [UInt8](repeating: 2, count: 32))
        #expect(Cursor(text, for: alice, by: other) == nil)
    }

    @Test("filters are part of the seal: another filter is another cursor")
    func filters() throws {
        let alice = try customerID("alice")
        let texts = (0..<16).map {
            Cursor(sequence: 7, states: 1 << UInt16($0)).sealed(for: alice, by: Self.seal)
        }
        #expect(Set(texts).count == 16)
        // The content of one with the seal of another.
        let mixed = String(texts[0].prefix(14)) + String(texts[1].dropFirst(14))
        #expect(Cursor(mixed, for: alice, by: Self.seal) == nil)
    }

    @Test("a change of any bit of any byte is noticed")
    func tampering() throws {
        let alice = try customerID("alice")
        let cursor = Cursor(sequence: 0x0102_0304_0506_0708, states: 0x0A0B)
        let bytes = try #require(Base64URL.decode(cursor.sealed(for: alice, by: Self.seal)))
        #expect(bytes.count == 27)
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                let text = Base64URL.encode(changed)
                #expect(Cursor(text, for: alice, by: Self.seal) == nil, "byte \(index) bit \(bit)")
            }
        }
    }

    @Test("what was never a cursor is none", arguments: ["", "A", "AAAA", "%", "é", "=="])
    func garbage(_ text: String) throws {
        #expect(Cursor(text, for: try customerID("alice"), by: Self.seal) == nil)
    }

    @Test("a cursor that is longer or shorter by a byte is none")
    func lengths() throws {
        let alice = try customerID("alice")
        let text = Cursor(sequence: 7, states: 0).sealed(for: alice, by: Self.seal)
        let bytes = try #require(Base64URL.decode(text))
        for other in [bytes + [0], Array(bytes.dropLast()), [0] + bytes] {
            #expect(Cursor(Base64URL.encode(other), for: alice, by: Self.seal) == nil)
        }
        #expect(Cursor(text + "=", for: alice, by: Self.seal) == nil)
    }
}
