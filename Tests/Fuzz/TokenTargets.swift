import Crypto
import JSON
import Platform

@testable import Identity

private let now = Instant(seconds: 1_800_000_000)
private let secret = Array("a secret of thirty-two bytes, ok".utf8)
private let code = HMACSHA256(key: secret)

/// The public keys that the tests of tokens use; nobody kept the private ones.
private let keys = #"""
    {"keys":[{"kty":"RSA","kid":"rsa","e":"AQAB","n":"3DaWjdR0Xat8GfGj9M0RNGCJ9EgWlcagwpo9y7rS58\#
    PA9euf0XOIRql_bqsdQw-CXBI-pZO6yJQ2elIl6CgV1OhEt1WGAy-yZj-iABbptVtho-5FrZNr0BgthxQDqVgAYiTPwP\#
    tlnk9My4AQqu8PWFm0esK9r8TwZTERvrRg8bvXq0e121v5qgjnp-CvBNk0oo963sP7Kp3N0NjTp8rXvVSmUSPD11mdnu\#
    vQtVVoSzFq2qqEFibj5efdcHkkzlQa9uTRFo29U1P1KROO-mveZTPtHh3hg83a9EFT3sDCqsfGZs-nm-AvypHd0JO6d7\#
    U4OOIjgsNwQe12QXrsTHqaAQ"},
    {"kty":"EC","crv":"P-256","kid":"ec","x":"DbkCvWCFdPcpchQPrGRbt8pTOKMkjOWwnb5BfgsgPFs",
    "y":"kWxZulQGGRZQmRtit3SoaMi83nNluFpC-eNMP1CnFHg"},
    {"kty":"OKP","crv":"Ed25519","kid":"ed","x":"6uGfshV-boNMtrYm7vW_rW9HHr5XSzTPhQJUBxeLaaY"}]}
    """#

private let verifier: JWTVerifier = {
    let text = Array(keys.utf8)
    do {
        return JWTVerifier(
            try JWTVerifier.Configuration(
                issuer: "https://issuer.example", audience: "https://bank.example",
                algorithms: Set(TokenAlgorithm.allCases), secret: secret),
            keys: try JWKSet(parsing: text.span))
    } catch { fail("no verifier: \(error)") }
}()

/// First byte: even for a token as a stranger sends it. Odd for one that the issuer signs: a line
/// with its header, then its payload.
func fuzzToken(_ input: [UInt8]) {
    guard let mode = input.first else { return }
    let rest = Array(input.dropFirst())
    if mode & 1 == 0 {
        if let range = BearerToken.credentials(in: rest.span),
            BearerToken.isToken(rest.span.extracting(range))
        {
            require(
                range.upperBound == rest.count && !rest[range].contains(0x20),
                "\(shown(rest)) holds a token")
        }
        // The fuzzer sees what is compared, and so may learn a code, but no signature.
        if accepted(rest) != nil {
            let dot = rest.lastIndex(of: 0x2E) ?? 0
            let right = code.code(for: rest.span.extracting(0..<dot)).bytes
            require(
                rest[(dot + 1)...].elementsEqual(Base64URL.encode(right).utf8),
                "\(shown(rest)) is accepted")
        }
        return
    }
    let lines = rest.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    guard lines.count == 2 else { return }
    var token: [UInt8] = []
    let (header, payload) = (Array(lines[0]), Array(lines[1]))
    Base64URL.append(header.span, to: &token)
    token.append(0x2E)
    Base64URL.append(payload.span, to: &token)
    let signature = code.code(for: token.span).bytes
    token.append(0x2E)
    Base64URL.append(signature.span, to: &token)
    guard let verified = accepted(token) else { return }
    checkClaims(verified, header, payload)
    for index in [token.count - 1, Int(mode) % token.count, payload.count % token.count] {
        var damaged = token
        damaged[index] = damaged[index] == 0x41 ? 0x42 : 0x41
        require(accepted(damaged) == nil, "\(shown(damaged)) is accepted")
    }
}

private func accepted(_ token: [UInt8]) -> VerifiedToken? {
    do throws(TokenRefusal) {
        return try verifier.verify(token.span, at: now)
    } catch {
        let code = error.contractCode
        require((code == .tokenExpired) == (error == .expired), "\(error) is \(code)")
        return nil
    }
}

/// Holds an accepted token against what its own JSON says.
private func checkClaims(_ token: VerifiedToken, _ header: [UInt8], _ payload: [UInt8]) {
    guard let head = try? JSONDocument(header, maximumDepth: 4),
        let claims = try? JSONDocument(payload, maximumDepth: 16)
    else { fail("a token that is not JSON") }
    require(head.root["alg"]?.string == "HS256", "signed with another algorithm")
    require(head.root["crit"] == nil, "critical extensions are passed over")
    require(claims.root["iss"]?.string == "https://issuer.example", "another issuer")
    require(claims.root["sub"]?.string == token.subject, "another subject")
    require((1...64).contains(token.subject.utf8.count), "the subject's length")
    require(token.expiresAt > now.advanced(seconds: -31), "expired")
    if let expiry = claims.root["exp"]?.int64 {
        require(token.expiresAt == Instant(seconds: expiry), "another expiry")
    }
    if let start = token.notBefore { require(start < now.advanced(seconds: 31), "not yet valid") }
    require(claims.root["jti"]?.string == token.tokenID, "another id")
    require(claims.root["sid"]?.string == token.sessionID, "another session")
    let audience = claims.root["aud"]
    require(
        audience?.string == "https://bank.example"
            || audience?.elements.contains { $0.string == "https://bank.example" } == true,
        "another audience")
    if let scope = claims.root["scope"]?.string {
        let names = scope.split(separator: " ", omittingEmptySubsequences: true)
        for (flag, name) in Scopes.names {
            require(
                token.scopes.contains(flag) == names.contains { $0.utf8.elementsEqual(name.utf8) },
                "the scope \(name)")
        }
    }
}

/// A key set.
func fuzzKeySet(_ input: [UInt8]) {
    let set: JWKSet
    do throws(JWKSetError) {
        set = try JWKSet(parsing: input.span)
    } catch {
        require(!error.description.isEmpty, "refused without a word")
        return
    }
    guard let document = try? JSONDocument(input, maximumDepth: 16),
        let list = document.root["keys"]
    else { fail("a key set that is not JSON") }
    require((1...list.count).contains(set.count), "\(set.count) keys of \(list.count)")
    let ids = set.keys.compactMap(\.id).map { Array($0.utf8) }
    require(Set(ids).count == ids.count, "two keys have one id")
    for element in list.elements {
        require(element["d"] == nil && element["k"] == nil, "a private key is accepted")
    }
    // The order of keys means nothing, nor does how they are spelled.
    var json = JSONWriter()
    json.beginObject()
    json.beginArray("keys")
    for element in Array(list.elements).reversed() { json.raw(JSONFuzz.written(element)) }
    json.endArray()
    json.endObject()
    let written = json.finish()
    guard let again = try? JWKSet(parsing: written.span) else { fail("\(shown(written)) refused") }
    require(again.count == set.count, "\(shown(written)) is another set")
    for key in set.keys {
        require(!key.algorithms.isEmpty, "a key for nothing")
        require(
            !key.key.isValid(Array(repeating: 1, count: 64), for: written, key.algorithms),
            "a made-up signature is valid")
    }
}

extension VerificationKey {
    fileprivate func isValid(
        _ signature: [UInt8], for message: [UInt8], _ algorithms: Set<SignatureAlgorithm>
    ) -> Bool {
        algorithms.contains { isValid(signature.span, of: message.span, by: $0) }
    }
}
