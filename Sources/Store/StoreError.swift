/// What can go wrong in a store. Business refusals are decisions, not errors.
package enum StoreError: Error, Sendable, CustomStringConvertible {
    /// Nothing was written, and the same work may succeed later: the file is locked by another
    /// process, the disk is full, the database cannot be reached.
    case unavailable(String)
    /// A constraint of the schema refused a row: one command of the batch is poisoned.
    case constraint(String)
    /// Whether the transaction committed is not known. Only asking again can tell.
    case unknownOutcome(String)
    /// The medium can no longer be trusted (a failed fsync): the process must end, so that recovery
    /// reads what is really there.
    case mediumFailed(String)
    /// The database is not one that this program can work on.
    case unusable(String)

    package var description: String {
        switch self {
        case .unavailable(let text): "the store is not available: \(text)"
        case .constraint(let text): "a constraint was violated: \(text)"
        case .unknownOutcome(let text): "the outcome of the commit is not known: \(text)"
        case .mediumFailed(let text): "the storage medium failed: \(text)"
        case .unusable(let text): text
        }
    }
}
