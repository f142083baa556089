import COpenSSL

/// Makes OpenSSL's key objects from numbers. The caller owns and frees the result.
enum KeyBuilder {
    static func rsa(modulus: [UInt8], exponent: [UInt8]) throws(KeyRefusal) -> OpaquePointer {
        let n = BN_bin2bn(modulus, Int32(modulus.count), nil)
        let e = BN_bin2bn(exponent, Int32(exponent.count), nil)
        let builder = OSSL_PARAM_BLD_new()
        defer {
            OSSL_PARAM_BLD_free(builder)
            BN_free(n)
            BN_free(e)
        }
        guard OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1,
            OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1,
            let parameters = OSSL_PARAM_BLD_to_param(builder)
        else { throw .openSSL(.last("OSSL_PARAM_BLD_push_BN")) }
        defer { OSSL_PARAM_free(parameters) }
        return try key("RSA", parameters)
    }

    static func p256(x: [UInt8], y: [UInt8]) throws(KeyRefusal) -> OpaquePointer {
        let point = [0x04] + x + y
        let builder = OSSL_PARAM_BLD_new()
        defer { OSSL_PARAM_BLD_free(builder) }
        guard
            OSSL_PARAM_BLD_push_utf8_string(
                builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1,
            OSSL_PARAM_BLD_push_octet_string(
                builder, OSSL_PKEY_PARAM_PUB_KEY, point, point.count) == 1,
            let parameters = OSSL_PARAM_BLD_to_param(builder)
        else { throw .openSSL(.last("OSSL_PARAM_BLD_push_octet_string")) }
        defer { OSSL_PARAM_free(parameters) }
        do throws(KeyRefusal) {
            let key = try key("EC", parameters)
            guard isSound(key) else {
                EVP_PKEY_free(key)
                throw .invalidPoint
            }
            return key
        } catch {
            throw .invalidPoint
        }
    }

    static func ed25519(_ bytes: [UInt8]) throws(KeyRefusal) -> OpaquePointer {
        guard
            let key = EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count)
        else { throw .openSSL(.last("EVP_PKEY_new_raw_public_key_ex")) }
        return key
    }

    private static func key(
        _ type: String, _ parameters: UnsafeMutablePointer<OSSL_PARAM>
    ) throws(KeyRefusal) -> OpaquePointer {
        let context = EVP_PKEY_CTX_new_from_name(nil, type, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &key, transferd_public_key_selection(), parameters) == 1,
            let key
        else { throw .openSSL(.last("EVP_PKEY_fromdata")) }
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
