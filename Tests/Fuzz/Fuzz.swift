import Glibc

/// What the program can fuzz. Each target has a folder of seeds under `Corpus`.
private let targets: [(name: String, run: @Sendable ([UInt8]) -> Void)] = [
    ("amount", fuzzAmount),
    ("chunks", fuzzChunks),
    ("configuration", fuzzConfiguration),
    ("connection", fuzzConnection),
    ("cursor", fuzzCursor),
    ("events", fuzzEvents),
    ("iban", fuzzIBAN),
    ("intent", fuzzIntent),
    ("json", fuzzJSON),
    ("jwks", fuzzKeySet),
    ("key", fuzzIdempotencyKey),
    ("query", fuzzQuery),
    ("time", fuzzTime),
    ("token", fuzzToken),
]

/// The target that the environment variable FUZZ_TARGET names; looked up once.
private let chosen: @Sendable ([UInt8]) -> Void = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = targets.first(where: { $0.name == name }) else {
        fail("set FUZZ_TARGET to one of \(targets.map(\.name).joined(separator: ", "))")
    }
    return target.run
}()

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosen(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Ends the run with a finding.
func fail(_ what: String) -> Never {
    let line = Array("FINDING: \(what)\n".utf8)
    // The run ends here, whether or not the line comes out.
    _ = write(STDERR_FILENO, line, line.count)
    abort()
}

/// A property of the code under test.
func require(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { fail(what()) }
}

/// For messages: as text where it is text.
func shown(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: Array(bytes), as: UTF8.self).debugDescription
}

/// Choices that an input's first byte makes (SplitMix64).
struct Choices {
    private var state: UInt64

    init(_ seed: UInt8) { state = UInt64(seed) }

    /// From 0 to `bound` - 1.
    mutating func next(below bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((word ^ (word >> 31)) % UInt64(bound))
    }

    /// `bytes` cut into pieces of 1 to 23 bytes.
    mutating func pieces(of bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var rest = bytes
        while !rest.isEmpty {
            let count = min(rest.count, 1 + next(below: 23))
            pieces.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return pieces
    }
}

/// Every byte for itself.
func singles(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    bytes.indices.map { bytes[$0...$0] }
}
