import Platform

/// An instructed amount as a client wrote it: positive, at most 18 digits, of any scale and not
/// yet of any currency.
///
/// Two amounts are equal when their values are: "50", "50.0" and "50.00" are one amount. The scale
/// that was written is kept beside it, because a currency may refuse it.
package struct DecimalAmount: Hashable, Sendable, CustomStringConvertible {
    /// The digits without the point; 1 to 10^18 - 1.
    private let digits: UInt64
    /// How many of the digits stood after the point, 0 to 17.
    package let scale: Int

    /// Reads `(0|[1-9][0-9]*)(\.[0-9]+)?` in ASCII with at most 18 digits, leading zero included.
    package init(_ text: Span<UInt8>) throws(AmountRefusal) {
        var digits: UInt64 = 0
        var count = 0
        var pointAt: Int?
        for index in 0..<text.count {
            switch text[index] {
            case 0x30...0x39:
                if pointAt == nil, count == 1, digits == 0 { throw .grammar }
                count += 1
                // Counted on, so that a long text with a letter in it is told the grammar.
                if count <= 18 { digits = digits * 10 + UInt64(text[index] - 0x30) }
            case 0x2E where pointAt == nil && count > 0:
                pointAt = count
            default:
                throw .grammar
            }
        }
        guard count > 0, pointAt != count else { throw .grammar }
        guard count <= 18 else { throw .tooManyDigits }
        guard digits > 0 else { throw .zero }
        self.digits = digits
        self.scale = count - (pointAt ?? count)
    }

    /// Reads the same from a string.
    package init(_ text: String) throws(AmountRefusal) {
        let bytes = Array(text.utf8)
        try self.init(bytes.span)
    }

    /// The amount in units of 10^-`exponent`. Refused when more decimals were written than
    /// `exponent`, zeros included, or when the result does not fit `Int64`. `exponent` is 0 to 18.
    package func minorUnits(exponent: Int) throws(ScaleRefusal) -> Int64 {
        guard scale <= exponent else { throw .tooManyDecimals(allowed: exponent) }
        guard var units = Int64(exactly: digits) else { throw .tooLarge }
        for _ in scale..<exponent {
            let (product, overflow) = units.multipliedReportingOverflow(by: 10)
            guard !overflow else { throw .tooLarge }
            units = product
        }
        return units
    }

    /// Value and scale without the zeros at the fraction's end.
    private var stripped: (digits: UInt64, scale: Int) {
        var (digits, scale) = (digits, scale)
        while scale > 0, digits % 10 == 0 {
            digits /= 10
            scale -= 1
        }
        return (digits, scale)
    }

    package static func == (a: Self, b: Self) -> Bool { a.stripped == b.stripped }

    package func hash(into hasher: inout Hasher) {
        let stripped = stripped
        hasher.combine(stripped.digits)
        hasher.combine(stripped.scale)
    }

    /// Appends the one form that all ways to write this value share, whatever the currency: no
    /// zeros at the fraction's end and no point without a fraction. "50.00" gives `50`.
    package func append(canonicalTo bytes: inout [UInt8]) {
        let (digits, scale) = stripped
        bytes.append(decimal: digits, decimals: scale)
    }

    /// What `append(canonicalTo:)` appends.
    package var canonical: String {
        var bytes: [UInt8] = []
        append(canonicalTo: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    package var description: String { canonical }
}

/// Why a text is no amount, whatever the currency.
package enum AmountRefusal: Error, Hashable, Sendable, CaseIterable {
    case grammar
    case tooManyDigits
    case zero

    /// For people: what is wrong and what to send.
    package var detail: String {
        switch self {
        case .grammar:
            "Send the amount as a decimal number in ASCII digits, such as \"50.00\": no sign, "
                + "exponent, leading zeros, blanks or separators, and digits on both sides of \".\"."
        case .tooManyDigits: "Send an amount of at most 18 digits."
        case .zero: "Send an amount above zero."
        }
    }
}

/// Why an amount is no amount of a currency.
package enum ScaleRefusal: Error, Hashable, Sendable {
    case tooManyDecimals(allowed: Int)
    /// More than `Int64.max` minor units.
    case tooLarge

    /// For people: what is wrong and what to send.
    package func detail(currency: CurrencyCode) -> String {
        switch self {
        case .tooManyDecimals(allowed: 0): "\(currency) has no decimals: send a whole amount."
        case .tooManyDecimals(let allowed):
            "\(currency) has \(allowed) decimals: send at most \(allowed) digits after the \".\"."
        case .tooLarge:
            "The amount is too large to be kept in minor units of \(currency): send a smaller one."
        }
    }
}
