import Ledger
import Platform
import Testing

@Suite("Identifiers")
struct IdentifierTests {
    @Test("A customer id is 1 to 64 printable ASCII bytes")
    func customerID() {
        #expect(CustomerID("c-1")?.description == "c-1")
        #expect(CustomerID(String(repeating: "x", count: 64)) != nil)
    }

    @Test(
        "A customer id of another length or with other bytes is refused",
        arguments: ["", String(repeating: "x", count: 65), "é", "a\tb", "a\u{7F}", "a\nb", "a\0"])
    func badCustomerID(text: String) {
        #expect(CustomerID(text) == nil)
    }

    @Test("Ids print as lower-case UUIDs and are ordered by their bytes")
    func uuidIDs() throws {
        let text = "8E03978E-40D5-43DD-BC93-6894A57F9324"
        #expect(try #require(TransferID(text)).description == text.lowercased())
        #expect(try #require(AccountID(text)).description == text.lowercased())
        #expect(TransferID("8e03978e") == nil)
        let low = TransferID(UUID128(high: 1, low: .max))
        let high = TransferID(UUID128(high: 2, low: 0))
        #expect(low < high)
        #expect(!(high < low))
    }
}

@Suite("Idempotency key")
struct IdempotencyKeyTests {
    static let text = "8e03978e-40d5-43dd-bc93-6894a57f9324"

    static func key(_ value: String) throws(IdempotencyKeyRefusal) -> IdempotencyKey {
        let bytes = Array(value.utf8)
        return try IdempotencyKey(headerValue: bytes.span)
    }

    @Test(
        "Scenario 24: bare, quoted and upper case are one key",
        arguments: [text, "\"\(text)\"", text.uppercased(), "\"\(text.uppercased())\""])
    func forms(value: String) throws {
        #expect(try Self.key(value).description == Self.text)
    }

    @Test(
        "Scenarios 23 and 24: everything else is refused for its own reason",
        arguments: [
            ("", .empty), ("\"\"", .empty), (" ", .blank), ("\t", .blank),
            (text + " ", .blank), (" " + text, .blank), ("\" \(text)\"", .blank),
            ("K, K", .list), ("\(text),\(text)", .list), ("\"\(text)\", \"\(text)\"", .list),
            (text + ";a=1", .parameters), ("\"\(text)\";a", .parameters),
            ("\"8e03978e\\-40d5-43dd-bc93-6894a57f9324\"", .escape),
            ("\"" + text, .quotes), (text + "\"", .quotes), ("\"", .quotes),
            ("\"\"\(text)\"\"", .quotes),
            (text + "\r", .character), (text + "\n", .character), ("\u{7F}", .character),
            ("é", .character), ("\0", .character),
            ("../", .length), (String(text.dropLast()), .length), (text + "0", .length),
            ("8e03978e40d543ddbc936894a57f9324", .length), ("{\(text)}", .length),
            ("urn:uuid:\(text)", .length), ("'\(text)'", .length),
            ("8e03978e-40d5-43dd-bc93-6894a57f932g", .notUUID),
            ("8e03978e-40d5-43dd-bc936-894a57f9324", .notUUID),
            ("8e03978e_40d5_43dd_bc93_6894a57f9324", .notUUID),
            ("00000000-0000-0000-0000-000000000000", .nilUUID),
            ("\"00000000-0000-0000-0000-000000000000\"", .nilUUID),
            ("ffffffff-ffff-ffff-ffff-ffffffffffff", .maxUUID),
            ("FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", .maxUUID),
        ] as [(String, IdempotencyKeyRefusal)])
    func refusals(value: String, refusal: IdempotencyKeyRefusal) {
        #expect(throws: refusal) { try Self.key(value) }
    }

    @Test("A key in a path is bare, and neither nil nor max")
    func inPath() throws {
        #expect(try IdempotencyKey(Self.text) == Self.key(Self.text))
        #expect(IdempotencyKey("\"\(Self.text)\"") == nil)
        #expect(IdempotencyKey(UUID128.nil.description) == nil)
        #expect(IdempotencyKey(UUID128.max.description) == nil)
    }

    @Test("Every refusal says what to send", arguments: IdempotencyKeyRefusal.allCases)
    func details(refusal: IdempotencyKeyRefusal) {
        #expect(refusal.detail.contains("send "))
        #expect(refusal.detail.hasSuffix("."))
    }

    @Test("Any one byte changed in a key gives another key or a refusal")
    func oneByteChanged() throws {
        let original = try Self.key(Self.text)
        for index in 0..<36 {
            for byte in UInt8.min...UInt8.max {
                var bytes = Array(Self.text.utf8)
                let upper = Array(Self.text.uppercased().utf8)[index]
                if byte == bytes[index] || byte == upper { continue }
                bytes[index] = byte
                let changed = try? IdempotencyKey(headerValue: bytes.span)
                #expect(changed != original)
            }
        }
    }
}
