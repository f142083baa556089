import Platform
import Testing

@testable import Identity

@Suite("The cache of verified tokens") struct VerifiedTokenCacheTests {
    private let verifier: JWTVerifier

    init() throws { verifier = try World.verifier() }

    private func token(_ id: Int, _ changes: [String: String] = [:]) -> [UInt8] {
        var changes: [String: String?] = changes.mapValues { $0 }
        changes["jti"] = "\"\(id)\""
        return Array(World.token(World.payload(changes)).utf8)
    }

    private func keep(_ bytes: [UInt8], in cache: VerifiedTokenCache) throws {
        cache.insert(try verifier.verify(bytes.span, at: World.now), for: bytes.span)
    }

    private func find(
        _ bytes: [UInt8], in cache: VerifiedTokenCache, at now: Instant = World.now
    ) throws -> VerifiedToken? {
        try cache.token(for: bytes.span, at: now)
    }

    private static func cache(entries: Int = 8, bytes: Int = 1 << 20) -> VerifiedTokenCache {
        VerifiedTokenCache(maximumEntries: entries, maximumBytes: bytes, leewaySeconds: 30)
    }

    @Test("A kept token is found with its claims, an unknown one is not")
    func found() throws {
        let cache = Self.cache()
        try keep(token(1, ["sid": #""s""#]), in: cache)
        let hit = try #require(try find(token(1, ["sid": #""s""#]), in: cache))
        #expect(hit.subject == "cust-7")
        #expect(hit.tokenID == "1")
        #expect(hit.sessionID == "s")
        #expect(try find(token(2), in: cache) == nil)
        #expect(try find([], in: cache) == nil)
        #expect(try find(Array("short".utf8), in: cache) == nil)
    }

    @Test("A token that differs in any byte is not found, though its signature's end is the same")
    func fullComparison() throws {
        let cache = Self.cache()
        let good = token(1)
        try keep(good, in: cache)
        for index in good.indices {
            var changed = good
            changed[index] ^= 1
            #expect(try find(changed, in: cache) == nil)
        }
        #expect(try find([0x41] + good, in: cache) == nil)
        #expect(try find(Array(good.dropFirst()), in: cache) == nil)
        #expect(try find(good, in: cache) != nil)
    }

    @Test("A hit is refused from exp and the leeway on, in either generation")
    func expiry() throws {
        let cache = Self.cache(entries: 2)
        try keep(token(1), in: cache)
        let last = Instant(microseconds: 1_800_000_630_000_000 - 1)
        let end = Instant(seconds: 1_800_000_630)
        #expect(try find(token(1), in: cache, at: last) != nil)
        #expect(throws: TokenRefusal.expired) { try find(token(1), in: cache, at: end) }
        try keep(token(2), in: cache)
        #expect(throws: TokenRefusal.expired) { try find(token(1), in: cache, at: end) }
    }

    @Test("A hit is refused before nbf, as when the clock was stepped back")
    func notBefore() throws {
        let cache = Self.cache()
        try keep(token(1, ["nbf": "1800000000"]), in: cache)
        #expect(throws: TokenRefusal.notYetValid) {
            try find(
                token(1, ["nbf": "1800000000"]), in: cache, at: Instant(seconds: 1_799_999_969))
        }
    }

    @Test("However many tokens come, entries and bytes stay within their bounds")
    func bounds() throws {
        let cache = Self.cache(entries: 10, bytes: 6000)
        for id in 0..<100 {
            try keep(token(id), in: cache)
            #expect(cache.count <= 10)
            #expect(cache.byteCount <= 6000)
            #expect(try find(token(id), in: cache) != nil)
        }
        cache.removeAll()
        #expect(cache.count == 0)
        #expect(cache.byteCount == 0)
        #expect(try find(token(99), in: cache) == nil)
    }

    @Test("The bytes are the sum of what is held, whatever moves between the generations")
    func accounting() throws {
        let cache = Self.cache(entries: 6)
        var state: UInt64 = 7
        for _ in 0..<500 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let id = 100 + Int(state >> 33) % 9
            if try find(token(id), in: cache) == nil { try keep(token(id), in: cache) }
            // All these tokens have one length.
            let each = token(100).count + VerifiedTokenCache.overheadBytes
            #expect(cache.byteCount == cache.count * each)
        }
    }

    @Test("A token in use outlives any number of others")
    func inUseStays() throws {
        let cache = Self.cache(entries: 4)
        try keep(token(0), in: cache)
        for id in 1..<50 {
            #expect(try find(token(0), in: cache) != nil)
            try keep(token(id), in: cache)
        }
        #expect(try find(token(0), in: cache) != nil)
        #expect(try find(token(40), in: cache) == nil)
    }

    @Test("A token too big for the bound is not kept and pushes nothing out")
    func tooBig() throws {
        let cache = Self.cache(entries: 4, bytes: 3000)
        try keep(token(1), in: cache)
        try keep(token(2, ["x": "\"" + String(repeating: "x", count: 900) + "\""]), in: cache)
        #expect(cache.count == 1)
        #expect(try find(token(1), in: cache) != nil)
    }
}
