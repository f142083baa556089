/// What the ISO 4217 alphabetic form looks like: three ASCII upper-case letters. Says nothing
/// about whether such a currency exists.
package struct CurrencyCode: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The three letters, the first in bits 16 to 23.
    package let packed: UInt32

    /// Nil unless `text` is exactly three letters A to Z.
    package init?(_ text: Span<UInt8>) {
        guard text.count == 3 else { return nil }
        var packed: UInt32 = 0
        for index in 0..<3 {
            guard (0x41...0x5A).contains(text[index]) else { return nil }
            packed = packed << 8 | UInt32(text[index])
        }
        self.packed = packed
    }

    /// Nil unless `text` is exactly three letters A to Z.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(bytes.span)
    }

    /// For people, where a code was not three letters: what to send.
    package static let refusalDetail =
        "Send the ISO 4217 code as three upper-case letters, such as EUR."

    /// Alphabetical.
    package static func < (a: Self, b: Self) -> Bool { a.packed < b.packed }

    /// The three ASCII letters.
    package func append(textTo bytes: inout [UInt8]) {
        for shift: UInt32 in [16, 8, 0] { bytes.append(UInt8(packed >> shift & 0xFF)) }
    }

    package var description: String {
        var bytes: [UInt8] = []
        append(textTo: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A currency of ISO 4217 that has minor units.
package struct Currency: Hashable, Sendable, CustomStringConvertible {
    package let code: CurrencyCode
    /// The ISO 4217 numeric code, 1 to 999.
    package let numeric: UInt16
    /// How many decimals an amount has: 0, 2, 3 or 4.
    package let exponent: Int8

    /// Nil where the code is not in ISO 4217's list of current currencies, or has no minor units
    /// there (metals, units of account, XTS, XXX).
    package init?(code: CurrencyCode) {
        guard let found = CurrencyTable.iso4217[code] else { return nil }
        self = found
    }

    /// Nil unless `text` is the upper-case code of such a currency.
    package init?(_ text: String) {
        guard let code = CurrencyCode(text) else { return nil }
        self.init(code: code)
    }

    fileprivate init(code: CurrencyCode, numeric: UInt16, exponent: Int8) {
        self.code = code
        self.numeric = numeric
        self.exponent = exponent
    }

    package var description: String { code.description }
}

/// The currencies that are known.
package struct CurrencyTable: Sendable {
    private let currencies: [CurrencyCode: Currency]

    /// A table of some of ISO 4217's currencies.
    package init(_ currencies: some Sequence<Currency>) {
        self.currencies = Dictionary(
            currencies.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Nil where the table has no such currency.
    package subscript(code: CurrencyCode) -> Currency? { currencies[code] }

    /// In alphabetical order.
    package var all: [Currency] { currencies.values.sorted { $0.code < $1.code } }

    /// ISO 4217 list one as published on 2026-01-01: every code that has minor units.
    package static let iso4217 = CurrencyTable(
        entries(withoutMinorUnits, exponent: 0) + entries(hundredths, exponent: 2)
            + entries(thousandths, exponent: 3) + entries(tenThousandths, exponent: 4))

    private static func entries(_ list: String, exponent: Int8) -> [Currency] {
        list.split(whereSeparator: { $0 == " " || $0 == "\n" }).map { entry in
            guard let code = CurrencyCode(String(entry.prefix(3))),
                let numeric = UInt16(entry.dropFirst(3))
            else { preconditionFailure("the currency table has no entry like \(entry)") }
            return Currency(code: code, numeric: numeric, exponent: exponent)
        }
    }
}

// Alphabetic and numeric code of each currency, by the number of its decimals.

private let withoutMinorUnits = """
    BIF108 CLP152 DJF262 GNF324 ISK352 JPY392 KMF174 KRW410 PYG600 RWF646 UGX800 UYI940
    VND704 VUV548 XAF950 XOF952 XPF953
    """

private let hundredths = """
    AED784 AFN971 ALL008 AMD051 AOA973 ARS032 AUD036 AWG533 AZN944 BAM977 BBD052 BDT050
    BMD060 BND096 BOB068 BOV984 BRL986 BSD044 BTN064 BWP072 BYN933 BZD084 CAD124 CDF976
    CHE947 CHF756 CHW948 CNY156 COP170 COU970 CRC188 CUP192 CVE132 CZK203 DKK208 DOP214
    DZD012 EGP818 ERN232 ETB230 EUR978 FJD242 FKP238 GBP826 GEL981 GHS936 GIP292 GMD270
    GTQ320 GYD328 HKD344 HNL340 HTG332 HUF348 IDR360 ILS376 INR356 IRR364 JMD388 KES404
    KGS417 KHR116 KPW408 KYD136 KZT398 LAK418 LBP422 LKR144 LRD430 LSL426 MAD504 MDL498
    MGA969 MKD807 MMK104 MNT496 MOP446 MRU929 MUR480 MVR462 MWK454 MXN484 MXV979 MYR458
    MZN943 NAD516 NGN566 NIO558 NOK578 NPR524 NZD554 PAB590 PEN604 PGK598 PHP608 PKR586
    PLN985 QAR634 RON946 RSD941 RUB643 SAR682 SBD090 SCR690 SDG938 SEK752 SGD702 SHP654
    SLE925 SOS706 SRD968 SSP728 STN930 SVC222 SYP760 SZL748 THB764 TJS972 TMT934 TOP776
    TRY949 TTD780 TWD901 TZS834 UAH980 USD840 USN997 UYU858 UZS860 VED926 VES928 WST882
    XAD396 XCD951 XCG532 YER886 ZAR710 ZMW967 ZWG924
    """

private let thousandths = """
    BHD048 IQD368 JOD400 KWD414 LYD434 OMR512 TND788
    """

private let tenThousandths = """
    CLF990 UYW927
    """
