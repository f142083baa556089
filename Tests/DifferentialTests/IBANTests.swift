import Ledger
import TestSupport
import Testing

@Suite("IBANs, against python-stdnum") struct IBANTests {
    /// Makes IBANs of every country from the structures that stdnum knows, damages them, and writes
    /// for each: the text in hexadecimal, stdnum's verdict, the text without its separators.
    private static let script = #"""
        import random, re
        from stdnum import iban, numdb
        from stdnum.exceptions import ValidationError

        random.seed(20261130)
        digits, letters = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        kinds = {"n": digits, "a": letters, "c": digits + letters}

        def made(country, structure):
            account = "".join(
                random.choice(kinds[kind])
                for count, kind in re.findall(r"(\d+)!([nac])", structure)
                for _ in range(int(count)))
            return country + iban.calc_check_digits(country + "00" + account) + account

        def damaged(text):
            text = list(text)
            for _ in range(random.randint(1, 2)):
                index = random.randrange(len(text))
                match random.randrange(7):
                    case 0: text[index] = random.choice(digits + letters)
                    case 1: text[index] = random.choice(digits + letters); text[2:4] = "00"
                    case 2: text.insert(index, random.choice(digits + letters + "-. \t/é"))
                    case 3: del text[index]
                    case 4: text.append(text[index])
                    case 5: text[index], text[index - 1] = text[index - 1], text[index]
                    case 6: text[0:2] = random.choice(letters) + random.choice(letters)
                if len(text) < 5: break
            text = "".join(text)
            if random.randrange(2):
                # Right check digits, so that something else has to be seen.
                try: text = text[:2] + iban.calc_check_digits(text) + text[4:]
                except (ValidationError, ValueError): pass
            return text

        def spelled(text):
            match random.randrange(3):
                case 0: return text
                case 1: return text.lower()
                case 2: return " ".join(text[i:i + 4] for i in range(0, len(text), 4))

        for country, structure in sorted(
            (prefix, info["bban"]) for _, prefix, _, info, _ in numdb.get("iban").prefixes
        ):
            for _ in range(15):
                text = made(country, structure)
                for text in [spelled(text), damaged(text), damaged(text)]:
                    try: verdict, compact = "ok", iban.validate(text, check_country=False)
                    except (ValidationError, ValueError) as error:
                        verdict, compact = type(error).__name__, "-"
                    print(text.encode().hex(), verdict, compact)
        """#

    @Test("What we accept stdnum accepts, and the reverse; every exception has a reason")
    func differential() throws {
        let python = try Python.interpreter(importing: "stdnum", package: "python-stdnum")
        let output = try Python.run(Self.script, interpreter: python)
        var counts: [String: Int] = [:]
        var countries: Set<Substring> = []
        for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            try #require(words.count == 3, "\(line)")
            let bytes = try #require(Self.bytes(hex: words[0]))
            let text = String(decoding: bytes, as: UTF8.self)
            let (iban, refusal) = Self.read(bytes)
            let kind: String
            switch (iban, words[1]) {
            case (let iban?, "ok"):
                kind = "both accept"
                countries.insert(iban.country)
                #expect(iban.text == words[2])
            case (let iban?, "InvalidFormat"):
                kind = "only we accept"
                // We ask the registry for the length alone: where a country has letters and where
                // digits is its banks' affair, and changes.
                #expect(IBANRegistry.swift.refusal(of: iban) == nil)
            case (let iban?, let verdict):
                kind = "only we accept"
                Issue.record("stdnum says \(verdict) of \(iban.text)")
            case (nil, "ok"):
                kind = "only stdnum accepts: \(refusal)"
                #expect(Self.isStricter(text), "we refuse \(text): \(refusal)")
            case (nil, _): kind = "both refuse"
            }
            counts[kind, default: 0] += 1
        }
        for (what, count) in counts.sorted(by: { $0.key < $1.key }) { print("\(count)\t\(what)") }
        #expect(countries.map(String.init).sorted() == IBANRegistry.swift.countries)
        #expect(counts["both accept", default: 0] > 1300)
        #expect(counts["both refuse", default: 0] > 1000)
    }

    /// Whether the contract has us refuse what stdnum accepts: separators other than the space, and
    /// check digits that ISO 7064 does not make.
    private static func isStricter(_ text: String) -> Bool {
        text.contains { "-.\t".contains($0) }
            || ["00", "01", "99"].contains(text.filter { $0 != " " }.dropFirst(2).prefix(2))
    }

    private static func read(_ bytes: [UInt8]) -> (IBAN?, String) {
        do {
            let iban = try IBAN(bytes.span)
            guard let refusal = IBANRegistry.swift.refusal(of: iban) else { return (iban, "") }
            switch refusal {
            case .country: return (nil, "country")
            case .length: return (nil, "length")
            }
        } catch { return (nil, "\(error)") }
    }

    private static func bytes(hex: Substring) -> [UInt8]? {
        let digits = Array(hex.utf8)
        let pairs = stride(from: 0, to: digits.count, by: 2).map { digits[$0..<$0 + 2] }
        let bytes = pairs.compactMap { UInt8(String(decoding: $0, as: UTF8.self), radix: 16) }
        return bytes.count == pairs.count ? bytes : nil
    }
}
