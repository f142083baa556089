import Platform

/// An amount of money in minor units of its currency, positive, zero or negative.
package struct Money: Hashable, Sendable, CustomStringConvertible {
    /// Cents where the currency has two decimals, the currency itself where it has none.
    package let minorUnits: Int64
    package let currency: Currency

    package init(minorUnits: Int64, currency: Currency) {
        self.minorUnits = minorUnits
        self.currency = currency
    }

    /// Refuses an amount with more decimals than the currency has, or too large for `Int64`.
    package init(_ amount: DecimalAmount, _ currency: Currency) throws(ScaleRefusal) {
        self.init(
            minorUnits: try amount.minorUnits(exponent: Int(currency.exponent)), currency: currency)
    }

    /// The exact sum, or an error where there is none.
    package func adding(_ other: Money) throws(MoneyError) -> Money {
        guard currency == other.currency else { throw .currencyMismatch }
        let (sum, overflow) = minorUnits.addingReportingOverflow(other.minorUnits)
        guard !overflow else { throw .overflow }
        return Money(minorUnits: sum, currency: currency)
    }

    /// The exact difference, or an error where there is none.
    package func subtracting(_ other: Money) throws(MoneyError) -> Money {
        guard currency == other.currency else { throw .currencyMismatch }
        let (rest, overflow) = minorUnits.subtractingReportingOverflow(other.minorUnits)
        guard !overflow else { throw .overflow }
        return Money(minorUnits: rest, currency: currency)
    }

    /// The same amount with the other sign; overflows for `Int64.min` only.
    package func negated() throws(MoneyError) -> Money {
        try Money(minorUnits: 0, currency: currency).subtracting(self)
    }

    /// Appends the amount with exactly as many decimals as the currency has: `50.00` for EUR, `5`
    /// for JPY, `-1.234` for KWD. ASCII, without a sign for plus and without grouping.
    package func appendDecimal(to bytes: inout [UInt8]) {
        if minorUnits < 0 { bytes.append(0x2D) }
        bytes.append(decimal: minorUnits.magnitude, decimals: Int(currency.exponent))
    }

    /// What `appendDecimal(to:)` appends.
    package var decimal: String {
        var bytes: [UInt8] = []
        appendDecimal(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    package var description: String { "\(decimal) \(currency)" }
}

/// Why two amounts of money have no sum.
package enum MoneyError: Error, Hashable, Sendable {
    case currencyMismatch
    /// The result does not fit 64 bits of minor units.
    case overflow
}
