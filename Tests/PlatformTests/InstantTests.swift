import Platform
import Testing

@Suite("Instants and dates")
struct InstantTests {
    @Test(
        "RFC 3339 times are read to the microsecond, whatever their offset",
        arguments: [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-11-30T14:02:12.345Z", 1_796_047_332_345_000),
            ("2026-11-30t14:02:12.345z", 1_796_047_332_345_000),
            ("2026-11-30T15:02:12.345+01:00", 1_796_047_332_345_000),
            ("2026-11-30T09:32:12.345-04:30", 1_796_047_332_345_000),
            ("2026-11-30T14:02:12.345678999Z", 1_796_047_332_345_678),
            ("2024-02-29T23:59:59Z", 1_709_251_199_000_000),
            ("2000-02-29T00:00:00Z", 951_782_400_000_000),
            ("1969-12-31T23:59:59.999999Z", -1),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
        ])
    func reads(text: String, microseconds: Int64) {
        #expect(Instant(rfc3339: text.utf8)?.microseconds == microseconds)
    }

    @Test(
        "What is no RFC 3339 time is refused",
        arguments: [
            "", "2026-11-30", "2026-11-30 14:02:12Z", "2026-11-30T14:02:12", "2026-11-30T14:02Z",
            "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z", "2026-00-10T00:00:00Z", "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z",
            "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+0100",
            "2026-01-01T00:00:00Z ", "02026-01-01T00:00:00Z", "2026-1-1T00:00:00Z",
            "2026-01-01T00:00:00ZZ", "２026-01-01T00:00:00Z",
        ])
    func refuses(text: String) {
        #expect(Instant(rfc3339: text.utf8) == nil)
    }

    @Test("Times are written in UTC with milliseconds, cut and not rounded")
    func writes() {
        #expect(Instant(microseconds: 1_796_047_332_345_999).rfc3339 == "2026-11-30T14:02:12.345Z")
        #expect(Instant(microseconds: -1).rfc3339 == "1969-12-31T23:59:59.999Z")
        #expect(Instant(seconds: 253_402_300_799).rfc3339 == "9999-12-31T23:59:59.000Z")
    }

    @Test("Any time of any millisecond is read as it was written")
    func roundTrip() {
        let random = SeededRandomBytes(seed: 7)
        for _ in 0..<2000 {
            // The years 0001 to 9999.
            let range: UInt64 = 315_537_897_599_999
            let instant = Instant(
                milliseconds: Int64(random.word() % range) - 62_135_596_800_000)
            #expect(Instant(rfc3339: instant.rfc3339.utf8) == instant)
        }
    }

    @Test("Every day has one date, one after the other")
    func days() throws {
        var previous = CivilDate(daysSinceEpoch: -1)
        #expect(previous == CivilDate(year: 1969, month: 12, day: 31))
        for number in Int64(0)...60_000 {
            let date = CivilDate(daysSinceEpoch: number)
            #expect(date.daysSinceEpoch == number)
            let follows =
                date.day == previous.day + 1 && date.month == previous.month
                || date.day == 1 && (date.month == previous.month + 1 || date.month == 1)
            if !follows { Issue.record("\(date) after \(previous)") }
            previous = date
        }
        #expect(previous == CivilDate(year: 2134, month: 4, day: 11))
    }

    @Test("Milliseconds between deadlines are rounded up and never negative")
    func deadlines() {
        let start = MonotonicTime(nanoseconds: 1_000_000)
        #expect(start.milliseconds(until: MonotonicTime(nanoseconds: 1_000_001)) == 1)
        #expect(start.milliseconds(until: MonotonicTime(nanoseconds: 3_000_000)) == 2)
        #expect(start.milliseconds(until: start) == 0)
        #expect(start.milliseconds(until: MonotonicTime(nanoseconds: 0)) == 0)
        #expect(start.advanced(milliseconds: .max) == .distantFuture)
        #expect(MonotonicTime.distantFuture.advanced(milliseconds: 1) == .distantFuture)
    }
}
