import Testing

@testable import Crypto

@Suite("base64url") struct Base64URLTests {
    @Test(
        "RFC 4648's examples go both ways, without padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
        ])
    func examples(text: String, encoded: String) {
        #expect(Base64URL.encode(Array(text.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Array(text.utf8))
    }

    @Test("Every byte value goes both ways at every alignment")
    func allBytes() {
        for start in 0..<3 {
            let bytes = (0..<(256 + start)).map { UInt8(($0 + start) % 256) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test(
        "What is not the one spelling of some bytes is refused",
        arguments: [
            "A", "AAAAA", "Zg==", "Zg=", "Zm8=", "=", "Zh", "Zm9", "Z", "Zm 9v", " Zm9v", "Zm9v\n",
            "Zm+v", "Zm/v", "Zm9v.", "Zm9é", "Zm9v\0", "_", "-_-_-", "AB", "AAB",
        ])
    func refused(text: String) { #expect(Base64URL.decode(text) == nil) }

    @Test("Of the spellings of one byte exactly one is accepted")
    func oneSpelling() {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var accepted: [[UInt8]] = []
        for first in alphabet {
            for second in alphabet {
                let text = [first, second]
                if let bytes = Base64URL.decode(String(decoding: text, as: UTF8.self)) {
                    accepted.append(bytes)
                }
            }
        }
        #expect(accepted.count == 256)
        #expect(Set(accepted).count == 256)
    }
}
