package import Ledger
package import Store

/// What commands outside a running server ask of a database. Each call opens the file anew, and
/// writes with the same locks and the same rules as the server.
package enum Administration {
    /// A named fact of this bank; nil if it was never set.
    package static func setting(_ name: String, path: String) throws(StoreError) -> [UInt8]? {
        do throws(SQLiteError) {
            let connection = try Connection(path: path, mode: .readOnly)
            let read = try connection.prepare("SELECT value FROM settings WHERE name = ?")
            read.bind(1, name)
            return try read.first { $0.bytes(0) }
        } catch { throw error.storeError() }
    }

    /// Sets a fact that was not set; returns what is set now, which is another's value if another
    /// process was first.
    package static func establish(
        _ name: String, _ value: [UInt8], path: String
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
    package static func accounts(
        of customer: CustomerID?, path: String
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
}
