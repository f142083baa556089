/// A point in time: microseconds since 1970-01-01T00:00:00Z, without leap seconds (POSIX time).
package struct Instant: Comparable, Hashable, Sendable {
    package var microseconds: Int64

    package init(microseconds: Int64) { self.microseconds = microseconds }
    package init(milliseconds: Int64) { microseconds = milliseconds * 1000 }
    package init(seconds: Int64) { microseconds = seconds * 1_000_000 }

    package static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }

    /// Whole seconds since the epoch, rounded down.
    package var seconds: Int64 { floorDivide(microseconds, 1_000_000) }
    /// Whole milliseconds since the epoch, rounded down.
    package var milliseconds: Int64 { floorDivide(microseconds, 1000) }

    /// Later by so much, or earlier when it is negative.
    package func advanced(seconds: Int64) -> Instant {
        Instant(microseconds: microseconds + seconds * 1_000_000)
    }

    /// RFC 3339 in UTC with milliseconds, cut not rounded: `2026-11-30T14:02:12.345Z`.
    /// Appends 24 ASCII bytes for the years 0 to 9999.
    package func appendRFC3339(to bytes: inout [UInt8]) {
        let day = floorDivide(microseconds, 86_400_000_000)
        let date = CivilDate(daysSinceEpoch: day)
        let rest = Int((microseconds - day * 86_400_000_000) / 1000)
        var text = [24 of UInt8](repeating: 0x5A)
        func put(_ value: Int, _ place: Range<Int>, then mark: UInt8) {
            var left = value
            for index in place.reversed() {
                text[index] = 0x30 + UInt8(truncatingIfNeeded: left % 10)
                left /= 10
            }
            text[place.upperBound] = mark
        }
        put(date.year, 0..<4, then: 0x2D)
        put(date.month, 5..<7, then: 0x2D)
        put(date.day, 8..<10, then: 0x54)
        put(rest / 3_600_000, 11..<13, then: 0x3A)
        put(rest / 60_000 % 60, 14..<16, then: 0x3A)
        put(rest / 1000 % 60, 17..<19, then: 0x2E)
        put(rest % 1000, 20..<23, then: 0x5A)
        bytes.append(text.span)
    }

    package var rfc3339: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        appendRFC3339(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads an RFC 3339 `date-time` (section 5.6): `T` and `Z` in either case, any fraction (cut
    /// to microseconds), a numeric offset. Returns nil for anything else, a second of 60 included,
    /// and for what is in UTC before year 0 or after 9999, which `appendRFC3339` could not write.
    package init?(rfc3339 text: some Sequence<UInt8>) {
        var reader = DigitReader(Array(text))
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2),
            reader.skip("-"), let day = reader.number(2), reader.skip("Tt"),
            let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2),
            reader.skip(":"), let second = reader.number(2),
            hour < 24, minute < 60, second < 60,
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        var micros = 0
        if reader.skip(".") {
            guard let fraction = reader.fraction() else { return nil }
            micros = fraction
        }
        var offsetMinutes = 0
        if !reader.skip("Zz") {
            let negative = reader.skip("-")
            guard negative || reader.skip("+"), let hours = reader.number(2), reader.skip(":"),
                let minutes = reader.number(2), hours < 24, minutes < 60
            else { return nil }
            offsetMinutes = (hours * 60 + minutes) * (negative ? -1 : 1)
        }
        guard reader.atEnd else { return nil }
        let seconds =
            date.daysSinceEpoch * 86400 + Int64(hour * 3600 + minute * 60 + second)
            - Int64(offsetMinutes) * 60
        guard (Self.firstSecond...Self.lastSecond).contains(seconds) else { return nil }
        self.init(microseconds: seconds * 1_000_000 + Int64(micros))
    }

    private static let firstSecond: Int64 = -62_167_219_200
    private static let lastSecond: Int64 = 253_402_300_799
}

/// A date of the proleptic Gregorian calendar.
package struct CivilDate: Hashable, Sendable {
    package let year: Int
    package let month: Int
    package let day: Int

    /// Nil unless month and day exist in that year.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), day >= 1 else { return nil }
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= lengths[month - 1] else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Days are counted from 1970-01-01, day 0.
    package init(daysSinceEpoch days: Int64) {
        // Years begin in March, so that the leap day is the last of its year.
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    }

    package var daysSinceEpoch: Int64 {
        let y = Int64(month <= 2 ? year - 1 : year)
        let era = floorDivide(y, 400)
        let yearOfEra = y - era * 400
        let shiftedMonth = Int64(month > 2 ? month - 3 : month + 9)
        let dayOfYear = (153 * shiftedMonth + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

private func floorDivide(_ a: Int64, _ b: Int64) -> Int64 {
    let quotient = a / b
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient
}

private struct DigitReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var atEnd: Bool { index == bytes.count }

    mutating func skip(_ anyOf: StaticString) -> Bool {
        guard index < bytes.count else { return false }
        let found = anyOf.withUTF8Buffer { $0.contains(bytes[index]) }
        if found { index += 1 }
        return found
    }

    mutating func number(_ width: Int) -> Int? {
        guard index + width <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[index..<index + width] {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        index += width
        return value
    }

    /// One or more digits, as microseconds.
    mutating func fraction() -> Int? {
        var value = 0
        var digits = 0
        while index < bytes.count, (0x30...0x39).contains(bytes[index]) {
            if digits < 6 { value = value * 10 + Int(bytes[index] - 0x30) }
            digits += 1
            index += 1
        }
        guard digits > 0 else { return nil }
        for _ in min(digits, 6)..<6 { value *= 10 }
        return value
    }
}
