import COpenSSL

/// Makes OpenSSL's key objects from numbers. The caller owns and frees the result.
enum KeyBuilder {
    /// From big-endian numbers.
    static func rsa(modulus: [UInt8], exponent: [UInt8]) throws(KeyRefusal) -> OpaquePointer {
        // Number parameters are in the machine's order, which is little-endian wherever Swift runs.
        var n = Array(modulus.reversed())
        var e = Array(exponent.reversed())
        let key = n.withUnsafeMutableBufferPointer { n in
            e.withUnsafeMutableBufferPointer { e in
                var parameters = [
                    OSSL_PARAM_construct_BN(transferd_param_rsa_n(), n.baseAddress, n.count),
                    OSSL_PARAM_construct_BN(transferd_param_rsa_e(), e.baseAddress, e.count),
                    OSSL_PARAM_construct_end(),
                ]
                return make("RSA", &parameters)
            }
        }
        guard let key else { throw .openSSL(.last("EVP_PKEY_fromdata")) }
        return key
    }

    static func p256(x: [UInt8], y: [UInt8]) throws(KeyRefusal) -> OpaquePointer {
        var group = Array("prime256v1".utf8CString)
        // The uncompressed form of SEC 1 section 2.3.3.
        var point = [0x04] + x + y
        let key = group.withUnsafeMutableBufferPointer { group in
            point.withUnsafeMutableBufferPointer { point in
                var parameters = [
                    OSSL_PARAM_construct_utf8_string(
                        transferd_param_group(), group.baseAddress, 0),
                    OSSL_PARAM_construct_octet_string(
                        transferd_param_public_key(), point.baseAddress, point.count),
                    OSSL_PARAM_construct_end(),
                ]
                return make("EC", &parameters)
            }
        }
        guard let key else {
            ERR_clear_error()
            throw .invalidPoint
        }
        guard isSound(key) else {
            EVP_PKEY_free(key)
            throw .invalidPoint
        }
        return key
    }

    static func ed25519(_ bytes: [UInt8]) throws(KeyRefusal) -> OpaquePointer {
        guard
            let key = EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count)
        else { throw .openSSL(.last("EVP_PKEY_new_raw_public_key_ex")) }
        return key
    }

    private static func make(_ type: String, _ parameters: inout [OSSL_PARAM]) -> OpaquePointer? {
        let context = EVP_PKEY_CTX_new_from_name(nil, type, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &key, transferd_public_key_selection(), &parameters) == 1
        else { return nil }
        return key
    }

    private static func isSound(_ key: OpaquePointer) -> Bool {
        let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
        defer { EVP_PKEY_CTX_free(context) }
        let sound = EVP_PKEY_public_check(context) == 1
        if !sound { ERR_clear_error() }
        return sound
    }
}

/// ECDSA signatures on P-256.
enum ECDSASignature {
    /// The DER form of r and s, 32 big-endian bytes each (RFC 7518 section 3.4); nil for another
    /// length.
    static func der(fromRaw raw: Span<UInt8>) -> [UInt8]? {
        guard raw.count == 64 else { return nil }
        var der: [UInt8] = [0x30, 0]
        der.reserveCapacity(72)
        for start in [0, 32] {
            var first = start
            while first < start + 31, raw[first] == 0 { first += 1 }
            // A set top bit would make it negative.
            let padded = raw[first] >= 0x80
            der.append(0x02)
            der.append(UInt8(start + 32 - first + (padded ? 1 : 0)))
            if padded { der.append(0) }
            for index in first..<start + 32 { der.append(raw[index]) }
        }
        der[1] = UInt8(der.count - 2)
        return der
    }
}
