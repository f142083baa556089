import COpenSSL

/// SHA-256 (FIPS 180-4). Stops the process only when OpenSSL itself is broken or out of memory.
package enum SHA256 {
    /// Fetched once: a look-up by name costs more than hashing a short message.
    nonisolated(unsafe) static let algorithm: OpaquePointer? = {
        let algorithm = EVP_MD_fetch(nil, "SHA256", nil)
        requireOpenSSL(algorithm != nil, "EVP_MD_fetch(SHA256)")
        return algorithm
    }()

    /// The digest of one whole message.
    package static func digest(_ bytes: Span<UInt8>) -> Digest256 {
        Digest256 { output in
            bytes.withUnsafeBufferPointer { input in
                var written: UInt32 = 32
                let done = EVP_Digest(
                    input.baseAddress, input.count, output, &written, algorithm, nil)
                requireOpenSSL(done == 1 && written == 32, "EVP_Digest")
            }
        }
    }

    /// The digest of one whole message.
    package static func digest(_ bytes: [UInt8]) -> Digest256 { digest(bytes.span) }
}

/// SHA-256 of a message that comes in parts. Confined to one thread.
package final class SHA256Hasher {
    private let context: OpaquePointer

    /// Begins a message.
    package init() {
        let context = EVP_MD_CTX_new()
        requireOpenSSL(context != nil, "EVP_MD_CTX_new")
        guard let context else { fatalError("EVP_MD_CTX_new") }
        self.context = context
        begin()
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Appends to the message.
    package func update(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { input in
            let done = EVP_DigestUpdate(context, input.baseAddress, input.count)
            requireOpenSSL(done == 1, "EVP_DigestUpdate")
        }
    }

    /// Appends to the message.
    package func update(_ bytes: [UInt8]) { update(bytes.span) }

    /// The digest of everything since the start or the last `finish`; the hasher starts anew.
    package func finish() -> Digest256 {
        let digest = Digest256 { output in
            var written: UInt32 = 32
            let done = EVP_DigestFinal_ex(context, output, &written)
            requireOpenSSL(done == 1 && written == 32, "EVP_DigestFinal_ex")
        }
        begin()
        return digest
    }

    private func begin() {
        let done = EVP_DigestInit_ex2(context, SHA256.algorithm, nil)
        requireOpenSSL(done == 1, "EVP_DigestInit_ex2")
    }
}

@available(*, unavailable)
extension SHA256Hasher: Sendable {}
