import Platform

/// Whose access has been taken away, as this process knows it. Refreshed from the store within
/// seconds of a change, and asked on every request, replays included.
package final class RevocationList: Sendable {
    /// What a revocation names. Raw values are stored.
    package enum Kind: Int64, Sendable, CaseIterable {
        case customer = 1
        case session = 2
        case token = 3

        package var name: String { "\(self)" }
    }

    /// One revocation.
    package struct Entry: Hashable, Sendable {
        package let kind: Kind
        /// A token's `sub`, `sid` or `jti`.
        package let value: String

        package init(kind: Kind, value: String) {
            self.kind = kind
            self.value = value
        }
    }

    private let entries = Guarded<Set<Entry>>([])

    package init() {}

    /// Takes the place of everything known before. Any thread.
    package func replace(_ entries: Set<Entry>) { self.entries.withLock { $0 = entries } }

    /// Whether the token's subject, session or own id has been revoked. Any thread.
    package func refuses(_ token: VerifiedToken) -> Bool {
        entries.withLock { entries in
            guard !entries.isEmpty else { return false }
            if entries.contains(Entry(kind: .customer, value: token.subject)) { return true }
            if let id = token.sessionID, entries.contains(Entry(kind: .session, value: id)) {
                return true
            }
            if let id = token.tokenID, entries.contains(Entry(kind: .token, value: id)) {
                return true
            }
            return false
        }
    }
}
