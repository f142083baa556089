extension [UInt8] {
    /// Appends `units` in decimal digits with a point before the last `decimals` of them, and so
    /// many leading zeros that one digit stands before the point: 5 with 2 decimals is `0.05`.
    /// `decimals` is 0 to 19.
    package mutating func append(decimal units: UInt64, decimals: Int = 0) {
        // 20 digits, a point, and zeros that fill up.
        var text = [24 of UInt8](repeating: 0x30)
        var start = 24
        var left = units
        var digits = 0
        while left > 0 || digits <= decimals {
            if digits == decimals, decimals > 0 {
                start -= 1
                text[start] = 0x2E
            }
            start -= 1
            text[start] = 0x30 + UInt8(truncatingIfNeeded: left % 10)
            left /= 10
            digits += 1
        }
        append(text.span.extracting(start..<24))
    }

    /// Appends `bytes`.
    package mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
