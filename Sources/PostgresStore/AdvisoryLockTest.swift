/// Some engines that speak PostgreSQL's protocol take advisory locks without keeping anybody out.
enum AdvisoryLockTest {
    /// Whether what one session has locked a second one is refused.
    static func passes(
        _ first: Connection, _ second: Connection, key: Int64
    ) throws(PostgresError) -> Bool {
        do throws(PostgresError) {
            let isTaken = try refused(first, key)
            let isRefused = try refused(second, key)
            for connection in [first, second] { _ = try connection.run(Statements.commit) }
            return !isTaken && isRefused
        } catch {
            guard error.isUndefined else { throw error }
            for connection in [first, second] { try connection.recover() }
            return false
        }
    }

    /// Begins a transaction and tries the lock; true when somebody else has it.
    private static func refused(
        _ connection: Connection, _ key: Int64
    ) throws(PostgresError) -> Bool {
        var keys = Parameters()
        keys.bigints([key]) { $0 }
        try connection.send(Statements.begin)
        try connection.send(Statements.tryKeys, keys)
        try connection.sendSynchronisation()
        try connection.receive()
        let refused = try connection.receive().count > 0
        try connection.receiveSynchronisation()
        return refused
    }
}
