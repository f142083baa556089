package import Crypto
package import JSON

/// The public keys of an issuer (RFC 7517), parsed once. An immutable snapshot.
package struct JWKSet: Sendable {
    struct Key: Sendable {
        /// `kid`
        let id: String?
        /// `alg`, or all that fit the key where the set does not say.
        let algorithms: Set<SignatureAlgorithm>
        let key: VerificationKey
    }

    let keys: [Key]
    /// Why keys were passed over that should not have been published as they are, each with its
    /// position; an operator ought to know.
    package let skipped: [JWKSetError]

    /// No keys: every signed token is unknown.
    package static let empty = JWKSet()

    private init() { (keys, skipped) = ([], []) }

    /// Number of usable keys.
    package var count: Int { keys.count }

    /// Reads a JWK set. Keys that are not for verifying the known algorithms are left out: `use`
    /// other than `sig`, `key_ops` without `verify`, another `alg`, `kty` or curve. Weak and invalid
    /// ones are `skipped` (RFC 7517 section 5).
    ///
    /// Refuses what nobody should publish: private or symmetric keys, two usable keys with one
    /// `kid`, a set that leaves no usable key; the last with the fault of the first that was skipped.
    package init(parsing text: Span<UInt8>) throws(JWKSetError) {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: text, maximumDepth: 16)
        } catch {
            throw .notJSON(error)
        }
        guard let list = document.root["keys"], list.kind == .array else { throw .notASet }
        var keys: [Key] = []
        var skipped: [JWKSetError] = []
        var index = 0
        for element in list.elements {
            defer { index += 1 }
            let key: Key
            do throws(JWKSetError) {
                guard let usable = try JWK(element, index: index).verificationKey() else {
                    continue
                }
                key = usable
            } catch {
                if case .privateKey = error { throw error }
                skipped.append(error)
                continue
            }
            if let id = key.id,
                keys.contains(where: { $0.id.map { $0.utf8.elementsEqual(id.utf8) } ?? false })
            {
                throw .duplicateKeyID(id)
            }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw skipped.first ?? .noUsableKey }
        self.keys = keys
        self.skipped = skipped
    }

    /// The one key for a token's header.
    ///
    /// Without a `kid` the token must leave no choice: one key of the set fits its algorithm.
    func key(
        id: JSONValue?, for algorithm: SignatureAlgorithm
    ) throws(TokenRefusal) -> VerificationKey {
        guard let id else {
            let fitting = keys.filter { $0.algorithms.contains(algorithm) }
            guard fitting.count == 1 else { throw .unknownKey }
            return fitting[0].key
        }
        for key in keys {
            guard let known = key.id, id.withText({ equalBytes($0, known) }) == true else {
                continue
            }
            guard key.algorithms.contains(algorithm) else { throw .keyMismatch }
            return key.key
        }
        throw .unknownKey
    }
}

/// Why a JWK set was refused, or one of its keys skipped. `index` counts from 0 in its `keys`.
package enum JWKSetError: Error, Equatable, Sendable, CustomStringConvertible {
    case notJSON(JSONError)
    /// No object with an array `keys`.
    case notASet
    /// An element that is no object, or lacks a member that its `kty` requires or has it wrong.
    case invalidKey(index: Int, member: String)
    /// A private or symmetric key: whoever reads the set could mint tokens.
    case privateKey(index: Int)
    case unusableKey(index: Int, KeyRefusal)
    case duplicateKeyID(String)
    case noUsableKey

    /// Whether the set was read, and holds no key that could be used: a withdrawal of all of them.
    package var leavesNoKey: Bool {
        switch self {
        case .noUsableKey, .unusableKey, .invalidKey: true
        case .notJSON, .notASet, .privateKey, .duplicateKeyID: false
        }
    }

    /// A sentence for an operator; names positions and key ids, never key material.
    package var description: String {
        switch self {
        case .notJSON(let error): "the key set is not strict JSON: \(error)"
        case .notASet: "the key set is not an object with an array \"keys\""
        case .invalidKey(let index, let member): "/keys/\(index)/\(member) is missing or invalid"
        case .privateKey(let index):
            "/keys/\(index) is a private or symmetric key; publish public keys only"
        case .unusableKey(let index, let refusal): "/keys/\(index) is refused: \(refusal)"
        case .duplicateKeyID(let id): "two keys have the kid \"\(id)\""
        case .noUsableKey: "no key of the set verifies RS256, PS256, ES256 or EdDSA"
        }
    }
}
