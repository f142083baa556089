import Crypto
import JSON

/// One key of a set (RFC 7517 section 4), being read.
struct JWK {
    private let object: JSONValue
    private let index: Int

    init(_ object: JSONValue, index: Int) {
        self.object = object
        self.index = index
    }

    /// Nil for a sound key that is not for verifying any of the known algorithms.
    func verificationKey() throws(JWKSetError) -> JWKSet.Key? {
        guard object.kind == .object else { throw .invalidKey(index: index, member: "") }
        // Asked before anything is left out: a leaked secret is worth a stop whatever its use.
        guard object["d"] == nil, object["k"] == nil else { throw .privateKey(index: index) }
        guard let type = try text("kty") else { throw .invalidKey(index: index, member: "kty") }
        guard type != "oct" else { throw .privateKey(index: index) }
        let id = try text("kid")
        guard try isForVerifying() else { return nil }
        guard let key = try publicKey(type) else { return nil }
        guard let named = try text("alg") else {
            return JWKSet.Key(id: id, algorithms: key.algorithms, key: key)
        }
        guard let algorithm = TokenAlgorithm(rawValue: named)?.signature else { return nil }
        guard key.algorithms.contains(algorithm) else {
            throw .invalidKey(index: index, member: "alg")
        }
        return JWKSet.Key(id: id, algorithms: [algorithm], key: key)
    }

    private func isForVerifying() throws(JWKSetError) -> Bool {
        if let use = try text("use"), use != "sig" { return false }
        guard let operations = object["key_ops"] else { return true }
        guard operations.kind == .array else { throw .invalidKey(index: index, member: "key_ops") }
        return operations.elements.contains { $0.textEquals("verify") }
    }

    private func publicKey(_ type: String) throws(JWKSetError) -> VerificationKey? {
        switch type {
        case "RSA":
            let modulus = try number("n")
            let exponent = try number("e")
            return try key { () throws(KeyRefusal) in
                try VerificationKey(rsaModulus: modulus, exponent: exponent)
            }
        case "EC":
            guard try requiredText("crv") == "P-256" else { return nil }
            let x = try number("x")
            let y = try number("y")
            return try key { () throws(KeyRefusal) in try VerificationKey(p256X: x, y: y) }
        case "OKP":
            guard try requiredText("crv") == "Ed25519" else { return nil }
            let x = try number("x")
            return try key { () throws(KeyRefusal) in try VerificationKey(ed25519: x) }
        default:
            return nil
        }
    }

    private func key(
        _ make: () throws(KeyRefusal) -> VerificationKey
    ) throws(JWKSetError) -> VerificationKey {
        do throws(KeyRefusal) {
            return try make()
        } catch {
            throw .unusableKey(index: index, error)
        }
    }

    /// A base64url member.
    private func number(_ name: StaticString) throws(JWKSetError) -> [UInt8] {
        guard let bytes = Base64URL.decode(try requiredText(name)), !bytes.isEmpty else {
            throw .invalidKey(index: index, member: "\(name)")
        }
        return bytes
    }

    private func requiredText(_ name: StaticString) throws(JWKSetError) -> String {
        guard let text = try text(name) else {
            throw .invalidKey(index: index, member: "\(name)")
        }
        return text
    }

    /// Nil when absent.
    private func text(_ name: StaticString) throws(JWKSetError) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.string else { throw .invalidKey(index: index, member: "\(name)") }
        return text
    }
}
