import Platform
import Testing

@Suite("Identifiers and randomness")
struct IdentifierTests {
    @Test("A UUID is read in either letter case and written in lower case")
    func text() throws {
        let id = try #require(UUID128("8E03978e-40D5-43dd-bc93-6894A57F9324"))
        #expect(id.description == "8e03978e-40d5-43dd-bc93-6894a57f9324")
        #expect(id.high == 0x8e03_978e_40d5_43dd)
        #expect(id.low == 0xbc93_6894_a57f_9324)
        var bytes: [UInt8] = []
        id.append(bytesTo: &bytes)
        #expect(UUID128(bytes: bytes) == id)
    }

    @Test(
        "What is not the 36-character form is no UUID",
        arguments: [
            "", "8e03978e40d543ddbc936894a57f9324", "8e03978e-40d5-43dd-bc93-6894a57f932",
            "8e03978e-40d5-43dd-bc93-6894a57f93244", "8e03978e-40d5-43ddb-c93-6894a57f9324",
            "{8e03978e-40d5-43dd-bc93-6894a57f9324}", "8e03978e-40d5-43dd-bc93-6894a57f932g",
            "8e03978e_40d5-43dd-bc93-6894a57f9324", "+e03978e-40d5-43dd-bc93-6894a57f9324",
            "8e03978e-40d5-43dd-bc93-6894a57f93２",
        ])
    func malformed(text: String) {
        #expect(UUID128(text) == nil)
    }

    @Test("Version 7 ids carry their time, version and variant, and only ever grow")
    func versionSeven() {
        var ids = UUIDv7Generator(random: SeededRandomBytes(seed: 3))
        var previous = UUID128.nil
        // Many in one millisecond, then a clock that is stepped back, then forward again.
        let times = [1000, 1000, 1001, 400, 400, 1002].flatMap { Array(repeating: $0, count: 500) }
        for milliseconds in times {
            let id = ids.next(at: Instant(milliseconds: Int64(milliseconds)))
            #expect(id > previous)
            #expect(id.high >> 12 & 0xF == 7)
            #expect(id.low >> 62 == 0b10)
            previous = id
        }
        #expect(Int64(previous.high >> 16) >= 1002)
        #expect(Int64(previous.high >> 16) < 1010)
    }

    @Test("Two generators make no id twice")
    func distinct() {
        let now = Instant(seconds: 1_796_000_000)
        var seen: Set<UUID128> = []
        var one = UUIDv7Generator(random: SystemRandomBytes())
        var two = UUIDv7Generator(random: SystemRandomBytes())
        for _ in 0..<5000 {
            #expect(seen.insert(one.next(at: now)).inserted)
            #expect(seen.insert(two.next(at: now)).inserted)
        }
    }

    @Test("A seed gives the same bytes, another seed others")
    func seeded() {
        let bytes = SeededRandomBytes(seed: 11).bytes(40)
        #expect(bytes == SeededRandomBytes(seed: 11).bytes(40))
        #expect(bytes != SeededRandomBytes(seed: 12).bytes(40))
    }

    @Test("The system's random bytes fill any length and do not repeat")
    func system() {
        let random = SystemRandomBytes()
        #expect(random.bytes(10_000).count == 10_000)
        #expect(Set((0..<1000).map { _ in random.word() }).count == 1000)
    }

    @Test("A ticket is 16 bytes")
    func ticket() {
        #expect(MemoryLayout<Ticket>.size == 16)
    }
}
