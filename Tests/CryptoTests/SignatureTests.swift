import Testing

@testable import Crypto

@Suite("Signatures") struct SignatureTests {
    private static let message = Vectors.message

    private static func bytes(_ text: String) throws -> [UInt8] {
        try #require(Base64URL.decode(text))
    }

    private static func rsa() throws -> VerificationKey {
        try VerificationKey(
            rsaModulus: bytes(Vectors.rsaModulus), exponent: bytes(Vectors.exponent))
    }

    private static func p256() throws -> VerificationKey {
        try VerificationKey(p256X: bytes(Vectors.p256X), y: bytes(Vectors.p256Y))
    }

    private static func ed25519() throws -> VerificationKey {
        try VerificationKey(ed25519: bytes(Vectors.ed25519))
    }

    private static func key(for algorithm: SignatureAlgorithm) throws -> VerificationKey {
        switch algorithm {
        case .rs256, .ps256: try rsa()
        case .es256: try p256()
        case .edDSA: try ed25519()
        }
    }

    private static let good: [(SignatureAlgorithm, String)] = [
        (.rs256, Vectors.rs256), (.ps256, Vectors.ps256), (.es256, Vectors.es256),
        (.es256, Vectors.es256WithShortR), (.es256, Vectors.es256WithShortS),
        (.edDSA, Vectors.edDSA),
    ]

    @Test("Another library's signatures validate, again and again with one key", arguments: good)
    func valid(algorithm: SignatureAlgorithm, signature: String) throws {
        let key = try Self.key(for: algorithm)
        let signature = try Self.bytes(signature)
        for _ in 0..<3 {
            #expect(key.accepts(signature, over: Self.message, by: algorithm))
        }
    }

