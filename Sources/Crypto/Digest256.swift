/// A 256-bit digest or authentication code, held as four big-endian machine words.
///
/// `==` is not constant-time: compare authentication codes with `HMACSHA256.isValid`.
package struct Digest256: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Bytes 0 to 7.
    package let word0: UInt64
    /// Bytes 8 to 15.
    package let word1: UInt64
    /// Bytes 16 to 23.
    package let word2: UInt64
    /// Bytes 24 to 31.
    package let word3: UInt64

    /// From the words, the first byte being the highest of the first.
    package init(words: (UInt64, UInt64, UInt64, UInt64)) {
        (word0, word1, word2, word3) = words
    }

    /// Reads 32 bytes; nil for another count.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words: [4 of UInt64] = [0, 0, 0, 0]
        for (index, byte) in bytes.enumerated() {
            words[index / 8] = words[index / 8] << 8 | UInt64(byte)
        }
        self.init(words: (words[0], words[1], words[2], words[3]))
    }

    /// Has `body` write exactly 32 bytes.
    init(writing body: (UnsafeMutablePointer<UInt8>) -> Void) {
        var words: [4 of UInt64] = [0, 0, 0, 0]
        withUnsafeMutableBytes(of: &words) { raw in
            raw.withMemoryRebound(to: UInt8.self) { buffer in
                guard let base = buffer.baseAddress else { return }
                body(base)
            }
        }
        self.init(
            words: (
                UInt64(bigEndian: words[0]), UInt64(bigEndian: words[1]),
                UInt64(bigEndian: words[2]), UInt64(bigEndian: words[3])
            ))
    }

    /// Order of the bytes.
    package static func < (a: Self, b: Self) -> Bool {
        (a.word0, a.word1, a.word2, a.word3) < (b.word0, b.word1, b.word2, b.word3)
    }

    /// The 32 bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        append(bytesTo: &bytes)
        return bytes
    }

    /// Appends the 32 bytes.
    package func append(bytesTo bytes: inout [UInt8]) {
        for index in 0..<4 {
            let word = index < 2 ? (index == 0 ? word0 : word1) : (index == 2 ? word2 : word3)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
    }

    /// 64 lower-case hexadecimal digits.
    package var hex: String { Hex.string(bytes) }

    /// As `hex`.
    package var description: String { hex }
}
