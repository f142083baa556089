package import Platform

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

    private let entries = Guarded<[Entry: Instant]>([:])

    package init() {}

    /// Takes the place of everything known before: revocations and when they were made. Any thread.
    package func replace(_ entries: [Entry: Instant]) { self.entries.withLock { $0 = entries } }

    /// Whether the token's session or own id has been revoked, or all that its subject was issued up
    /// to some time. Any thread.
    package func refuses(_ token: VerifiedToken) -> Bool {
        entries.withLock { entries in
            guard !entries.isEmpty else { return false }
            if let end = entries[Entry(kind: .customer, value: token.subject)] {
                // A token that does not say when it was issued may be as old as any.
                guard let issued = token.issuedAt, issued > end else { return true }
            }
            if let id = token.sessionID, entries[Entry(kind: .session, value: id)] != nil {
                return true
            }
            if let id = token.tokenID, entries[Entry(kind: .token, value: id)] != nil {
                return true
            }
            return false
        }
    }
}