    @Test("A signature with any one byte changed does not validate", arguments: good)
    func changedSignature(algorithm: SignatureAlgorithm, signature: String) throws {
        let key = try Self.key(for: algorithm)
        let signature = try Self.bytes(signature)
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 0x01
            #expect(!key.accepts(changed, over: Self.message, by: algorithm))
        }
        #expect(key.accepts(signature, over: Self.message, by: algorithm))
    }

    @Test("A signature cut short or extended does not validate", arguments: good)
    func wrongLength(algorithm: SignatureAlgorithm, signature: String) throws {
        let key = try Self.key(for: algorithm)
        let signature = try Self.bytes(signature)
        for changed in [[], [0], Array(signature.dropLast()), signature + [0], [0] + signature] {
            #expect(!key.accepts(changed, over: Self.message, by: algorithm))
        }
    }

    @Test("A signature does not validate over another message", arguments: good)
    func changedMessage(algorithm: SignatureAlgorithm, signature: String) throws {
        let key = try Self.key(for: algorithm)
        let signature = try Self.bytes(signature)
        for other in [Self.message + [0], Array(Self.message.dropLast()), []] {
            #expect(!key.accepts(signature, over: other, by: algorithm))
        }
    }

    @Test("A signature does not validate under another algorithm", arguments: good)
    func otherAlgorithm(algorithm: SignatureAlgorithm, signature: String) throws {
        let key = try Self.key(for: algorithm)
        let signature = try Self.bytes(signature)
        for other in SignatureAlgorithm.allCases where other != algorithm {
            #expect(!key.accepts(signature, over: Self.message, by: other))
        }
    }

    @Test("PS256 with a salt of 20 bytes and RSA with SHA-512 do not validate")
    func otherParameters() throws {
        let key = try Self.rsa()
        let salted = try Self.bytes(Vectors.ps256WithSaltOf20)
        let longer = try Self.bytes(Vectors.rs512)
        #expect(!key.accepts(salted, over: Self.message, by: .ps256))
        #expect(!key.accepts(longer, over: Self.message, by: .rs256))
    }

    @Test("An ECDSA signature of zeros or in DER form does not validate")
    func degenerateECDSA() throws {
        let key = try Self.p256()
        let zeros = [UInt8](repeating: 0, count: 64)
        let der = try #require(ECDSASignature.der(from: Self.bytes(Vectors.es256)))
        #expect(!key.accepts(zeros, over: Self.message, by: .es256))
        #expect(!key.accepts(der, over: Self.message, by: .es256))
    }

    @Test("Ed25519 validates RFC 8032's first test, an empty message")
    func rfc8032() throws {
        let key = try VerificationKey(
            ed25519: #require(
                Hex.decode("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")))
        let signature = try #require(
            Hex.decode(
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555"
                    + "fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"))
        let empty: [UInt8] = []
        #expect(key.accepts(signature, over: empty, by: .edDSA))
    }

    @Test("RSA keys below 2048 bits are refused, leading zeros not counted")
    func shortModulus() throws {
        let short = try Self.bytes(Vectors.shortModulus)
        for modulus in [short, [UInt8](repeating: 0, count: 200) + short] {
            #expect(throws: KeyRefusal.modulusBits(1024)) {
                try VerificationKey(rsaModulus: modulus, exponent: [1, 0, 1])
            }
        }
    }

    @Test(
        "Unsound RSA exponents are refused",
        arguments: [[], [0], [1], [2], [1, 0, 0], [UInt8](repeating: 1, count: 9)])
    func unsoundExponent(exponent: [UInt8]) throws {
        let modulus = try Self.bytes(Vectors.rsaModulus)
        #expect(throws: KeyRefusal.unsoundRSA) {
            try VerificationKey(rsaModulus: modulus, exponent: exponent)
        }
    }

    @Test("Moduli that are even or too long are refused")
    func unsoundModulus() throws {
        var even = try Self.bytes(Vectors.rsaModulus)
        even[even.count - 1] &= 0xFE
        #expect(throws: KeyRefusal.unsoundRSA) {
            try VerificationKey(rsaModulus: even, exponent: [1, 0, 1])
        }
        let long = [UInt8](repeating: 0xFF, count: 1025)
        #expect(throws: KeyRefusal.modulusBits(8200)) {
            try VerificationKey(rsaModulus: long, exponent: [1, 0, 1])
        }
    }

    @Test("Points off the curve or of another length are refused")
    func invalidPoint() throws {
        let x = try Self.bytes(Vectors.p256X)
        var y = try Self.bytes(Vectors.p256Y)
        #expect(throws: KeyRefusal.invalidPoint) { try VerificationKey(p256X: x, y: [0] + y) }
        #expect(throws: KeyRefusal.invalidPoint) {
            try VerificationKey(p256X: Array(x.dropLast()), y: y)
        }
        #expect(throws: KeyRefusal.invalidPoint) {
            try VerificationKey(
                p256X: [UInt8](repeating: 0, count: 32), y: [UInt8](repeating: 0, count: 32))
        }
        #expect(throws: KeyRefusal.invalidPoint) { try VerificationKey(ed25519: x + [0]) }
        y[31] ^= 1
        #expect(throws: KeyRefusal.invalidPoint) { try VerificationKey(p256X: x, y: y) }
    }

    @Test("One key serves many threads at once, good and bad signatures mixed")
    func shared() async throws {
        let message = Self.message
        let rsa = try Self.rsa()
        let p256 = try Self.p256()
        let work: [(VerificationKey, SignatureAlgorithm, [UInt8])] = try [
            (rsa, .rs256, Self.bytes(Vectors.rs256)), (rsa, .ps256, Self.bytes(Vectors.ps256)),
            (p256, .es256, Self.bytes(Vectors.es256)),
        ]
        let wrong = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var wrong = 0
                    for round in 0..<150 {
                        let (key, algorithm, good) = work[(worker + round) % work.count]
                        var bad = good
                        bad[round % bad.count] ^= 0x40
                        if !key.accepts(good, over: message, by: algorithm) { wrong += 1 }
                        if key.accepts(bad, over: message, by: algorithm) { wrong += 1 }
                    }
                    return wrong
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }
}
