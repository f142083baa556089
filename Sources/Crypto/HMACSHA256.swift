import COpenSSL

/// HMAC-SHA256 (RFC 2104) under one key. Shareable between threads.
package final class HMACSHA256: @unchecked Sendable {
    // Sendable: the keyed context is never written after `init`; each computation copies it.
    private let keyed: OpaquePointer

    /// `key` may have any length but 0; 32 bytes and more are sound.
    package init(key: [UInt8]) {
        precondition(!key.isEmpty, "an empty key authenticates nothing")
        let algorithm = EVP_MAC_fetch(nil, "HMAC", nil)
        requireOpenSSL(algorithm != nil, "EVP_MAC_fetch(HMAC)")
        guard let context = EVP_MAC_CTX_new(algorithm) else {
            fatalError(OpenSSLError.last("EVP_MAC_CTX_new").description)
        }
        EVP_MAC_free(algorithm)
        keyed = context
        var digest = Array("SHA256".utf8CString)
        digest.withUnsafeMutableBufferPointer { name in
            var parameters = [
                OSSL_PARAM_construct_utf8_string(transferd_param_digest(), name.baseAddress, 0),
                OSSL_PARAM_construct_end(),
            ]
            let done = EVP_MAC_init(context, key, key.count, &parameters)
            requireOpenSSL(done == 1, "EVP_MAC_init")
        }
    }

    deinit { EVP_MAC_CTX_free(keyed) }

    /// The authentication code of `message`.
    package func code(for message: Span<UInt8>) -> Digest256 {
        guard let context = EVP_MAC_CTX_dup(keyed) else {
            fatalError(OpenSSLError.last("EVP_MAC_CTX_dup").description)
        }
        defer { EVP_MAC_CTX_free(context) }
        return Digest256 { output in
            message.withUnsafeBufferPointer { input in
                let done = EVP_MAC_update(context, input.baseAddress, input.count)
                requireOpenSSL(done == 1, "EVP_MAC_update")
            }
            var written = 0
            let done = EVP_MAC_final(context, output, &written, 32)
            requireOpenSSL(done == 1 && written == 32, "EVP_MAC_final")
        }
    }

    /// Whether `code` authenticates `message`, compared in constant time.
    package func isValid(_ code: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        ConstantTime.equal(code, self.code(for: message).bytes.span)
    }
}

/// Comparisons whose time tells nothing about the contents.
package enum ConstantTime {
    /// Whether both hold the same bytes; only the lengths can be learned from the time.
    package static func equal(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
        guard a.count == b.count else { return false }
        guard a.count > 0 else { return true }
        return a.withUnsafeBufferPointer { a in
            b.withUnsafeBufferPointer { b in
                CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0
            }
        }
    }
}
