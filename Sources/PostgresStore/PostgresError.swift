import Store

/// A PostgreSQL call that failed. Says nothing of values: the server's detail, which quotes rows, is
/// left out.
struct PostgresError: Error, CustomStringConvertible {
    enum Cause: Hashable {
        /// The server said no, with this SQLSTATE.
        case server(String)
        /// The connection is gone; how far the server got is not known.
        case connection
        /// The server did not answer in time. The connection cannot be used any more.
        case deadline
        /// A stored value is not what its column holds.
        case value
    }

    let operation: String
    let cause: Cause
    let message: String

    var description: String {
        switch cause {
        case .server(let state): "\(operation): \(message) (SQLSTATE \(state))"
        case .connection, .deadline, .value: "\(operation): \(message)"
        }
    }

    private var state: String {
        if case .server(let state) = cause { state } else { "" }
    }

    /// What was under way has ended or will end with its session: an administrator, a crash or the
    /// network took the connection away.
    var isConnectionLost: Bool {
        switch cause {
        case .connection, .deadline: true
        case .server(let state):
            state.hasPrefix("08") || ["57P01", "57P02", "57P03", "57P05", "25P03"].contains(state)
        case .value: false
        }
    }

    /// The same transaction may well succeed when it is run again.
    var isTransient: Bool {
        switch state {
        // Serialization failure, deadlock; and a row that another transaction was first to insert,
        // which the next run finds.
        case "40001", "40P01", "23505": true
        default: false
        }
    }

    /// Somebody else holds a lock for longer than was waited.
    var isLockTimeout: Bool { state == "55P03" }

    /// The named object is not there: a function that this engine lacks, a table before the
    /// migrations.
    var isUndefined: Bool { ["42883", "42P01", "3F000", "0A000"].contains(state) }

    /// What it means to the caller, where nothing was committed.
    var storeError: StoreError {
        switch cause {
        case .connection, .deadline: return .unavailable(description)
        case .value: return .unusable(description)
        case .server(let state):
            // Integrity constraints, and values that do not fit their columns.
            if state.hasPrefix("23") || state.hasPrefix("22") { return .constraint(description) }
            // Rights, unknown tables, another version's schema: asking again changes nothing.
            if state.hasPrefix("42") || state.hasPrefix("28") || state.hasPrefix("3") {
                return .unusable(description)
            }
            return .unavailable(description)
        }
    }
}
