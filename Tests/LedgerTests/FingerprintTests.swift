import Crypto
import Ledger
import Platform
import Testing

@Suite("Fingerprint")
struct FingerprintTests {
    /// The digests were computed by Python's hashlib from the encoding that the documentation of
    /// `Fingerprint` gives. They never change: every stored outcome has such a digest.
    @Test(
        "Version 1 is what an independent program computes",
        arguments: [
            (
                Sample(),
                "ab85f53c1b89ff2c1809dc1e011afcfd4920cd36aa7d6cadb5393e10215b2046"
            ),
            (
                Sample(remittance: nil, endToEnd: nil),
                "47a46a26185c45d034dc187428a497a7d0c8d891abee5322bef5c40b60d1072e"
            ),
            (
                Sample(remittance: "", endToEnd: nil),
                "e06ed7056c87e39231ac758f062d2f675e8228b843adfd469741c54173bb67e7"
            ),
            (
                Sample(
                    debtor: "NO9386011117947", amount: "9007199254740993", currency: "JPY",
                    creditor: "MT84MALT011000012345MTLCAST001S",
                    name: "Zoe\u{308} \u{141}uczak \u{1112}\u{1161}\u{11AB} \u{1F600}",
                    remittance: nil, endToEnd: "/"),
                "5d152a2b960fe409b96a0d467ca23868f40ee7c06a3066d17aa027377f290519"
            ),
            (
                Sample(
                    amount: "0.001", currency: "KWD", creditor: "DE89370400440532013000",
                    name: String(repeating: "x", count: 70),
                    remittance: String(repeating: "e\u{301}", count: 140),
                    endToEnd: String(repeating: "a", count: 35)),
                "0e818366209b62e7e05c70bc240ad2d74af6f4af7e31bc592e8a60d2aa141624"
            ),
        ])
    func golden(sample: Sample, digest: String) throws {
        let intent = try sample.intent()
        #expect(intent.fingerprint.version == Fingerprint.currentVersion)
        #expect(intent.fingerprint.digest.hex == digest)
    }

    @Test("Only known versions have a fingerprint")
    func versions() throws {
        let intent = try Sample().intent()
        #expect(intent.fingerprint(version: 1) == intent.fingerprint)
        for version: Int16 in [.min, -1, 0, 2, .max] {
            #expect(intent.fingerprint(version: version) == nil)
        }
    }

    @Test("Scenarios 15 and 20: the same intent written otherwise has the same fingerprint")
    func sameIntent() throws {
        let name = "Zo\u{EB} \u{212B}"
        let original = try Sample.with { $0.name = name }
        let others = [
            try Sample.with { ($0.name, $0.amount) = (name, "50.0") },
            try Sample.with { ($0.name, $0.amount) = (name, "50") },
            try Sample.with { ($0.name, $0.amount) = (name, "50.000") },
            try Sample.with {
                ($0.name, $0.debtor) = (name, "de89 3704 0044 0532 0130 00")
            },
            try Sample.with {
                ($0.name, $0.creditor) = (name, "fr14 2004 1010 0505 0001 3m02 606")
            },
            try Sample.with { $0.name = "Zoe\u{308} A\u{30A}" },
            try Sample.with { ($0.name, $0.confirmedAt) = (name, Instant(seconds: 1)) },
        ]
        for other in others {
            #expect(other.fingerprint == original.fingerprint)
            #expect(other.differences(from: original).isEmpty)
        }
    }

    @Test("Absent and empty are two things, and so is the same text in another member")
    func presence() throws {
        let samples: [(String?, String?)] = [
            (nil, nil), ("", nil), (nil, ""), ("", ""), ("a", nil), (nil, "a"), ("a", ""),
            ("", "a"),
        ]
        let prints = try samples.map { pair in
            try Sample.with { ($0.remittance, $0.endToEnd) = pair }.fingerprint
        }
        #expect(Set(prints).count == samples.count)
    }

