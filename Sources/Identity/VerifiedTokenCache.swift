import Glibc
package import Platform

/// Tokens that were verified before, so that a customer's next request does not cost a signature.
/// Confined to one thread.
///
/// Only verified tokens get in, so garbage cannot push good ones out. Two generations: when the
/// young one has half of either bound, it becomes the old one and the old one goes. What is used
/// moves to the young one and so stays.
package final class VerifiedTokenCache {
    /// The signature's last 16 characters: 96 bits that nobody chooses. A match is not trusted: the
    /// whole token is compared.
    private struct Key: Hashable {
        let high: UInt64
        let low: UInt64
    }

    private struct Entry {
        let bytes: [UInt8]
        let token: VerifiedToken
    }

    private struct Generation {
        var entries: [Key: Entry] = [:]
        var bytes = 0
    }

    /// Counted for each entry beside its token's bytes: the parsed claims and the tables.
    package static let overheadBytes = 512

    private let entriesPerGeneration: Int
    private let bytesPerGeneration: Int
    private let leewaySeconds: Int64
    private var young = Generation()
    private var old = Generation()

    /// Holds at most `maximumEntries` tokens (2 or more) of `maximumBytes` in all, overhead
    /// included. `leewaySeconds` is the verifier's.
    package init(maximumEntries: Int, maximumBytes: Int, leewaySeconds: Int64) {
        precondition(maximumEntries >= 2 && maximumBytes >= 2, "the cache would hold nothing")
        entriesPerGeneration = maximumEntries / 2
        bytesPerGeneration = maximumBytes / 2
        self.leewaySeconds = leewaySeconds
    }

    /// Number of tokens held, expired ones included.
    package var count: Int { young.entries.count + old.entries.count }
    /// Bytes held, as counted against the bound.
    package var byteCount: Int { young.bytes + old.bytes }

    /// The token if exactly these bytes were verified before; nil if not. Throws `.expired` and
    /// `.notYetValid` as the verifier would at `now`. Revocation is the caller's to check: the
    /// token has subject, session and id.
    package func token(
        for bytes: Span<UInt8>, at now: Instant
    ) throws(TokenRefusal) -> VerifiedToken? {
        guard let key = Self.key(bytes) else { return nil }
        if let entry = young.entries[key], Self.same(entry.bytes, bytes) {
            try entry.token.check(at: now, leewaySeconds: leewaySeconds)
            return entry.token
        }
        guard let entry = old.entries[key], Self.same(entry.bytes, bytes) else { return nil }
        remove(key, from: &old)
        try entry.token.check(at: now, leewaySeconds: leewaySeconds)
        insert(entry, under: key)
        return entry.token
    }

    /// Keeps a token that the verifier has just accepted. One too big for the bounds is not kept.
    package func insert(_ token: VerifiedToken, for bytes: Span<UInt8>) {
        guard let key = Self.key(bytes), bytes.count + Self.overheadBytes <= bytesPerGeneration
        else { return }
        var copy: [UInt8] = []
        bytes.withUnsafeBufferPointer { copy = Array($0) }
        remove(key, from: &old)
        insert(Entry(bytes: copy, token: token), under: key)
    }

    /// Forgets everything, as after a key was withdrawn.
    package func removeAll() {
        young = Generation()
        old = Generation()
    }

    private func insert(_ entry: Entry, under key: Key) {
        remove(key, from: &young)
        let size = Self.size(entry)
        if young.entries.count == entriesPerGeneration || young.bytes + size > bytesPerGeneration {
            old = young
            young = Generation()
        }
        young.entries[key] = entry
        young.bytes += size
    }

    private func remove(_ key: Key, from generation: inout Generation) {
        guard let entry = generation.entries.removeValue(forKey: key) else { return }
        generation.bytes -= Self.size(entry)
    }

    private static func size(_ entry: Entry) -> Int {
        entry.bytes.count + (entry.token.evidence.authorizationDetails?.count ?? 0) + overheadBytes
    }

    private static func key(_ bytes: Span<UInt8>) -> Key? {
        guard bytes.count >= 16 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for index in bytes.count - 16..<bytes.count - 8 { high = high << 8 | UInt64(bytes[index]) }
        for index in bytes.count - 8..<bytes.count { low = low << 8 | UInt64(bytes[index]) }
        return Key(high: high, low: low)
    }

    private static func same(_ known: [UInt8], _ bytes: Span<UInt8>) -> Bool {
        let count = known.count
        guard count == bytes.count else { return false }
        return known.withUnsafeBytes { known in
            bytes.withUnsafeBytes { bytes in
                guard let known = known.baseAddress, let bytes = bytes.baseAddress else {
                    return false
                }
                return memcmp(known, bytes, count) == 0
            }
        }
    }
}

@available(*, unavailable)
extension VerifiedTokenCache: Sendable {}
