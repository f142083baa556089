import Crypto
import Platform

@testable import Identity

/// The issuer's world as the tests see it: its keys, its secret and the hour.
enum World {
    static let now = Instant(seconds: 1_800_000_000)
    static let issuer = "https://issuer.example"
    static let audience = "https://bank.example/transfers"
    static let secret = Array("a secret of thirty-two bytes, ok".utf8)

    static let rsaModulus =
        "3DaWjdR0Xat8GfGj9M0RNGCJ9EgWlcagwpo9y7rS58PA9euf0XOIRql_bqsdQw-CXBI-pZO6yJQ2elIl"
        + "6CgV1OhEt1WGAy-yZj-iABbptVtho-5FrZNr0BgthxQDqVgAYiTPwPtlnk9My4AQqu8PWFm0esK9r8Tw"
        + "ZTERvrRg8bvXq0e121v5qgjnp-CvBNk0oo963sP7Kp3N0NjTp8rXvVSmUSPD11mdnuvQtVVoSzFq2qqE"
        + "Fibj5efdcHkkzlQa9uTRFo29U1P1KROO-mveZTPtHh3hg83a9EFT3sDCqsfGZs-nm-AvypHd0JO6d7U4"
        + "OOIjgsNwQe12QXrsTHqaAQ"
    static let shortModulus =
        "uKXzda_38VHJu9J3rE_EkNGAmErCK4hn5We98gEGXff4H5mwVTBIUpRkUnWd_7NTe7Q2M_A2RUHRLyle"
        + "I1_4Y5eIbsQqHLzkE2J92XfFquPr-ndqpF7frRx_LmLP3yYFkPHgYwloa3mXiZspX3GYTof77f0owIR3"
        + "0dgDIDeli_0"
    static let p256X = "DbkCvWCFdPcpchQPrGRbt8pTOKMkjOWwnb5BfgsgPFs"
    static let p256Y = "kWxZulQGGRZQmRtit3SoaMi83nNluFpC-eNMP1CnFHg"
    static let ed25519X = "6uGfshV-boNMtrYm7vW_rW9HHr5XSzTPhQJUBxeLaaY"

    static let rsaKey = #"{"kty":"RSA","kid":"rsa","n":"\#(rsaModulus)","e":"AQAB"}"#
    static let p256Key =
        #"{"kty":"EC","crv":"P-256","kid":"ec","x":"\#(p256X)","y":"\#(p256Y)"}"#
    static let ed25519Key = #"{"kty":"OKP","crv":"Ed25519","kid":"ed","x":"\#(ed25519X)"}"#

    static func keySet(_ keys: String...) throws(JWKSetError) -> JWKSet {
        let text = Array(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8)
        return try JWKSet(parsing: text.span)
    }

    /// Accepts every algorithm, HS256 included.
    static func verifier(
        algorithms: Set<TokenAlgorithm> = Set(TokenAlgorithm.allCases), keys: JWKSet? = nil,
        leewaySeconds: Int64 = 30
    ) throws -> JWTVerifier {
        let configuration = try JWTVerifier.Configuration(
            issuer: issuer, audience: audience, algorithms: algorithms,
            secret: algorithms.contains(.hs256) ? secret : nil, leewaySeconds: leewaySeconds)
        return JWTVerifier(configuration, keys: try keys ?? keySet(rsaKey, p256Key, ed25519Key))
    }

    static let header = #"{"alg":"HS256","typ":"JWT"}"#

    /// A good payload with some members replaced by other JSON, or left out where it is nil.
    static func payload(_ changes: [String: String?] = [:]) -> String {
        var members: [String: String] = [
            "iss": #""\#(issuer)""#, "aud": #""\#(audience)""#, "sub": #""cust-7""#,
            "exp": "1800000600", "iat": "1800000000",
            "scope": #""transfers:read transfers:write""#,
        ]
        for (name, json) in changes { members[name] = json }
        return "{"
            + members.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }
            .joined(separator: ",") + "}"
    }

    /// Signs any header and payload with HS256, whatever the header says.
    static func token(
        header: String = header, _ payload: String, secret: [UInt8] = secret
    ) -> String {
        let input =
            Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
        let bytes = Array(input.utf8)
        return input + "." + Base64URL.encode(HMACSHA256(key: secret).code(for: bytes.span).bytes)
    }
}

extension JWTVerifier {
    // `#expect` cannot capture a span.
    func verify(_ token: String, at now: Instant = World.now) throws(TokenRefusal) -> VerifiedToken
    {
        let bytes = Array(token.utf8)
        return try verify(bytes.span, at: now)
    }

    /// Nil when the token is accepted.
    func refusal(of token: String, at now: Instant = World.now) -> TokenRefusal? {
        do throws(TokenRefusal) {
            _ = try verify(token, at: now)
            return nil
        } catch {
            return error
        }
    }
}
