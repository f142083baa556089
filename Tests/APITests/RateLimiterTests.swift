import Ledger
import Platform
import Testing

@testable import API

@Suite("Rate limits") struct RateLimiterTests {
    @Test("a burst is allowed at once, and then as much as time refills")
    func burstAndRefill() throws {
        let limiter = RateLimiter("writes", RateLimiter.Policy(perSecond: 2, burst: 3))
        let alice = try customerID("alice")
        for _ in 0..<3 { #expect(limiter.take(alice, at: seconds(10)) == .allowed) }
        #expect(limiter.take(alice, at: seconds(10)) == .limited(retryAfterSeconds: 1))
        #expect(limiter.take(alice, at: seconds(10.4)) == .limited(retryAfterSeconds: 1))
        #expect(limiter.take(alice, at: seconds(10.5)) == .allowed)
        #expect(limiter.take(alice, at: seconds(10.5)) == .limited(retryAfterSeconds: 1))
        // A refused request costs nothing, and a long pause fills the bucket, no more.
        for _ in 0..<3 { #expect(limiter.take(alice, at: seconds(100)) == .allowed) }
        #expect(limiter.take(alice, at: seconds(100)) == .limited(retryAfterSeconds: 1))
    }

    @Test("Retry-After is rounded up, and then a request is allowed")
    func retryAfter() throws {
        let limiter = RateLimiter("writes", RateLimiter.Policy(perSecond: 1, burst: 1))
        let alice = try customerID("alice")
        #expect(limiter.take(alice, at: seconds(0)) == .allowed)
        #expect(limiter.take(alice, at: seconds(0)) == .limited(retryAfterSeconds: 1))
        #expect(limiter.take(alice, at: seconds(0.999)) == .limited(retryAfterSeconds: 1))
        #expect(limiter.take(alice, at: seconds(1)) == .allowed)
    }

    @Test("one customer's rate is not another's")
    func customers() throws {
        let limiter = RateLimiter("writes", RateLimiter.Policy(perSecond: 1, burst: 1))
        #expect(limiter.take(try customerID("alice"), at: seconds(0)) == .allowed)
        #expect(limiter.take(try customerID("bob"), at: seconds(0)) == .allowed)
        #expect(
            limiter.take(try customerID("alice"), at: seconds(0))
                == .limited(retryAfterSeconds: 1))
    }

    @Test("without a rate everything is allowed")
    func off() throws {
        let limiter = RateLimiter("writes", .off)
        for _ in 0..<1000 {
            #expect(limiter.take(try customerID("alice"), at: seconds(0)) == .allowed)
        }
        #expect(limiter.windowSeconds == 1)
    }

    @Test("customers with a full bucket are swept out, the others stay limited")
    func sweep() throws {
        let limiter = RateLimiter("writes", RateLimiter.Policy(perSecond: 1, burst: 1))
        let busy = try customerID("busy")
        for number in 0..<65_536 {
            #expect(limiter.take(try customerID("c\(number)"), at: seconds(0)) == .allowed)
        }
        // All of them are full again at 5; this one is not, and the next request sweeps.
        #expect(limiter.take(busy, at: seconds(5)) == .allowed)
        #expect(limiter.take(try customerID("late"), at: seconds(5)) == .allowed)
        #expect(limiter.take(busy, at: seconds(5)) == .limited(retryAfterSeconds: 1))
        #expect(limiter.take(try customerID("c0"), at: seconds(5)) == .allowed)
        #expect(limiter.entries == 3)
    }

    @Test("the policy's window is how long an empty bucket takes to fill")
    func window() {
        #expect(RateLimiter("writes", .init(perSecond: 50, burst: 200)).windowSeconds == 4)
        #expect(RateLimiter("writes", .init(perSecond: 200, burst: 50)).windowSeconds == 1)
    }
}
