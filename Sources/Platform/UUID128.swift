/// A UUID (RFC 9562) as two machine words.
package struct UUID128: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package static let `nil` = UUID128(high: 0, low: 0)
    package static let max = UUID128(high: .max, low: .max)

    /// Order of the bytes, which for version 7 is the order of creation.
    package static func < (a: Self, b: Self) -> Bool { (a.high, a.low) < (b.high, b.low) }

    /// Reads the 36-character form in either letter case; nil for anything else.
    package init?(_ text: Span<UInt8>) {
        guard text.count == 36 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        var digits = 0
        for index in 0..<36 {
            let byte = text[index]
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == 0x2D else { return nil }
                continue
            }
            let digit: UInt64
            switch byte {
            case 0x30...0x39: digit = UInt64(byte - 0x30)
            case 0x41...0x46: digit = UInt64(byte - 0x41 + 10)
            case 0x61...0x66: digit = UInt64(byte - 0x61 + 10)
            default: return nil
            }
            if digits < 16 { high = high << 4 | digit } else { low = low << 4 | digit }
            digits += 1
        }
        self.init(high: high, low: low)
    }

    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(bytes.span)
    }

    /// Reads 16 bytes in network order; nil for another count.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            if index < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
        }
        self.init(high: high, low: low)
    }

    /// The 16 bytes in network order.
    package func append(bytesTo bytes: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: high >> UInt64(shift)))
        }
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: low >> UInt64(shift)))
        }
    }

    /// The 36-character form in lower case.
    package func append(textTo bytes: inout [UInt8]) {
        var text = [36 of UInt8](repeating: 0x2D)
        var (word, place) = (high, 0)
        for nibble in 0..<32 {
            if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 { place += 1 }
            if nibble == 16 { word = low }
            let digit = UInt8(truncatingIfNeeded: word >> 60)
            text[place] = digit < 10 ? 0x30 &+ digit : 0x57 &+ digit
            word <<= 4
            place += 1
        }
        bytes.append(text.span)
    }

    package var description: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(36)
        append(textTo: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Makes version 7 UUIDs (RFC 9562 section 5.7) that never go back within one generator: the 74
/// random bits are a counter that is drawn anew each millisecond and grows by a random step
/// within one (section 6.2, method 2). Confined to one thread.
package struct UUIDv7Generator {
    private let random: any RandomBytes
    private var milliseconds: Int64 = -1
    private var counter: UInt64 = 0

    package init(random: any RandomBytes) { self.random = random }

    /// A new id, greater than all that this generator made before.
    package mutating func next(at now: Instant) -> UUID128 {
        let fresh = random.word()
        if now.milliseconds > milliseconds {
            milliseconds = now.milliseconds
            counter = fresh >> 2  // 62 bits, the top one clear so that there is room to grow
            counter &= 0x1FFF_FFFF_FFFF_FFFF
        } else {
            counter += 1 + (fresh & 0xFFFF_FFFF)
            if counter >= 1 << 62 {
                milliseconds += 1
                counter = random.word() & 0x1FFF_FFFF_FFFF_FFFF
            }
        }
        let randA = random.word() & 0xFFF
        // `rand_a` carries the counter's upper 12 bits, so that order within a millisecond holds.
        let upper = counter >> 50
        let high = UInt64(milliseconds) << 16 | 0x7000 | upper & 0xFFF
        let low = 0x8000_0000_0000_0000 | (counter & 0x3_FFFF_FFFF_FFFF) << 12 | randA
        return UUID128(high: high, low: low)
    }
}
