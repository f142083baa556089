package import Ledger
package import Platform

/// The intents that this process is working on, so that a second attempt is told at once, or waits
/// for the first without holding a thread or a connection to the store.
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
        /// Another attempt with the same content runs, and this one waits for it.
        case waiting
        /// Another attempt with other content runs.
        case otherContent(differs: [IntentField], firstReceivedAt: Instant)
    }

    /// What follows from the end of an attempt.
    package struct Ending: Sendable {
        /// Attempts that waited and get the same outcome.
        package var answered: [PendingCommand] = []
        /// The one that runs next, because the first ended without an outcome.
        package var promoted: PendingCommand?
    }

    private struct Entry: Sendable {
        /// Nil for a revocation, which has no content.
        var intent: SubmittedIntent?
        var receivedAt: Instant
        var waiters: [PendingCommand] = []
    }

    private let entries = Guarded<[IntentID: Entry]>([:])

    package init() {}

    /// Enters the attempt unless one with this key runs already. `waiter`: its own command, if it
    /// would rather wait than be told `inFlight`.
    package func claim(
        _ id: IntentID, _ intent: SubmittedIntent?, _ receivedAt: Instant,
        waiter: PendingCommand? = nil
    ) -> Claim {
        let (running, waits): (Entry?, Bool) = entries.withLock { entries in
            guard let running = entries[id] else {
                entries[id] = Entry(intent: intent, receivedAt: receivedAt)
                return (nil, false)
            }
            // Whoever waits for a revocation waits with those of the same content.
            guard let waiter, let intent,
                (running.intent ?? running.waiters.first?.command.submitted)
                    .map({ $0.fingerprint == intent.fingerprint }) ?? true
            else { return (running, false) }
            entries[id]?.waiters.append(waiter)
            return (running, true)
        }
        if waits { return .waiting }
        guard let running else { return .claimed }
        guard let first = running.intent, let intent else { return .inFlight }
        // Content before liveness: a reused key is an error now and later, a 409 only for now.
        if first.fingerprint == intent.fingerprint { return .inFlight }
        return .otherContent(
            differs: intent.differences(from: first), firstReceivedAt: running.receivedAt)
    }

    /// Whether an attempt with this key runs in this process.
    package func contains(_ id: IntentID) -> Bool {
        entries.withLock { $0[id] != nil }
    }

    /// Takes back a claim whose command was never handed over.
    package func release(_ id: IntentID) -> Ending { finish(id, decided: false) }

    /// The attempt that ran has ended; `decided` when the intent has an outcome now. Without one,
    /// exactly one waiter becomes the first and the others go on waiting.
    package func finish(_ id: IntentID, decided: Bool) -> Ending {
        entries.withLock { entries in
            guard var entry = entries[id] else { return Ending() }
            // What a revocation found is not what its waiters are answered with: they ask anew.
            if entry.waiters.isEmpty || decided && entry.intent != nil {
                entries[id] = nil
                return Ending(answered: entry.waiters)
            }
            let promoted = entry.waiters.removeFirst()
            entry.intent = promoted.command.submitted
            entries[id] = entry
            return Ending(promoted: promoted)
        }
    }

    /// The waiter's time is over; false when it waits no more.
    package func withdraw(_ id: IntentID, _ ticket: Ticket) -> Bool {
        entries.withLock { entries in
            guard let index = entries[id]?.waiters.firstIndex(where: { $0.ticket == ticket })
            else { return false }
            entries[id]?.waiters.remove(at: index)
            return true
        }
    }

    package var count: Int { entries.withLock { $0.count } }
}
