/// The connections whose request waits for a later turn of the loop, in the order in which the
/// requests came. Confined to the loop's thread.
struct PostponedRequests {
    private struct Entry {
        let connection: Connection
        let generation: UInt32

        /// The connection that the request came on has not ended since.
        var isCurrent: Bool { connection.isOpen && connection.generation == generation }
    }

    private var entries: [Entry] = []
    /// Where in `entries` the oldest is.
    private var start = 0

    var isEmpty: Bool { start == entries.count }

    mutating func append(_ connection: Connection) {
        entries.append(Entry(connection: connection, generation: connection.generation))
    }

    /// The oldest whose connection lives; it stays where it is. Those that have ended are dropped.
    mutating func first() -> Connection? {
        while !isEmpty {
            if entries[start].isCurrent { return entries[start].connection }
            removeFirst()
        }
        return nil
    }

    mutating func removeFirst() {
        start += 1
        if start == entries.count {
            entries.removeAll(keepingCapacity: start <= Self.keptEntries)
            start = 0
        } else if start > Self.keptEntries, start > entries.count / 2 {
            // At least as many have gone as are moved.
            entries.removeSubrange(0..<start)
            start = 0
        }
    }

    private static let keptEntries = 1024
}
