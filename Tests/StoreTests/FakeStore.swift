import Ledger
import Platform
import Store
import StoreTestSupport

/// A store that does what a script says, and tells what it was asked.
final class FakeStore: TransferStore {
    /// What a commit does with a batch; nil to answer each command.
    typealias Script = @Sendable (_ keys: [Int]) throws(StoreError) -> Void

    struct Record: Sendable {
        var batches: [[Int]] = []
        var writers = 0
        var readers = 0
    }

    let record = Guarded(Record())
    private let script: Script
    /// Whether the customer of a key is locked elsewhere, given how often it was tried before.
    private let isBusy: @Sendable (_ key: Int, _ tries: Int) -> Bool
    private let read: @Sendable (ReadCall) throws(StoreError) -> TransferView?

    enum ReadCall: Sendable {
        case intent(IntentID)
        case other
    }

    init(
        script: @escaping Script = { _ in },
        isBusy: @escaping @Sendable (_ key: Int, _ tries: Int) -> Bool = { _, _ in false },
        read: @escaping @Sendable (ReadCall) throws(StoreError) -> TransferView? = { _ in nil }
    ) {
        self.script = script
        self.isBusy = isBusy
        self.read = read
    }

    var batches: [[Int]] { record.withLock { $0.batches } }
    var writers: Int { record.withLock { $0.writers } }

    func makeWriter() throws(StoreError) -> any StoreWriter {
        record.withLock { $0.writers += 1 }
        return Writer(store: self)
    }

    func makeReader() throws(StoreError) -> any StoreReader {
        record.withLock { $0.readers += 1 }
        return Reader(store: self)
    }

    private final class Writer: StoreWriter {
        private let store: FakeStore
        init(store: FakeStore) { self.store = store }

        func commit(_ commands: [Command]) throws(StoreError) -> [CommandResult] {
            let keys = commands.map(number)
            let before = store.record.withLock { record in
                defer { record.batches.append(keys) }
                return record.batches.joined()
            }
            try store.script(keys)
            return keys.map { key in
                let tries = before.count { $0 == key }
                return store.isBusy(key, tries)
                    ? .failed(.customerBusy) : .decided(.accountOpened)
            }
        }
    }

    private final class Reader: StoreReader {
        private let store: FakeStore
        init(store: FakeStore) { self.store = store }

        func transfer(of intent: IntentID) throws(StoreError) -> TransferView? {
            try store.read(.intent(intent))
        }

        func transfer(
            _ id: TransferID, of customer: CustomerID
        ) throws(StoreError) -> TransferView? { try store.read(.other) }

        func revocation(of intent: IntentID) throws(StoreError) -> RevocationView? { nil }

        func outcome(
            of intent: IntentID
        ) throws(StoreError) -> (outcome: StoredOutcome, transfer: TransferRow?)? { nil }

        func transfers(
            of customer: CustomerID, before: Int64, states: UInt16, limit: Int
        ) throws(StoreError) -> TransferPage {
            _ = try store.read(.other)
            return TransferPage(transfers: [], next: nil)
        }

        func revocations() throws(StoreError) -> [(kind: Int64, value: String, at: Instant)] { [] }

        func hasRetirable(before instant: Instant) throws(StoreError) -> Bool { false }

        func accounts(of customer: CustomerID) throws(StoreError) -> [AccountRow] {
            _ = try store.read(.other)
            return []
        }

        func account(
            _ id: AccountID, of customer: CustomerID
        ) throws(StoreError) -> AccountRow? {
            _ = try store.read(.other)
            return nil
        }

        func pendingBookings(
            after: Int64, limit: Int
        ) throws(StoreError) -> [PendingBooking] { [] }
    }
}

/// The payment with key `number`.
func payment(_ number: Int, _ value: String = "1.00") -> TransferCommand {
    transfer(customer(1), key(number), intent(from: iban(1), to: iban(2), value))
}

/// When the attempts of these tests were received.
let receivedAt = Instant(seconds: 1_796_000_000)

/// The key's number of a payment; -1 for any other command.
func number(_ command: Command) -> Int {
    guard case .transfer(let command) = command else { return -1 }
    return Int(command.id.key.uuid.low & 0xFFFF_FFFF)
}

/// Keeps what comes, and lets a test wait for it.
final class CollectingSink: StoreSink {
    enum Answer: Hashable, Sendable {
        case done
        case failed(CommandFailure)
        case other
    }

    private struct Arrived {
        var commands: [(ticket: UInt32, answer: Answer)] = []
        var handovers = 0
        var reads: [(ticket: UInt32, answer: ReadAnswer)] = []
    }

    private let lock = Lock()
    private let changed = Condition()
    private nonisolated(unsafe) var arrived = Arrived()
    /// Called with each hand-over, on the store's thread.
    private let onCommands: @Sendable ([UInt32]) -> Void

    init(onCommands: @escaping @Sendable ([UInt32]) -> Void = { _ in }) {
        self.onCommands = onCommands
    }

    func changed(_ ticket: Ticket) {}

    func completed(_ batch: [(Ticket, CommandAnswer)]) {
        onCommands(batch.map(\.0.slot))
        lock.withLock {
            arrived.handovers += 1
            for (ticket, answer) in batch {
                let told: Answer =
                    switch answer.result {
                    case .decided: .done
                    case .failed(let failure): .failed(failure)
                    default: .other
                    }
                arrived.commands.append((ticket.slot, told))
            }
        }
        changed.broadcast()
    }

    func completed(_ ticket: Ticket, _ answer: ReadAnswer) {
        lock.withLock { arrived.reads.append((ticket.slot, answer)) }
        changed.broadcast()
    }

    /// So that a result that never comes fails its test instead of holding up all others.
    private func wait(_ isEnough: () -> Bool) {
        let clock = SystemMonotonicClock()
        let end = clock.now().advanced(milliseconds: 30_000)
        while !isEnough(), clock.now() < end { changed.wait(lock, until: end) }
    }

    /// Waits for `count` results of commands; by ticket.
    func answers(_ count: Int) -> [UInt32: Answer] {
        lock.withLock {
            wait { arrived.commands.count >= count }
            return Dictionary(arrived.commands, uniquingKeysWith: { _, _ in .other })
        }
    }

    /// Waits for `count` answers to reads, in the order of arrival.
    func reads(_ count: Int) -> [(ticket: UInt32, answer: ReadAnswer)] {
        lock.withLock {
            wait { arrived.reads.count >= count }
            return arrived.reads
        }
    }

    var handovers: Int { lock.withLock { arrived.handovers } }
}

func ticket(_ number: Int) -> Ticket {
    Ticket(loop: 0, slot: UInt32(number), generation: 1)
}
