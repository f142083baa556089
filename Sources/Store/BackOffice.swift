package import Ledger
package import Platform

/// What commands outside a running server ask of a database. Each call is a transaction of its own,
/// with the same locks and the same rules as the server's.
package protocol BackOffice: Sendable {
    /// A named fact of this bank; nil if it was never set.
    func setting(_ name: String) throws(StoreError) -> [UInt8]?
    /// Sets a fact that was not set; returns what is set now, which is another's value if another
    /// process was first.
    func establish(_ name: String, _ value: [UInt8]) throws(StoreError) -> [UInt8]
    /// Accounts by id, of one customer or of all.
    func accounts(of customer: CustomerID?) throws(StoreError) -> [AccountRow]
    /// Nil where there is none.
    func account(_ selector: AccountSelector) throws(StoreError) -> AccountRow?
    /// From the next transfer on nobody may pay `iban`. Again changes nothing.
    func block(_ iban: IBAN, at now: Instant) throws(StoreError)
    /// Customers by id: all, or the one if it is there.
    func customers(only id: CustomerID?) throws(StoreError) -> [CustomerRecord]
    /// Newest first.
    func revocations() throws(StoreError) -> [RevocationRecord]
    /// A running server honours it within seconds. False where it was revoked already.
    func revoke(kind: Int64, _ value: String, at now: Instant) throws(StoreError) -> Bool
    /// A running server honours it within seconds. False where it was not revoked.
    func liftRevocation(kind: Int64, _ value: String) throws(StoreError) -> Bool
}

/// Which account is meant.
package enum AccountSelector: Sendable {
    case iban(IBAN)
    case id(AccountID)
}

/// A customer as staff see one.
package struct CustomerRecord: Hashable, Sendable {
    package let id: CustomerID
    package let restricted: Bool
    /// Since when every token of the customer is refused; nil where none is for that.
    package let revokedAt: Instant?
    package let accounts: Int
    /// Nil for one who has no account and has sent nothing yet.
    package let createdAt: Instant?

    package init(
        id: CustomerID, restricted: Bool, revokedAt: Instant?, accounts: Int, createdAt: Instant?
    ) {
        self.id = id
        self.restricted = restricted
        self.revokedAt = revokedAt
        self.accounts = accounts
        self.createdAt = createdAt
    }
}

/// Whose tokens are refused. `kind` is 1 for a customer, 2 for a session, 3 for a token.
package struct RevocationRecord: Hashable, Sendable {
    package let kind: Int64
    /// 1 to 256 characters.
    package let value: String
    package let revokedAt: Instant

    package init(kind: Int64, value: String, revokedAt: Instant) {
        self.kind = kind
        self.value = value
        self.revokedAt = revokedAt
    }
}

extension TransferStore {
    /// What the ledger decides about a command that has no outcome to store, in a transaction of
    /// its own: opening an account, setting its status or limits, restricting a customer.
    package func decide(_ command: Command) throws(StoreError) -> Decision {
        precondition(command.intent == nil, "an intent is executed by a server")
        let writer = try makeWriter()
        // Somebody else may have the customer's lock for longer than the store waits at once.
        for _ in 0..<Self.decideAttempts {
            switch try writer.commit([command]).first {
            case .decided(let decision)?: return decision
            case .failed(.customerBusy)?: continue
            default: preconditionFailure("a command without an intent is only decided")
            }
        }
        throw .unavailable("the customer is locked by another process")
    }

    private static var decideAttempts: Int { 50 }
}
