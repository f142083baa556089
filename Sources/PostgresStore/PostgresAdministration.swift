package import Ledger
package import Platform
package import Store

/// What commands outside a running server ask of a PostgreSQL database. Each call connects anew.
package struct PostgresAdministration: BackOffice {
    private let address: PostgresAddress

    /// `address` must lead to a migrated database.
    package init(address: PostgresAddress) { self.address = address }

    private static let answerMilliseconds: Int64 = 10_000

    /// One statement in a transaction of its own.
    private func run<Value>(
        _ sql: String, _ types: [PreparedStatement.ValueType] = [],
        _ parameters: Parameters = .none,
        _ body: (QueryResult) throws(PostgresError) -> Value
    ) throws(StoreError) -> Value {
        do throws(PostgresError) {
            let clock = SystemMonotonicClock()
            let connection = try Connection(address, clock: clock, keepsStatements: false)
            connection.deadline = clock.now().advanced(milliseconds: Self.answerMilliseconds)
            var settings = Parameters()
            settings.add("2000")
            try connection.send(Statements.begin)
            try connection.send(Statements.settings, settings)
            try connection.send(PreparedStatement("administer", types, sql), parameters)
            try connection.send(Statements.commit)
            try connection.sendSynchronisation()
            try connection.receive()
            try connection.receive()
            let value = try body(try connection.receive())
            guard try connection.receive().commandTag == "COMMIT", connection.warnings == 0 else {
                throw PostgresError(
                    operation: "commit", cause: .connection, message: "was not acknowledged")
            }
            try connection.receiveSynchronisation()
            return value
        } catch { throw error.storeError }
    }

    package func setting(_ name: String) throws(StoreError) -> [UInt8]? {
        var parameters = Parameters()
        parameters.add(name)
        return try run(
            "SELECT s.value FROM transferd.settings AS s WHERE s.name = $1", [.text], parameters
        ) { result throws(PostgresError) in result.first { $0.bytes(0) } }
    }

    package func establish(_ name: String, _ value: [UInt8]) throws(StoreError) -> [UInt8] {
        var parameters = Parameters()
        parameters.add(name)
        parameters.add(value)
        try run(
            """
            INSERT INTO transferd.settings (name, value) VALUES ($1, $2)
            ON CONFLICT (name) DO NOTHING
            """, [.text, .bytes], parameters
        ) { _ throws(PostgresError) in }
        return try setting(name) ?? value
    }

    package func accounts(of customer: CustomerID?) throws(StoreError) -> [AccountRow] {
        var parameters = Parameters()
        parameters.add(customer?.text)
        return try run(
            """
            SELECT \(Columns.account) FROM transferd.accounts AS a
            WHERE $1 IS NULL OR a.customer_id = $1 ORDER BY a.account_id
            """, [.text], parameters
        ) { result throws(PostgresError) in
            var found: [AccountRow] = []
            try result.eachRow { row throws(PostgresError) in found.append(try row.account()) }
            return found
        }
    }

    package func account(_ selector: AccountSelector) throws(StoreError) -> AccountRow? {
        var parameters = Parameters()
        let condition: String
        let type: PreparedStatement.ValueType
        switch selector {
        case .iban(let iban):
            parameters.add(iban.text)
            type = .text
            condition = """
                (a.customer_id, a.account_id) = (
                    SELECT i.customer_id, i.account_id FROM transferd.account_ibans AS i
                    WHERE i.iban = $1)
                """
        case .id(let id):
            parameters.add(id.uuid)
            type = .uuid
            condition = "a.account_id = $1"
        }
        return try run(
            "SELECT \(Columns.account) FROM transferd.accounts AS a WHERE \(condition)", [type],
            parameters
        ) { result throws(PostgresError) in
            try result.first { row throws(PostgresError) in try row.account() }
        }
    }

    package func block(_ iban: IBAN, at now: Instant) throws(StoreError) {
        var parameters = Parameters()
        parameters.add(iban.text)
        parameters.add(now)
        try run(
            """
            INSERT INTO transferd.blocked_beneficiaries (iban, blocked_at) VALUES ($1, $2)
            ON CONFLICT (iban) DO NOTHING
            """, [.text, .timestamp], parameters
        ) { _ throws(PostgresError) in }
    }

    package func customers(only id: CustomerID?) throws(StoreError) -> [CustomerRecord] {
        var parameters = Parameters()
        parameters.add(id?.text)
        return try run(
            """
            SELECT c.customer_id, c.restricted, r.revoked_at, c.created_at,
                   (SELECT count(*) FROM transferd.accounts AS a
                    WHERE a.customer_id = c.customer_id)
            FROM transferd.customers AS c
            LEFT JOIN transferd.revocations AS r ON r.kind = 1 AND r.value = c.customer_id
            WHERE $1 IS NULL OR c.customer_id = $1 ORDER BY c.customer_id
            """, [.text], parameters
        ) { result throws(PostgresError) in
            var found: [CustomerRecord] = []
            try result.eachRow { row throws(PostgresError) in
                found.append(
                    CustomerRecord(
                        id: try row.customer(0), restricted: row.boolean(1),
                        revokedAt: row.optionalInstant(2), accounts: Int(row.integer(4)),
                        createdAt: row.instant(3)))
            }
            return found
        }
    }

    package func revocations() throws(StoreError) -> [RevocationRecord] {
        try run(
            """
            SELECT r.kind, r.value, r.revoked_at FROM transferd.revocations AS r
            ORDER BY r.revoked_at DESC, r.kind, r.value
            """
        ) { result throws(PostgresError) in
            var found: [RevocationRecord] = []
            result.eachRow { row in
                found.append(
                    RevocationRecord(
                        kind: row.integer(0), value: row.text(1), revokedAt: row.instant(2)))
            }
            return found
        }
    }

    package func revoke(
        kind: Int64, _ value: String, at now: Instant
    ) throws(StoreError) -> Bool {
        var parameters = Parameters()
        parameters.add(Int16(kind))
        parameters.add(value)
        parameters.add(now)
        // Tokens of a customer are refused up to the newest revocation.
        return try run(
            """
            INSERT INTO transferd.revocations AS r (kind, value, revoked_at) VALUES ($1, $2, $3)
            ON CONFLICT (kind, value) DO UPDATE SET revoked_at = excluded.revoked_at
            WHERE r.kind = 1
            """, [.smallint, .text, .timestamp], parameters
        ) { result throws(PostgresError) in result.affectedRows == 1 }
    }

    package func liftRevocation(kind: Int64, _ value: String) throws(StoreError) -> Bool {
        var parameters = Parameters()
        parameters.add(Int16(kind))
        parameters.add(value)
        return try run(
            "DELETE FROM transferd.revocations AS r WHERE r.kind = $1 AND r.value = $2",
            [.smallint, .text], parameters
        ) { result throws(PostgresError) in result.affectedRows == 1 }
    }
}
