package import Ledger
package import Platform
package import Store

/// What commands outside a running server ask of a database file. Each call opens the file anew.
package struct Administration: BackOffice {
    let path: String

    /// `path` must be a migrated database.
    package init(path: String) { self.path = path }

    /// A named fact of this bank; nil if it was never set.
    package func setting(_ name: String) throws(StoreError) -> [UInt8]? {
        do throws(SQLiteError) {
            let connection = try Connection(path: path, mode: .readOnly)
            let read = try connection.prepare("SELECT value FROM settings WHERE name = ?")
            read.bind(1, name)
            return try read.first { $0.bytes(0) }
        } catch { throw error.storeError() }
    }

    /// Sets a fact that was not set; returns what is set now, which is another's value if another
    /// process was first.
    package func establish(
        _ name: String, _ value: [UInt8]
    ) throws(StoreError) -> [UInt8] {
        do throws(SQLiteError) {
            let connection = try Connection(path: path, mode: .existing)
            let insert = try connection.prepare(
                "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING")
            insert.bind(1, name)
            insert.bind(2, value)
            try insert.run()
            let read = try connection.prepare("SELECT value FROM settings WHERE name = ?")
            read.bind(1, name)
            return try read.first { $0.bytes(0) } ?? value
        } catch { throw error.storeError() }
    }

    /// Accounts in the order of opening, of one customer or of all.
    package func accounts(
        of customer: CustomerID?
    ) throws(StoreError) -> [AccountRow] {
        do throws(SQLiteError) {
            let connection = try Connection(path: path, mode: .readOnly)
            let read = try connection.prepare(
                SQL.selectAccount
                    + (customer == nil ? "" : " WHERE customer_id = ?") + " ORDER BY account_id")
            if let customer { read.bind(1, customer) }
            var found: [AccountRow] = []
            try read.eachRow { row throws(SQLiteError) in found.append(try row.account()) }
            return found
        } catch { throw error.storeError() }
    }

    /// Nil where there is none.
    package func account(
        _ selector: AccountSelector
    ) throws(StoreError) -> AccountRow? {
        do throws(SQLiteError) {
            let connection = try Connection(path: path, mode: .readOnly)
            let read: Statement
            switch selector {
            case .iban(let iban):
                read = try connection.prepare(
                    SQL.selectAccount
                        + " WHERE (customer_id, account_id) ="
                        + " (SELECT customer_id, account_id FROM account_ibans WHERE iban = ?)")
                read.bind(1, iban.text)
            case .id(let id):
                read = try connection.prepare(SQL.selectAccount + " WHERE account_id = ?")
                read.bind(1, id.uuid)
            }
            return try read.first { row throws(SQLiteError) in try row.account() }
        } catch { throw error.storeError() }
    }

    /// From the next transfer on nobody may pay `iban`. Again changes nothing.
    package func block(
        _ iban: IBAN, at now: Instant
    ) throws(StoreError) {
        do throws(SQLiteError) {
            let insert = try Connection(path: path, mode: .existing).prepare(
                """
                INSERT INTO blocked_beneficiaries (iban, blocked_at) VALUES (?, ?)
                ON CONFLICT (iban) DO NOTHING
                """)
            insert.bind(1, iban.text)
            insert.bind(2, now)
            try insert.run()
        } catch { throw error.storeError() }
    }

    /// Moves the write-ahead log into the database and removes it, if nobody else has the database
    /// open: SQLite does so when the last connection that may write is closed. A file of several
    /// names, which is only read, is left as it is.
    package static func foldLog(path: String) throws(StoreError) {
        do throws(SQLiteError) {
            if try FileIdentity(path: path).names > 1 { return }
            _ = try Connection(path: path, mode: .existing)
        } catch { throw error.storeError() }
    }
}
