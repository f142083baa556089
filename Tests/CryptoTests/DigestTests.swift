import Testing

@testable import Crypto

@Suite("Digests and authentication codes") struct DigestTests {
    @Test(
        "SHA-256 gives the digests of FIPS 180-4's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func sha256(text: String, hex: String) {
        #expect(SHA256.digest(Array(text.utf8)).hex == hex)
    }

    @Test("The hasher gives the digest of a million letters, fed in uneven parts")
    func incremental() {
        let hasher = SHA256Hasher()
        var left = 1_000_000
        var size = 1
        while left > 0 {
            hasher.update([UInt8](repeating: 0x61, count: min(size, left)))
            left -= min(size, left)
            size = size * 3 % 4099 + 1
        }
        #expect(
            hasher.finish().hex
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("A finished hasher starts anew")
    func reuse() {
        let hasher = SHA256Hasher()
        hasher.update(Array("first".utf8))
        _ = hasher.finish()
        hasher.update(Array("abc".utf8))
        #expect(hasher.finish() == SHA256.digest(Array("abc".utf8)))
    }

    @Test("A digest goes to bytes and back, and sorts as its bytes do")
    func digestBytes() throws {
        let bytes = (0..<32).map { UInt8($0 * 7 % 256) }
        let digest = try #require(Digest256(bytes: bytes))
        #expect(digest.bytes == bytes)
        #expect(digest.hex == Hex.string(bytes))
        #expect(Digest256(bytes: bytes.dropLast()) == nil)
        #expect(Digest256(bytes: bytes + [0]) == nil)
        var later = bytes
        later[31] += 1
        #expect(try digest < #require(Digest256(bytes: later)))
    }

    @Test(
        "HMAC-SHA256 gives the codes of RFC 4231",
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131),
                "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ])
    func hmac(key: [UInt8], message: String, hex: String) {
        let authenticator = HMACSHA256(key: key)
        let message = Array(message.utf8)
        #expect(authenticator.code(over: message).hex == hex)
        // The keyed context is copied, so a second computation sees a fresh one.
        #expect(authenticator.code(over: message).hex == hex)
    }

    @Test("HMAC-SHA256 gives OpenSSL's code for an empty message")
    func hmacEmpty() {
        let empty: [UInt8] = []
        #expect(
            HMACSHA256(key: Array("key".utf8)).code(over: empty).hex
                == "5d5d139563c95b5967b9bd9a8c9b233a9dedb45072794cd232dc1b74832607d0")
    }

    @Test("A code with one bit changed, cut or extended does not validate")
    func hmacChanged() {
        let authenticator = HMACSHA256(key: Array("key".utf8))
        let message = Array("message".utf8)
        let code = authenticator.code(over: message).bytes
        #expect(authenticator.accepts(code, over: message))
        for bit in 0..<256 {
            var changed = code
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!authenticator.accepts(changed, over: message))
        }
        let cut = Array(code.dropLast())
        let extended = code + [0]
        let empty: [UInt8] = []
        #expect(!authenticator.accepts(cut, over: message))
        #expect(!authenticator.accepts(extended, over: message))
        #expect(!authenticator.accepts(empty, over: message))
    }

    @Test("Hexadecimal is read in either case and in pairs only")
    func hex() {
        #expect(Hex.decode("00ffA5a5") == [0, 255, 0xA5, 0xA5])
        #expect(Hex.decode("") == [])
        for text in ["0", "0g", "+1", " 1", "0x", "éé"] { #expect(Hex.decode(text) == nil) }
    }

    @Test("An OpenSSL error names its operation and the library's text")
    func errorText() {
        let error = OpenSSLError(operation: "EVP_Digest", code: 0)
        #expect(error.description == "EVP_Digest failed")
        let coded = OpenSSLError(operation: "EVP_Digest", code: 0x0300_0086)
        #expect(coded.description.hasPrefix("EVP_Digest failed: error:"))
    }
}
