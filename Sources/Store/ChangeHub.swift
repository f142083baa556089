package import Ledger
package import Platform

/// Tells requests that wait for an intent to change. A watcher costs an entry, no thread; it is told
/// once, without saying what changed, and looks for itself.
package final class ChangeHub: Sendable {
    private struct Watcher: Sendable {
        let ticket: Ticket
        let sink: any StoreSink
    }

    private let watchers = Guarded<[IntentID: [Watcher]]>([:])

    package init() {}

    /// Call before reading, so that no change falls between.
    package func watch(_ id: IntentID, _ ticket: Ticket, _ sink: any StoreSink) {
        watchers.withLock { watchers in
            if watchers[id]?.contains(where: { $0.ticket == ticket }) == true { return }
            watchers[id, default: []].append(Watcher(ticket: ticket, sink: sink))
        }
    }

    /// The request waits no more; nothing happens if it was told already.
    package func forget(_ id: IntentID, _ ticket: Ticket) {
        watchers.withLock { watchers in
            watchers[id]?.removeAll { $0.ticket == ticket }
            if watchers[id]?.isEmpty == true { watchers[id] = nil }
        }
    }

    /// These intents may have changed.
    package func changed(_ ids: some Sequence<IntentID>) {
        let told: [Watcher] = watchers.withLock { watchers in
            guard !watchers.isEmpty else { return [] }
            return ids.flatMap { watchers.removeValue(forKey: $0) ?? [] }
        }
        for watcher in told { watcher.sink.changed(watcher.ticket) }
    }

    package var count: Int { watchers.withLock { $0.count } }
}
