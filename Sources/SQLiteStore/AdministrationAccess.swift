package import Ledger
package import Platform
package import Store

extension Administration {
    /// A customer as staff see one.
    package struct Customer: Hashable, Sendable {
        package let id: CustomerID
        package let restricted: Bool
        /// Since when every token of the customer is refused; nil where none is for that.
        package let revokedAt: Instant?
        package let accounts: Int
        /// Nil for one who has no account and has sent nothing yet.
        package let createdAt: Instant?

        package init(
            id: CustomerID, restricted: Bool, revokedAt: Instant?, accounts: Int,
            createdAt: Instant?
        ) {
            self.id = id
            self.restricted = restricted
            self.revokedAt = revokedAt
            self.accounts = accounts
            self.createdAt = createdAt
        }
    }

    /// Customers by id: all, or the one if it is there.
    package static func customers(
        only id: CustomerID? = nil, path: String
    ) throws(StoreError) -> [Customer] {
        do throws(SQLiteError) {
            let connection = try Connection(path: path, mode: .readOnly)
            let read = try connection.prepare(
                """
                SELECT c.customer_id, c.restricted, r.revoked_at, c.created_at,
                       (SELECT count(*) FROM accounts AS a WHERE a.customer_id = c.customer_id)
                FROM customers AS c
                LEFT JOIN revocations AS r ON r.kind = 1 AND r.value = c.customer_id
                WHERE ?1 IS NULL OR c.customer_id = ?1 ORDER BY c.customer_id
                """)
            read.bind(1, id?.text)
            var found: [Customer] = []
            try read.eachRow { row throws(SQLiteError) in
                found.append(
                    Customer(
                        id: try row.customer(0), restricted: row.integer(1) != 0,
                        revokedAt: row.isNull(2) ? nil : row.instant(2),
                        accounts: Int(row.integer(4)), createdAt: row.instant(3)))
            }
            return found
        } catch { throw error.storeError() }
    }

    /// Whose tokens are refused. `kind` is 1 for a customer, 2 for a session, 3 for a token.
    package struct Revocation: Hashable, Sendable {
        package let kind: Int64
        /// 1 to 256 characters.
        package let value: String
        package let revokedAt: Instant
    }

    /// Newest first.
    package static func revocations(path: String) throws(StoreError) -> [Revocation] {
        do throws(SQLiteError) {
            let connection = try Connection(path: path, mode: .readOnly)
            let read = try connection.prepare(
                """
                SELECT kind, value, revoked_at FROM revocations
                ORDER BY revoked_at DESC, kind, value
                """)
            var found: [Revocation] = []
            try read.eachRow { row in
                found.append(
                    Revocation(kind: row.integer(0), value: row.text(1), revokedAt: row.instant(2)))
            }
            return found
        } catch { throw error.storeError() }
    }

    /// A running server honours it within seconds. False where it was revoked already.
    package static func revoke(
        kind: Int64, _ value: String, at now: Instant, path: String
    ) throws(StoreError) -> Bool {
        do throws(SQLiteError) {
            let connection = try Connection(path: path, mode: .existing)
            let insert = try connection.prepare(
                """
                INSERT INTO revocations (kind, value, revoked_at) VALUES (?, ?, ?)
                -- Tokens of a customer are refused up to the newest revocation.
                ON CONFLICT (kind, value) DO UPDATE SET revoked_at = excluded.revoked_at
                WHERE kind = 1
                """)
            insert.bind(1, kind)
            insert.bind(2, value)
            insert.bind(3, now)
            try insert.run()
            return try connection.integer("SELECT changes()") == 1
        } catch { throw error.storeError() }
    }

    /// A running server honours it within seconds. False where it was not revoked.
    package static func liftRevocation(
        kind: Int64, _ value: String, path: String
    ) throws(StoreError) -> Bool {
        do throws(SQLiteError) {
            let connection = try Connection(path: path, mode: .existing)
            let delete = try connection.prepare(
                "DELETE FROM revocations WHERE kind = ? AND value = ?")
            delete.bind(1, kind)
            delete.bind(2, value)
            try delete.run()
            return try connection.integer("SELECT changes()") == 1
        } catch { throw error.storeError() }
    }
}
