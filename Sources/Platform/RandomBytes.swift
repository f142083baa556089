import CLinux
import Glibc

/// Where unpredictable bytes come from.
package protocol RandomBytes: Sendable {
    /// Fills `bytes` with unpredictable bytes.
    func fill(_ bytes: UnsafeMutableRawBufferPointer)
}

extension RandomBytes {
    /// 64 unpredictable bits.
    package func word() -> UInt64 {
        var word: UInt64 = 0
        withUnsafeMutableBytes(of: &word) { fill($0) }
        return word
    }

    /// So many bytes, of which none can be guessed from the others.
    package func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        bytes.withUnsafeMutableBytes { fill($0) }
        return bytes
    }
}

/// getrandom(2), drawn in blocks so that an id does not cost a system call.
package final class SystemRandomBytes: RandomBytes {
    private struct Pool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var used = 4096
    }
    private let pool = Guarded(Pool())

    package init() {}

    package func fill(_ target: UnsafeMutableRawBufferPointer) {
        pool.withLock { pool in
            var filled = 0
            while filled < target.count {
                if pool.used == pool.bytes.count {
                    pool.bytes.withUnsafeMutableBytes { Self.draw($0) }
                    pool.used = 0
                }
                let count = min(target.count - filled, pool.bytes.count - pool.used)
                pool.bytes.withUnsafeMutableBytes { source in
                    let part = UnsafeMutableRawBufferPointer(
                        rebasing: source[pool.used..<pool.used + count])
                    UnsafeMutableRawBufferPointer(rebasing: target[filled..<filled + count])
                        .copyMemory(from: UnsafeRawBufferPointer(part))
                    // What was handed out is not kept.
                    part.initializeMemory(as: UInt8.self, repeating: 0)
                }
                pool.used += count
                filled += count
            }
        }
    }

    private static func draw(_ target: UnsafeMutableRawBufferPointer) {
        var filled = 0
        while filled < target.count {
            let count = getrandom(target.baseAddress! + filled, target.count - filled, 0)
            if count < 0 {
                precondition(errno == EINTR, "getrandom failed with errno \(errno)")
                continue
            }
            filled += count
        }
    }
}

/// A seeded generator (SplitMix64) for tests and simulations. Not for secrets.
package final class SeededRandomBytes: RandomBytes {
    private let state: Guarded<UInt64>

    package init(seed: UInt64) { state = Guarded(seed) }

    package func fill(_ target: UnsafeMutableRawBufferPointer) {
        state.withLock { state in
            var word: UInt64 = 0
            for index in 0..<target.count {
                if index % 8 == 0 {
                    state &+= 0x9E37_79B9_7F4A_7C15
                    word = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
                    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
                    word ^= word >> 31
                }
                target[index] = UInt8(truncatingIfNeeded: word >> UInt64(index % 8 * 8))
            }
        }
    }
}
