/// The countries that have IBANs, each with the one length that its IBANs have.
package struct IBANRegistry: Sendable {
    private let lengths: [String: Int]

    /// `lengths` counts all characters of the electronic form, by upper-case country code.
    package init(lengths: [String: Int]) { self.lengths = lengths }

    /// The length of the country's IBANs; nil where the country has none.
    package func length(country: String) -> Int? { lengths[country] }

    /// The country codes, in alphabetical order.
    package var countries: [String] { lengths.keys.sorted() }

    /// Nil if the IBAN's country is known and has IBANs of this length.
    package func refusal(of iban: IBAN) -> IBANRegistryRefusal? {
        let country = String(iban.country)
        guard let length = lengths[country] else { return .country(country) }
        let count = iban.text.utf8.count
        return count == length ? nil : .length(country, expected: length, actual: count)
    }

    /// SWIFT's IBAN registry, release 101: every country in it.
    package static let swift: IBANRegistry = {
        let entries = registered.split(whereSeparator: { $0 == " " || $0 == "\n" }).map { entry in
            guard let length = Int(entry.dropFirst(2)) else {
                preconditionFailure("the IBAN registry has no entry like \(entry)")
            }
            return (String(entry.prefix(2)), length)
        }
        return IBANRegistry(lengths: Dictionary(uniqueKeysWithValues: entries))
    }()
}

/// Why an IBAN of the right shape is none that a country gives out.
package enum IBANRegistryRefusal: Hashable, Sendable {
    case country(String)
    case length(String, expected: Int, actual: Int)

    /// For people: what is wrong and what to send.
    package var detail: String {
        switch self {
        case .country(let country):
            "\(country) is no country of the IBAN registry: send an IBAN of a country that has them."
        case .length(let country, let expected, let actual):
            "An IBAN of \(country) has \(expected) characters, not \(actual): send it in full."
        }
    }
}

// Country code and length of the electronic form.

private let registered = """
    AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22
    DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28
    HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25
    MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29
    RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29
    VA22 VG24 XK20 YE30
    """
