import Crypto
import JSON
import Testing

@testable import Identity

@Suite("JWK sets") struct JWKSetTests {
    private static func refusal(_ text: String) -> JWKSetError? {
        let bytes = Array(text.utf8)
        do throws(JWKSetError) {
            _ = try JWKSet(parsing: bytes.span)
            return nil
        } catch {
            return error
        }
    }

    @Test("A set of all three kinds of keys is read")
    func kinds() throws {
        let set = try World.keySet(World.rsaKey, World.p256Key, World.ed25519Key)
        #expect(set.count == 3)
        #expect(set.keys.map(\.id) == ["rsa", "ec", "ed"])
        #expect(set.keys.map(\.algorithms) == [[.rs256, .ps256], [.es256], [.edDSA]])
    }

    @Test("A key's alg narrows what it verifies")
    func narrowed() throws {
        let set = try World.keySet(
            World.rsaKey.replacing("{", with: #"{"alg":"PS256","use":"sig","key_ops":["verify"],"#))
        #expect(set.keys[0].algorithms == [.ps256])
        let token = World.token(header: #"{"alg":"RS256","kid":"rsa"}"#, World.payload())
        #expect(try World.verifier(keys: set).refusal(of: token) == .keyMismatch)
    }

    @Test(
        "Keys that are for something else are left out",
        arguments: [
            World.rsaKey.replacing("{", with: #"{"use":"enc","#),
            World.rsaKey.replacing("{", with: #"{"key_ops":["encrypt"],"#),
            World.rsaKey.replacing("{", with: #"{"alg":"RS512","#),
            World.rsaKey.replacing("{", with: #"{"alg":"RSA-OAEP-256","#),
            #"{"kty":"EC","crv":"P-384","kid":"x","x":"AA","y":"AA"}"#,
            #"{"kty":"OKP","crv":"X25519","kid":"x","x":"AA"}"#,
            #"{"kty":"AKP","kid":"x","pub":"AA"}"#,
        ])
    func leftOut(key: String) throws {
        #expect(try World.keySet(key, World.p256Key).keys.map(\.id) == ["ec"])
        #expect(Self.refusal(#"{"keys":[\#(key)]}"#) == .noUsableKey)
    }

    @Test(
        "A set that nobody should publish or that cannot be read is refused with its reason",
        arguments: [
            (#"{"keys":[]}"#, .noUsableKey),
            ("[]", .notASet), ("{}", .notASet), (#"{"keys":{}}"#, .notASet), ("1", .notASet),
            ("", .notJSON(JSONError(.unexpectedEnd, offset: 0))),
            (
                #"{"keys":[],}"#,
                .notJSON(JSONError(.trailingComma, offset: 11))
            ),
            (#"{"keys":[1]}"#, .invalidKey(index: 0, member: "")),
            (#"{"keys":[{}]}"#, .invalidKey(index: 0, member: "kty")),
            (#"{"keys":[{"kty":1}]}"#, .invalidKey(index: 0, member: "kty")),
            (#"{"keys":[{"kty":"RSA","e":"AQAB"}]}"#, .invalidKey(index: 0, member: "n")),
            (
                #"{"keys":[{"kty":"RSA","n":"AQ==","e":"AQAB"}]}"#,
                .invalidKey(index: 0, member: "n")
            ),
            (#"{"keys":[{"kty":"EC","x":"AA","y":"AA"}]}"#, .invalidKey(index: 0, member: "crv")),
            (
                #"{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]}"#,
                .unusableKey(index: 0, .invalidPoint)
            ),
            (
                #"{"keys":[{"kty":"AKP"},{"kty":"RSA","n":"\#(World.shortModulus)","e":"AQAB"}]}"#,
                .unusableKey(index: 1, .modulusBits(1024))
            ),
            (
                #"{"keys":[\#(World.p256Key),{"d":"AQAB"}]}"#, .privateKey(index: 1)
            ),
            (
                #"{"keys":[\#(World.rsaKey.replacing("{", with: #"{"d":"AQAB","#))]}"#,
                .privateKey(index: 0)
            ),
            (#"{"keys":[{"kty":"oct","k":"AQAB"}]}"#, .privateKey(index: 0)),
            (#"{"keys":[\#(World.rsaKey),\#(World.rsaKey)]}"#, .duplicateKeyID("rsa")),
            (
                #"{"keys":[\#(World.p256Key.replacing("{", with: #"{"alg":"RS256","#))]}"#,
                .invalidKey(index: 0, member: "alg")
            ),
            (
                #"{"keys":[\#(World.rsaKey.replacing("{", with: #"{"use":1,"#))]}"#,
                .invalidKey(index: 0, member: "use")
            ),
        ] as [(String, JWKSetError)])
    func refused(text: String, refusal: JWKSetError) {
        #expect(Self.refusal(text) == refusal)
        #expect(!refusal.description.isEmpty)
    }

    @Test(
        "A weak or invalid key is skipped and told, and the others of its set count",
        arguments: [
            (
                #"{"kty":"RSA","kid":"weak","n":"\#(World.shortModulus)","e":"AQAB"}"#,
                .unusableKey(index: 0, .modulusBits(1024))
            ),
            (
                #"{"kty":"EC","crv":"P-256","kid":"off","x":"AA","y":"AA"}"#,
                .unusableKey(index: 0, .invalidPoint)
            ),
            (#"{"kty":"RSA","e":"AQAB"}"#, .invalidKey(index: 0, member: "n")),
            (#"{"kid":"ec"}"#, .invalidKey(index: 0, member: "kty")),
            ("1", .invalidKey(index: 0, member: "")),
        ] as [(String, JWKSetError)])
    func skipped(key: String, fault: JWKSetError) throws {
        let set = try World.keySet(key, World.p256Key)
        #expect(set.keys.map(\.id) == ["ec"])
        #expect(set.skipped == [fault])
        #expect(Self.refusal(#"{"keys":[\#(key)]}"#) == fault)
        #expect(try World.keySet(World.p256Key).skipped.isEmpty)
    }

    @Test("Keys that are swapped in count from the next verification on")
    func swap() throws {
        let verifier = try World.verifier(keys: World.keySet(World.p256Key))
        let token = World.token(header: #"{"alg":"RS256","kid":"rsa"}"#, World.payload())
        #expect(verifier.refusal(of: token) == .unknownKey)
        verifier.replaceKeys(try World.keySet(World.rsaKey))
        #expect(verifier.refusal(of: token) == .signature)
        #expect(verifier.currentKeys.count == 1)
    }
}
