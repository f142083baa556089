import Platform

/// Random choices from a seed: the same on every run.
struct Choices {
    private let random: SeededRandomBytes

    init(seed: UInt64) { random = SeededRandomBytes(seed: seed) }

    /// From 0 to `bound` - 1.
    func below(_ bound: Int) -> Int { Int(random.word() % UInt64(bound)) }

    func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

    /// `bytes` with one to three bytes changed, put in, taken out, copied from elsewhere or cut off.
    func mutation(of bytes: [UInt8], spice: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...below(3) where !bytes.isEmpty {
            let index = below(bytes.count)
            switch below(7) {
            case 0: bytes[index] = UInt8(below(256))
            case 1: bytes.remove(at: index)
            case 2: bytes[index] = one(of: bytes)
            case 3: bytes.insert(bytes[index], at: index)
            case 4: if below(4) == 0 { bytes.removeSubrange(index...) }
            default: bytes.insert(one(of: spice), at: index)
            }
        }
        return bytes
    }
}

/// In hexadecimal, as the scripts read and write bytes.
func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
