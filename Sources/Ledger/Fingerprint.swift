package import Crypto

/// Tells one intent from another: SHA-256 over the intent's normalised members. Depends on no
/// configuration and no table, so that a retry has the fingerprint that the first attempt had,
/// whatever was deployed in between.
///
/// Version 1 hashes these bytes:
///
///     prefix    "transferd intent" in ASCII, 0x00, then the version, 0x01
///     member    seven times, in this order:
///       tag       one byte, 1 to 7
///       presence  one byte, 1 if the member is there, 0 if it is absent or null
///       length    only if it is there: the count of the bytes that follow, 32 bits, big-endian
///       bytes     only if it is there
///
///     1  debtor IBAN               ASCII, upper case, without spaces
///     2  amount                    ASCII, canonical: no zeros at the fraction's end, no point
///                                  without a fraction
///     3  currency                  three ASCII letters
///     4  creditor IBAN             as 1
///     5  creditor name             UTF-8 of Unicode normalisation form C
///     6  remittance information    as 5
///     7  end-to-end identification as 5
///
/// An empty text is there, with length 0. Versions are never changed, only added, and none is
/// removed while rows with it are stored.
package struct Fingerprint: Hashable, Sendable {
    /// Which encoding was hashed.
    package let version: Int16
    /// Equal for two intents exactly if they are the same one, within one version.
    package let digest: Digest256

    /// What new outcomes are stored with.
    package static let currentVersion: Int16 = 1

    /// From storage.
    package init(version: Int16, digest: Digest256) {
        self.version = version
        self.digest = digest
    }

    /// Texts are in form C already.
    init(version1Of members: PartialIntent) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        bytes += "transferd intent".utf8
        bytes += [0, 1]
        for field in IntentField.fingerprinted { members.append(framed: field, to: &bytes) }
        self.init(version: 1, digest: SHA256.digest(bytes))
    }
}

extension PartialIntent {
    /// Appends tag, presence, and if the member is there its length and bytes, as version 1 of the
    /// fingerprint has them.
    fileprivate func append(framed field: IntentField, to bytes: inout [UInt8]) {
        bytes.append(UInt8(field.rawValue + 1))
        let start = bytes.count
        // Presence and length, until they are known.
        for _ in 0..<5 { bytes.append(0) }
        guard append(field, to: &bytes) else {
            bytes.removeLast(4)
            return
        }
        bytes[start] = 1
        let length = UInt32(bytes.count - start - 5)
        for index in 0..<4 {
            bytes[start + 1 + index] = UInt8(truncatingIfNeeded: length >> UInt32(24 - index * 8))
        }
    }

    /// Whether the member is there.
    private func append(_ field: IntentField, to bytes: inout [UInt8]) -> Bool {
        let text: String?
        switch field {
        case .debtorIBAN: text = debtorIBAN?.text
        case .amount:
            amount?.append(canonicalTo: &bytes)
            return amount != nil
        case .currency:
            currency?.append(textTo: &bytes)
            return currency != nil
        case .creditorIBAN: text = creditorIBAN?.text
        case .creditorName: text = creditorName
        case .remittanceInformation: text = remittanceInformation
        case .endToEndIdentification: text = endToEndIdentification
        case .confirmedAt: text = nil
        }
        guard let text else { return false }
        bytes += text.utf8
        return true
    }
}
