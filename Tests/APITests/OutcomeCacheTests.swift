import Ledger
import Platform
import Store
import StoreTestSupport
import Testing

@testable import API

@Suite("Outcome cache") struct OutcomeCacheTests {
    private static func outcome(_ bytes: Int) -> StoredOutcome {
        StoredOutcome(
            kind: .executed, statusCode: 201, contentType: .json,
            body: [UInt8](repeating: 0x20, count: bytes), transfer: nil, fingerprint: nil,
            receivedAt: ManualClock.noon)
    }

    private static func id(_ number: Int) -> IntentID {
        IntentID(customer: customer(1), key: key(number))
    }

    @Test("an outcome is found under its intent, and under no other")
    func finds() {
        var cache = OutcomeCache(maximumBytes: 1 << 20)
        cache.insert(Self.outcome(10), nil, Self.id(1))
        #expect(cache.entry(Self.id(1))?.outcome.body.count == 10)
        #expect(cache.entry(Self.id(2)) == nil)
        #expect(cache.entry(IntentID(customer: customer(2), key: key(1))) == nil)
    }

    @Test("the first outcome of an intent stays: outcomes never change")
    func first() {
        var cache = OutcomeCache(maximumBytes: 1 << 20)
        cache.insert(Self.outcome(10), nil, Self.id(1))
        cache.insert(Self.outcome(11), nil, Self.id(1))
        #expect(cache.entry(Self.id(1))?.outcome.body.count == 10)
    }

    @Test("a body is known by all of its bytes, and a revoked intent by none")
    func bodies() {
        let body = Array("{\"one\": 1}".utf8)
        let intent = SubmittedIntent(
            debtorIBAN: iban(1), amount: amount("1"), currency: eur.code, creditorIBAN: iban(2),
            creditorName: "Marie Curie", written: body)
        var cache = OutcomeCache(maximumBytes: 1 << 20)
        cache.insert(Self.outcome(10), intent, Self.id(1))
        cache.insert(Self.outcome(10), nil, Self.id(2))
        func isOf(_ number: Int, _ body: [UInt8]) -> Bool {
            cache.entry(Self.id(number))?.isOf(body.span) ?? false
        }
        #expect(isOf(1, body))
        #expect(!isOf(2, body))
        #expect(!isOf(2, []))
        for index in body.indices {
            var other = body
            other[index] ^= 1
            #expect(!isOf(1, other))
        }
        #expect(!isOf(1, body + [0x20]))
        #expect(!isOf(1, Array(body.dropLast())))
    }

    @Test("two generations hold the newest entries; what is asked for lives on")
    func generations() {
        // Four entries of 1000 bytes in each generation.
        var cache = OutcomeCache(maximumBytes: 8000)
        for number in 1...4 { cache.insert(Self.outcome(200), nil, Self.id(number)) }
        cache.insert(Self.outcome(200), nil, Self.id(5))
        // All are there: 1 to 4 in the old generation. Asking moves 1 to the young one.
        #expect(cache.entry(Self.id(1)) != nil)
        for number in 6...7 { cache.insert(Self.outcome(200), nil, Self.id(number)) }
        cache.insert(Self.outcome(200), nil, Self.id(8))
        for number in 2...4 { #expect(cache.entry(Self.id(number)) == nil, "\(number)") }
        for number in [8, 1, 5, 6] { #expect(cache.entry(Self.id(number)) != nil, "\(number)") }
    }

    @Test("whatever is inserted, no more than the bound is held")
    func bound() {
        var cache = OutcomeCache(maximumBytes: 100_000)
        var random = SystemRandomNumberGenerator()
        for number in 1...2000 {
            cache.insert(
                Self.outcome(Int(random.next(upperBound: UInt(5000)))), nil, Self.id(number))
        }
        let held = (1...2000).reduce(0) { held, number in
            // A copy, because looking moves entries.
            var copy = cache
            return held + (copy.entry(Self.id(number)).map { $0.outcome.body.count + 800 } ?? 0)
        }
        #expect(held > 0)
        #expect(held <= 100_000)
    }

    @Test("an outcome that is too large is not kept and displaces nothing")
    func tooLarge() {
        var cache = OutcomeCache(maximumBytes: 8000)
        cache.insert(Self.outcome(200), nil, Self.id(1))
        cache.insert(Self.outcome(3201), nil, Self.id(2))
        #expect(cache.entry(Self.id(2)) == nil)
        #expect(cache.entry(Self.id(1)) != nil)
    }
}
