import Ledger
import Store

/// Outcomes that this event loop has answered before. They never change, so a hit is a replay, or
/// a refusal of other content, without asking the store. Bounded by bytes; confined to its loop.
struct OutcomeCache {
    struct Entry {
        let outcome: StoredOutcome
        /// What the outcome is of; nil for a revoked intent, which has no content.
        let intent: SubmittedIntent?

        /// Whether `body` is, byte by byte, the one that the outcome is of: then nothing of it needs
        /// to be read again.
        func isOf(_ body: Span<UInt8>) -> Bool {
            guard let written = intent?.written, !written.isEmpty, written.count == body.count
            else { return false }
            return body.withUnsafeBufferPointer { body in
                written.withUnsafeBufferPointer { $0.elementsEqual(body) }
            }
        }
    }

    private let bytesPerGeneration: Int
    private var young: [IntentID: Entry] = [:]
    private var old: [IntentID: Entry] = [:]
    private var youngBytes = 0

    /// Two generations share `maximumBytes`.
    init(maximumBytes: Int) { bytesPerGeneration = maximumBytes / 2 }

    mutating func entry(_ id: IntentID) -> Entry? {
        if let entry = young[id] { return entry }
        guard let entry = old.removeValue(forKey: id) else { return nil }
        insert(entry, id)
        return entry
    }

    mutating func insert(_ outcome: StoredOutcome, _ intent: SubmittedIntent?, _ id: IntentID) {
        guard young[id] == nil else { return }
        old[id] = nil
        insert(Entry(outcome: outcome, intent: intent), id)
    }

    private mutating func insert(_ entry: Entry, _ id: IntentID) {
        // What an entry takes beside its bodies: key, content, table slot.
        let size = entry.outcome.body.count + (entry.intent?.written.count ?? 0) + 800
        guard size <= bytesPerGeneration else { return }
        if youngBytes + size > bytesPerGeneration {
            old = young
            young = [:]
            youngBytes = 0
        }
        young[id] = entry
        youngBytes += size
    }
}
