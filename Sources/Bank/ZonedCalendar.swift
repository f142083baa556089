import Foundation
package import Ledger
package import Platform
import Store

/// Business days of one time zone, from Foundation's time-zone data.
package final class ZonedCalendar: BusinessCalendar {
    /// The name is none of the time-zone database's.
    package struct UnknownZone: Error, CustomStringConvertible {
        package let name: String
        package var description: String {
            "\"\(name)\" is not a time zone. Use a name such as Europe/Berlin."
        }
    }

    private let calendar: Calendar
    private let newest = Guarded<BusinessDay?>(nil)

    /// `zone`: a name of the IANA time-zone database.
    package init(zone name: String) throws(UnknownZone) {
        guard let zone = TimeZone(identifier: name) else { throw UnknownZone(name: name) }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        self.calendar = calendar
    }

    package func day(of instant: Instant) -> BusinessDay {
        if let known = newest.withLock({ $0 }), known.start <= instant, instant < known.end {
            return known
        }
        let day = computed(instant)
        newest.withLock { $0 = day }
        return day
    }

    private func computed(_ instant: Instant) -> BusinessDay {
        let date = Date(timeIntervalSince1970: Double(instant.microseconds) / 1e6)
        let start = calendar.startOfDay(for: date)
        // Noon of the next day is in the next day whatever a clock change does.
        let later = calendar.date(byAdding: .hour, value: 36, to: start) ?? start
        let end = calendar.startOfDay(for: later)
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        let civil = CivilDate(
            year: parts.year ?? 1970, month: parts.month ?? 1, day: parts.day ?? 1)
        return BusinessDay(
            number: civil?.daysSinceEpoch ?? 0, start: Self.instant(start), end: Self.instant(end))
    }

    private static func instant(_ date: Date) -> Instant {
        Instant(microseconds: Int64((date.timeIntervalSince1970 * 1e6).rounded()))
    }
}
