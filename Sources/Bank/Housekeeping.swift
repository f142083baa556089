import API
import Foundation
import Identity
import Ledger
import Platform
import Store

/// What has to be looked after now and then, on one thread: revocations, rotated keys, old answers.
final class Housekeeping: StoreSink, @unchecked Sendable {
    // Sendable: `running`, `thread` and `retiring` are touched only with `lock` held; the rest below
    // them only by the thread.
    private let lock = Lock()
    private let wake = Condition()
    private var running = true
    private var retiring = false
    private var thread: Platform.Thread?

    private var reader: (any StoreReader)?
    private var keysModified: Date?
    /// What the keys in force were read from, as far as this thread has read them.
    private var keyBytes: [UInt8]?
    private var keysReadAt: MonotonicTime?

    private let parts: Bank.Parts
    private let store: any TransferStore
    private let commits: CommitLanes
    private let revocations: RevocationList

    private static let intervalMilliseconds: Int64 = 1000
    /// An unknown key id makes the file be read again, but not more often.
    private static let unknownKeyMilliseconds: Int64 = 60_000
    private static let retiredOutcomes = 500

    init(
        parts: Bank.Parts, store: any TransferStore, commits: CommitLanes,
        revocations: RevocationList
    ) {
        self.parts = parts
        self.store = store
        self.commits = commits
        self.revocations = revocations
    }

    /// Reads what must be known before the first request, then starts the thread.
    func start() {
        refreshRevocations()
        warn(ofSkippedIn: parts.verifier.currentKeys)
        keysModified = modified()
        keyBytes = parts.keyFile.flatMap { FileManager.default.contents(atPath: $0) }
            .map { [UInt8]($0) }
        lock.withLock { thread = Thread(name: "housekeeping") { [self] in run() } }
    }

    func close() {
        let thread = lock.withLock {
            running = false
            return self.thread
        }
        wake.signal()
        thread?.join()
        // The last connection to go folds the log into the database.
        reader = nil
    }

    func completed(_ batch: [(Ticket, CommandAnswer)]) {
        lock.withLock { retiring = false }
        wake.signal()
    }

    func completed(_ ticket: Ticket, _ answer: ReadAnswer) {}

    func changed(_ ticket: Ticket) {}

    private func run() {
        while waitForNext() {
            refreshRevocations()
            refreshKeys()
            retire()
        }
    }

    private func waitForNext() -> Bool {
        let until = parts.monotonic.now().advanced(milliseconds: Self.intervalMilliseconds)
        return lock.withLock {
            while running, parts.monotonic.now() < until { wake.wait(lock, until: until) }
            return running
        }
    }

    private func refreshRevocations() {
        do throws(StoreError) {
            if reader == nil { reader = try store.makeReader() }
            let found = try reader!.revocations()
            var entries: [RevocationList.Entry: Instant] = [:]
            for row in found {
                guard let kind = RevocationList.Kind(rawValue: row.kind) else { continue }
                entries[RevocationList.Entry(kind: kind, value: row.value)] = row.at
            }
            revocations.replace(entries)
        } catch {
            reader = nil
            parts.log.warning(
                "revocations.unreadable", ["error": LogValue.text(error.description)])
        }
    }

    private func refreshKeys() {
        guard let file = parts.keyFile else { return }
        let now = parts.monotonic.now()
        let changed = modified()
        let unknown =
            parts.verifier.takeUnknownKey()
            && (keysReadAt.map { $0.advanced(milliseconds: Self.unknownKeyMilliseconds) <= now }
                ?? true)
        guard unknown || changed != keysModified else { return }
        keysModified = changed
        keysReadAt = now
        do {
            let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: file)))
            guard bytes != keyBytes else { return }
            replaceKeys(try JWKSet(parsing: bytes.span))
            keyBytes = bytes
        } catch let error as JWKSetError where error.leavesNoKey {
            // Nothing usable is what the issuer says now: what it withdrew vouches for nothing.
            keyBytes = []
            replaceKeys(.empty)
            parts.log.error("keys.none", ["error": LogValue.text(error.description)])
        } catch {
            // The keys that were good stay in force.
            parts.log.error("keys.unreadable", ["error": LogValue.text("\(error)")])
        }
    }

    private func replaceKeys(_ keys: JWKSet) {
        parts.verifier.replaceKeys(keys)
        parts.log.notice("keys.replaced", ["keys": keys.count])
        warn(ofSkippedIn: keys)
    }

    private func warn(ofSkippedIn keys: JWKSet) {
        for fault in keys.skipped {
            parts.log.warning("keys.skipped", ["error": LogValue.text(fault.description)])
        }
    }

    private func modified() -> Date? {
        guard let file = parts.keyFile else { return nil }
        do {
            return try FileManager.default.attributesOfItem(atPath: file)[.modificationDate]
                as? Date
        } catch { return nil }
    }

    private func retire() {
        let cutoff = parts.clock.now().advanced(seconds: -parts.settings.retentionDays * 86400)
        guard lock.withLock({ !retiring }), let reader else { return }
        do throws(StoreError) {
            guard try reader.hasRetirable(before: cutoff) else { return }
        } catch {
            self.reader = nil
            return parts.log.warning(
                "retention.failed", ["error": LogValue.text(error.description)])
        }
        lock.withLock { retiring = true }
        let command = RetireCommand(before: cutoff, limit: Self.retiredOutcomes)
        let submission = commits.submit(
            PendingCommand(
                command: .retire(command),
                deadline: parts.monotonic.now().advanced(milliseconds: 30_000),
                ticket: Ticket(loop: .max, slot: 1, generation: 0), sink: self))
        if submission != .accepted { lock.withLock { retiring = false } }
    }
}
