import COpenSSL

/// The signatures of JSON Web Algorithms (RFC 7518, RFC 8037) that this server verifies.
package enum SignatureAlgorithm: Hashable, Sendable, CaseIterable {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256
    /// RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt of 32 bytes.
    case ps256
    /// ECDSA on P-256 with SHA-256; 64 bytes, r then s.
    case es256
    /// Ed25519.
    case edDSA
}

/// Why a public key cannot be used.
package enum KeyRefusal: Error, Equatable, Sendable {
    /// An RSA modulus of fewer than 2048 or more than 8192 bits.
    case modulusBits(Int)
    /// An RSA exponent that is even, less than 3 or longer than 64 bits; an even modulus.
    case unsoundRSA
    /// Coordinates of another length than the curve's, or a point off the curve.
    case invalidPoint
    /// OpenSSL refused it.
    case openSSL(OpenSSLError)
}

/// A public key, parsed once. Shareable between threads.
package final class VerificationKey: @unchecked Sendable {
    // Sendable: OpenSSL's key is immutable once made, and the prepared contexts are only copied.
    private let key: OpaquePointer
    private let prepared: [SignatureAlgorithm: OpaquePointer]

    /// The algorithms that this kind of key can verify.
    package let algorithms: Set<SignatureAlgorithm>

    /// An RSA key from big-endian modulus and exponent (RFC 7518 section 6.3.1).
    package convenience init(
        rsaModulus modulus: [UInt8], exponent: [UInt8]
    ) throws(KeyRefusal) {
        let bits = Self.significantBits(modulus)
        guard (2048...8192).contains(bits) else { throw .modulusBits(bits) }
        let exponentBits = Self.significantBits(exponent)
        guard (2...64).contains(exponentBits), (exponent.last ?? 0) & 1 == 1,
            (modulus.last ?? 0) & 1 == 1
        else { throw .unsoundRSA }
        let key = try KeyBuilder.rsa(modulus: modulus, exponent: exponent)
        try self.init(owning: key, for: [.rs256, .ps256])
    }

    /// A P-256 key from its two 32-byte coordinates (RFC 7518 section 6.2.1).
    package convenience init(p256X x: [UInt8], y: [UInt8]) throws(KeyRefusal) {
        guard x.count == 32, y.count == 32 else { throw .invalidPoint }
        try self.init(owning: try KeyBuilder.p256(x: x, y: y), for: [.es256])
    }

    /// An Ed25519 key from its 32 bytes (RFC 8037 section 2).
    package convenience init(ed25519 bytes: [UInt8]) throws(KeyRefusal) {
        guard bytes.count == 32 else { throw .invalidPoint }
        try self.init(owning: try KeyBuilder.ed25519(bytes), for: [.edDSA])
    }

    private init(
        owning key: OpaquePointer, for algorithms: Set<SignatureAlgorithm>
    ) throws(KeyRefusal) {
        var prepared: [SignatureAlgorithm: OpaquePointer] = [:]
        do throws(OpenSSLError) {
            // OpenSSL 3.0 cannot copy a context without a digest, so Ed25519 starts anew each time.
            for algorithm in algorithms where algorithm != .edDSA {
                prepared[algorithm] = try Self.context(for: algorithm, key)
            }
        } catch {
            for context in prepared.values { EVP_MD_CTX_free(context) }
            EVP_PKEY_free(key)
            throw .openSSL(error)
        }
        self.key = key
        self.prepared = prepared
        self.algorithms = algorithms
    }

    deinit {
        for context in prepared.values { EVP_MD_CTX_free(context) }
        EVP_PKEY_free(key)
    }

    /// Whether `signature` is this key's over `message`. False for an algorithm that the key does
    /// not fit and for a signature of the wrong length or form.
    package func isValid(
        _ signature: Span<UInt8>, of message: Span<UInt8>, by algorithm: SignatureAlgorithm
    ) -> Bool {
        guard algorithms.contains(algorithm), let context = freshContext(for: algorithm) else {
            return false
        }
        defer { EVP_MD_CTX_free(context) }
        guard algorithm == .es256 else { return Self.verify(context, signature, message) }
        guard let der = ECDSASignature.der(fromRaw: signature) else { return false }
        return Self.verify(context, der.span, message)
    }

    private static func verify(
        _ context: OpaquePointer, _ signature: Span<UInt8>, _ message: Span<UInt8>
    ) -> Bool {
        let result = signature.withUnsafeBufferPointer { signature in
            message.withUnsafeBufferPointer { message in
                EVP_DigestVerify(
                    context, signature.baseAddress, signature.count,
                    message.baseAddress, message.count)
            }
        }
        // A bad signature queues errors that a later call must not find.
        if result != 1 { ERR_clear_error() }
        return result == 1
    }

    private func freshContext(for algorithm: SignatureAlgorithm) -> OpaquePointer? {
        guard let template = prepared[algorithm] else {
            do throws(OpenSSLError) {
                return try Self.context(for: algorithm, key)
            } catch {
                fatalError(error.description)
            }
        }
        let context = EVP_MD_CTX_new()
        requireOpenSSL(context != nil, "EVP_MD_CTX_new")
        requireOpenSSL(EVP_MD_CTX_copy_ex(context, template) == 1, "EVP_MD_CTX_copy_ex")
        return context
    }

    private static func context(
        for algorithm: SignatureAlgorithm, _ key: OpaquePointer
    ) throws(OpenSSLError) -> OpaquePointer {
        guard let context = EVP_MD_CTX_new() else { throw .last("EVP_MD_CTX_new") }
        var keyContext: OpaquePointer?
        let digest = algorithm == .edDSA ? nil : "SHA256"
        var done = EVP_DigestVerifyInit_ex(context, &keyContext, digest, nil, nil, key, nil) == 1
        if algorithm == .ps256 {
            done =
                done
                && EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(keyContext, 32) == 1
                && EVP_PKEY_CTX_set_rsa_mgf1_md_name(keyContext, "SHA256", nil) == 1
        }
        guard done else {
            EVP_MD_CTX_free(context)
            throw .last("EVP_DigestVerifyInit_ex")
        }
        return context
    }

    private static func significantBits(_ number: [UInt8]) -> Int {
        guard let first = number.firstIndex(where: { $0 != 0 }) else { return 0 }
        return (number.count - first) * 8 - number[first].leadingZeroBitCount
    }
}