    @Test("Bytes that move from one member to the next make another fingerprint")
    func framing() throws {
        let first = try Sample.with { ($0.remittance, $0.endToEnd) = ("ab", "c") }
        let second = try Sample.with { ($0.remittance, $0.endToEnd) = ("a", "bc") }
        #expect(first.fingerprint != second.fingerprint)
        #expect(
            first.differences(from: second) == [.remittanceInformation, .endToEndIdentification])
    }

    @Test("Scenario 16: any one character changed in any member is told, and which member")
    func oneCharacter() throws {
        let choices = Choices(seed: 16)
        for _ in 0..<20 {
            let sample = Sample.random(choices)
            let original = try sample.intent()
            for (field, changed) in sample.neighbours(choices) {
                let other = try changed.intent()
                #expect(other.fingerprint != original.fingerprint)
                #expect(other.differences(from: original) == [field])
                #expect(original.differences(from: other) == [field])
            }
        }
    }

    @Test("Differences come in the order of the members")
    func order() throws {
        let other = Sample(
            debtor: "NO9386011117947", amount: "1", currency: "JPY",
            creditor: "MT84MALT011000012345MTLCAST001S", name: "x", remittance: nil, endToEnd: nil,
            confirmedAt: Instant(seconds: 1))
        let differences = try other.intent().differences(from: Sample().intent())
        #expect(differences == IntentField.fingerprinted)
        #expect(
            differences.map(\.pointer) == [
                "/debtorAccount/iban", "/instructedAmount/amount", "/instructedAmount/currency",
                "/creditorAccount/iban", "/creditorName", "/remittanceInformationUnstructured",
                "/endToEndIdentification",
            ])
        #expect(IntentField.confirmedAt.pointer == "/confirmedAt")
    }

    @Test("An intent is submitted once its required members are there")
    func partial() throws {
        let intent = try Sample().intent()
        var partial = PartialIntent()
        #expect(partial.submitted() == nil)
        partial.debtorIBAN = intent.debtorIBAN
        partial.amount = intent.amount
        partial.currency = intent.currency
        partial.creditorIBAN = intent.creditorIBAN
        #expect(partial.submitted() == nil)
        partial.creditorName = intent.creditorName
        let bare = try #require(partial.submitted())
        #expect(
            bare.differences(from: intent) == [.remittanceInformation, .endToEndIdentification])
        partial.remittanceInformation = intent.remittanceInformation
        partial.endToEndIdentification = intent.endToEndIdentification
        partial.confirmedAt = Instant(seconds: 7)
        let whole = try #require(partial.submitted())
        #expect(whole.fingerprint == intent.fingerprint)
        #expect(whole.confirmedAt == Instant(seconds: 7))
    }
}

extension Sample {
    fileprivate static func random(_ choices: Choices) -> Sample {
        func iban(_ country: String) -> String {
            NaiveIBAN.make(
                country: country, bban: choices.text("0123456789", count: 11 + choices.below(20)))
        }
        let letters = "abcdefg XYZ-0189éßЖ語"
        return Sample(
            debtor: iban("DE"), amount: String(1 + choices.word() % 999_999_999) + ".25",
            currency: choices.element(of: CurrencyTable.iso4217.all).description,
            creditor: iban("FR"), name: choices.text(letters, count: 1 + choices.below(70)),
            remittance: choices.text(letters, count: 1 + choices.below(140)),
            endToEnd: choices.text(letters, count: 1 + choices.below(35)))
    }

    /// This one with one character changed, at every place of every member.
    fileprivate func neighbours(_ choices: Choices) -> [(IntentField, Sample)] {
        var found: [(IntentField, Sample)] = []
        func change(
            _ field: IntentField, _ member: WritableKeyPath<Sample, String>, _ alphabet: String,
            from start: Int = 0, repair: (String) -> String = { $0 }
        ) {
            let characters = Array(self[keyPath: member])
            for index in start..<characters.count where alphabet.contains(characters[index]) {
                var changed = characters
                changed[index] = choices.element(
                    of: alphabet.filter { $0 != characters[index] }.map { $0 })
                var sample = self
                sample[keyPath: member] = repair(String(changed))
                found.append((field, sample))
            }
        }
        func checked(_ text: String) -> String {
            NaiveIBAN.make(country: String(text.prefix(2)), bban: String(text.dropFirst(4)))
        }
        let letters = "abcdefg XYZ-0189éßЖ語"
        change(.debtorIBAN, \.debtor, "0123456789", from: 4, repair: checked)
        change(.amount, \.amount, "123456789")
        change(.currency, \.currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        change(.creditorIBAN, \.creditor, "0123456789", from: 4, repair: checked)
        change(.creditorName, \.name, letters)
        change(.remittanceInformation, \.remittance!, letters)
        change(.endToEndIdentification, \.endToEnd!, letters)
        return found
    }
}
