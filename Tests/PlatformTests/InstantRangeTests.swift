import Platform
import Testing

@Suite("Times of RFC 3339 at both ends") struct InstantRangeTests {
    @Test(
        "The first and the last time are read and written",
        arguments: [
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"),
            ("0000-01-01T00:01:00+00:01", "0000-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999Z"),
            ("9999-12-31T23:58:59-00:01", "9999-12-31T23:59:59.000Z"),
        ])
    func ends(text: String, written: String) throws {
        let instant = try #require(Instant(rfc3339: text.utf8))
        #expect(instant.rfc3339 == written)
    }

    @Test(
        "What is beyond four digits of a year in UTC is refused, whatever its offset",
        arguments: [
            "0000-01-01T00:00:00+00:01", "0000-01-01T00:00:59.999+00:01",
            "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:00-00:01",
        ])
    func beyond(text: String) { #expect(Instant(rfc3339: text.utf8) == nil) }
}
