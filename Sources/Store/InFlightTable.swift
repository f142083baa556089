package import Ledger
package import Platform

/// The intents that this process is working on, so that a second attempt is told at once.
///
/// An entry is made by an event loop before it hands the command over, and removed only by the
/// commit thread after commit or rollback; a client that goes away never removes it.
package final class InFlightTable: Sendable {
    /// What an attempt finds under its key.
    package enum Claim: Sendable {
        /// This attempt runs now.
        case claimed
        /// Another attempt with the same content runs.
        case inFlight
        /// Another attempt with other content runs.
        case otherContent(differs: [IntentField], firstReceivedAt: Instant)
    }

    private struct Entry: Sendable {
        let intent: SubmittedIntent
        let receivedAt: Instant
    }

    private let entries = Guarded<[IntentID: Entry]>([:])

    package init() {}

    /// Enters the attempt unless one with this key runs already.
    package func claim(
        _ id: IntentID, _ intent: SubmittedIntent, _ receivedAt: Instant
    ) -> Claim {
        let running: Entry? = entries.withLock { entries in
            if let running = entries[id] { return running }
            entries[id] = Entry(intent: intent, receivedAt: receivedAt)
            return nil
        }
        guard let running else { return .claimed }
        // Content before liveness: a reused key is an error now and later, a 409 only for now.
        if running.intent.fingerprint == intent.fingerprint { return .inFlight }
        return .otherContent(
            differs: intent.differences(from: running.intent),
            firstReceivedAt: running.receivedAt)
    }

    /// Whether an attempt with this key runs in this process.
    package func contains(_ id: IntentID) -> Bool {
        entries.withLock { $0[id] != nil }
    }

    /// Removes the entries, whether they were there or not.
    package func release(_ ids: [IntentID]) {
        guard !ids.isEmpty else { return }
        entries.withLock { entries in
            for id in ids { entries[id] = nil }
        }
    }

    package var count: Int { entries.withLock { $0.count } }
}
