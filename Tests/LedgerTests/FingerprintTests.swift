import Ledger
import Testing

@Suite("Fingerprint")
struct FingerprintTests {
    @Test("An intent has a fingerprint of the current version")
    func currentVersion() throws {
        let intent = SubmittedIntent(
            debtorIBAN: try IBAN("DE89370400440532013000"), amount: try DecimalAmount("50.00"),
            currency: try #require(CurrencyCode("EUR")),
            creditorIBAN: try IBAN("FR1420041010050500013M02606"), creditorName: "Marie Curie")
        #expect(intent.fingerprint.version == 1)
        #expect(intent.fingerprint(version: 2) == nil)
    }
}
