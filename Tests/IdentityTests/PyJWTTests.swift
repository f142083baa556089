import Crypto
import JSON
import Platform
import TestSupport
import Testing

@testable import Identity

/// What PyJWT and pyca/cryptography mint verifies here, and the reverse.
@Suite("Against PyJWT", .serialized) struct PyJWTTests {
    private static let script = #"""
        import base64, json, jwt, sys
        from cryptography.hazmat.primitives.asymmetric import rsa, ec, ed25519
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
        given = json.load(open(sys.argv[1]))
        keys = {
            "RS256": rsa.generate_private_key(public_exponent=65537, key_size=2048),
            "PS256": rsa.generate_private_key(public_exponent=65537, key_size=3072),
            "ES256": ec.generate_private_key(ec.SECP256R1()),
            "EdDSA": ed25519.Ed25519PrivateKey.generate(),
        }
        jwks = []
        for alg, key in keys.items():
            jwk = jwt.get_algorithm_by_name(alg).to_jwk(key.public_key(), as_dict=True)
            jwk.update(kid="kid-" + alg, use="sig")
            jwks.append(jwk)
        keys["HS256"] = given["secret"].encode()
        claims = {"iss": given["iss"], "aud": [given["aud"]], "sub": "cust-9", "iat": given["now"],
                  "exp": given["now"] + 600, "scope": "transfers:write", "jti": "é\n\"\\"}
        tokens = []
        for alg, key in keys.items():
            for round in range(8):
                tokens.append({"alg": alg, "token": jwt.encode(
                    claims | {"round": round}, key, algorithm=alg,
                    headers={"kid": "kid-" + alg, "typ": "at+jwt"})})
        pem = keys["RS256"].public_key().public_bytes(
            Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        import hmac, hashlib
        def b64(b): return base64.urlsafe_b64encode(b).rstrip(b"=").decode()
        def confused(header):
            text = b64(json.dumps(header).encode()) + "." + b64(json.dumps(claims).encode())
            return text + "." + b64(hmac.new(pem, text.encode(), hashlib.sha256).digest())
        print(json.dumps({"keys": jwks, "tokens": tokens,
            "confused": confused({"alg": "HS256", "kid": "kid-RS256"}),
            "unsigned": jwt.encode(claims, None, algorithm="none")}))
        """#

    private struct Minted {
        let keys: JWKSet
        let tokens: [(alg: String, token: String)]
        let confused: String
        let unsigned: String
    }

    private static func interpreter() throws -> String {
        try Python.interpreter(importing: "jwt", package: "pyjwt[crypto]")
    }

    private static func mint() throws -> Minted {
        var given = JSONWriter()
        given.beginObject()
        given.member("iss", World.issuer)
        given.member("aud", World.audience)
        given.member("now", World.now.seconds)
        given.member("secret", String(decoding: World.secret, as: UTF8.self))
        given.endObject()
        let output = try Python.run(script, input: given.finish(), interpreter: interpreter())
        let root = try JSONDocument(output, maximumDepth: 8).root
        return Minted(
            keys: try JWKSet(parsing: output.span),
            tokens: try #require(root["tokens"]).elements.map {
                (try #require($0["alg"]?.string), try #require($0["token"]?.string))
            },
            confused: try #require(root["confused"]?.string),
            unsigned: try #require(root["unsigned"]?.string))
    }

    @Test("PyJWT's tokens of every algorithm verify; each changed byte and other trick is refused")
    func minted() throws {
        let minted = try Self.mint()
        let verifier = try World.verifier(keys: minted.keys)
        #expect(Set(minted.tokens.map(\.alg)).count == TokenAlgorithm.allCases.count)
        for (alg, token) in minted.tokens {
            let verified = try verifier.verify(token)
            #expect(verified.subject == "cust-9", "\(alg)")
            #expect(verified.tokenID == "é\n\"\\")
            #expect(verified.scopes == .transfersWrite)
        }
        for (alg, token) in minted.tokens.enumerated().filter({ $0.offset % 8 == 0 }).map(\.element)
        {
            try Self.refuseChanges(of: token, alg, verifier)
        }
        let asymmetric = try World.verifier(
            algorithms: [.rs256, .ps256, .es256, .edDSA], keys: minted.keys)
        #expect(asymmetric.refusal(of: minted.confused) == .algorithmNotAllowed)
        #expect(verifier.refusal(of: minted.confused) == .signature)
        #expect(verifier.refusal(of: minted.unsigned) == .algorithmNotAllowed)
        #expect(asymmetric.refusal(of: minted.unsigned) == .algorithmNotAllowed)
    }

    /// Decodes each segment, flips one bit of each byte, encodes again: the forms are right, so
    /// only the signature can refuse.
    private static func refuseChanges(
        of token: String, _ alg: String, _ verifier: JWTVerifier
    ) throws {
        let parts = token.split(separator: ".").map(String.init)
        for part in [1, 2] {
            let bytes = try #require(Base64URL.decode(parts[part]))
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= 0x01
                var forged = parts
                forged[part] = Base64URL.encode(changed)
                let refusal = verifier.refusal(of: forged.joined(separator: "."))
                #expect(refusal == .signature, "\(alg), segment \(part), byte \(index)")
            }
        }
        #expect(verifier.refusal(of: token + "=") == .malformed)
        #expect(verifier.refusal(of: token + ".") == .malformed)
        #expect(verifier.refusal(of: parts[0] + "." + parts[1]) == .malformed)
        #expect(verifier.refusal(of: parts[0] + "." + parts[1] + ".") == .signature)
        #expect(verifier.refusal(of: parts[0] + ".." + parts[2]) == .signature)
    }

    @Test("PyJWT reads what the demo's issuer makes, strictly checked")
    func demo() throws {
        var issuer = DemoTokenIssuer(
            issuer: World.issuer, audience: World.audience, secret: World.secret,
            random: SeededRandomBytes(seed: 1))
        let token = issuer.token(
            subject: "cust-1", scopes: [.transfersWrite, .accountsRead], at: World.now,
            lifetimeSeconds: 60)
        var given = JSONWriter()
        given.beginObject()
        given.member("token", token)
        given.member("secret", String(decoding: World.secret, as: UTF8.self))
        given.member("aud", World.audience)
        given.endObject()
        let script = #"""
            import json, jwt, sys
            given = json.load(open(sys.argv[1]))
            claims = jwt.decode(given["token"], given["secret"], algorithms=["HS256"],
                audience=given["aud"], options={"verify_exp": False, "verify_iat": False,
                "require": ["iss", "aud", "sub", "exp", "iat", "jti"]})
            print(claims["sub"], claims["exp"] - claims["iat"], claims["scope"], end="")
            """#
        let output = try Python.run(
            script, input: given.finish(), interpreter: Self.interpreter())
        #expect(
            String(decoding: output, as: UTF8.self) == "cust-1 60 transfers:write accounts:read")
    }
}
