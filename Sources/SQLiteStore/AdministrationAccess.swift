package import Ledger
package import Platform
package import Store

extension Administration {
    /// Customers by id: all, or the one if it is there.
    package func customers(
        only id: CustomerID?
    ) throws(StoreError) -> [CustomerRecord] {
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
            var found: [CustomerRecord] = []
            try read.eachRow { row throws(SQLiteError) in
                found.append(
                    CustomerRecord(
                        id: try row.customer(0), restricted: row.integer(1) != 0,
                        revokedAt: row.isNull(2) ? nil : row.instant(2),
                        accounts: Int(row.integer(4)), createdAt: row.instant(3)))
            }
            return found
        } catch { throw error.storeError() }
    }

    /// Newest first.
    package func revocations() throws(StoreError) -> [RevocationRecord] {
        do throws(SQLiteError) {
            let connection = try Connection(path: path, mode: .readOnly)
            let read = try connection.prepare(
                """
                SELECT kind, value, revoked_at FROM revocations
                ORDER BY revoked_at DESC, kind, value
                """)
            var found: [RevocationRecord] = []
            try read.eachRow { row in
                found.append(
                    RevocationRecord(
                        kind: row.integer(0), value: row.text(1), revokedAt: row.instant(2)))
            }
            return found
        } catch { throw error.storeError() }
    }

    /// A running server honours it within seconds. False where it was revoked already.
    package func revoke(
        kind: Int64, _ value: String, at now: Instant
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
    package func liftRevocation(
        kind: Int64, _ value: String
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
