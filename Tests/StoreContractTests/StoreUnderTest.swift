import Ledger
import Platform
import SQLiteStore
import Store
import StoreTestSupport
import Testing

/// One database of one test. A further store joins the contract by conforming to this and standing
/// in `StoreKind.all`.
protocol StoreUnderTest: Sendable {
    /// Each `makeWriter` is another connection.
    var store: any TransferStore { get }
    /// The time of `store`, until a test moves it.
    var clock: ManualClock { get }
    /// The same database as another process opens it.
    func another(
        seed: UInt64, clock: ManualClock, renderer: any OutcomeRenderer
    ) throws -> any TransferStore
    /// The same with a writer that gives up at once when the lock is held.
    func impatient() throws -> any TransferStore
    /// Takes the lock that every commit needs, until `release` is called.
    func holdLock() throws -> any HeldLock
    func restrict(_ customer: CustomerID) throws
    func block(_ iban: IBAN) throws
    /// All rows by table, in an order that does not depend on when they were written.
    func dump() throws -> [String: [[String]]]
    func verify() throws -> VerificationReport
}

protocol HeldLock {
    func release() throws
}

/// A kind of store that the contract holds for.
struct StoreKind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// `seed` is that of the ids.
    let make: @Sendable (_ seed: UInt64, TransferPolicy) throws -> any StoreUnderTest

    static let all = [
        StoreKind(testDescription: "SQLite") { try SQLiteUnderTest(seed: $0, policy: $1) },
        StoreKind(testDescription: "PostgreSQL") { try PostgresUnderTest(seed: $0, policy: $1) },
    ]
}

struct SQLiteUnderTest: StoreUnderTest {
    private let bank: SQLiteBank

    init(seed: UInt64, policy: TransferPolicy) throws {
        bank = try SQLiteBank(seed: seed, policy: policy)
    }

    var store: any TransferStore { bank.store }
    var clock: ManualClock { bank.clock }

    func another(
        seed: UInt64, clock: ManualClock, renderer: any OutcomeRenderer
    ) throws -> any TransferStore {
        bank.another(seed: seed, clock: clock, renderer: renderer)
    }

    func impatient() throws -> any TransferStore {
        bank.another(seed: 99, clock: bank.clock, lockWaitMilliseconds: 1)
    }

    func holdLock() throws -> any HeldLock {
        let raw = try bank.raw()
        try raw.run("BEGIN IMMEDIATE")
        return Held(raw: raw)
    }

    private struct Held: HeldLock {
        let raw: RawDatabase
        func release() throws { try raw.run("ROLLBACK") }
    }

    func restrict(_ customer: CustomerID) throws {
        try bank.raw().run(
            """
            INSERT INTO customers (customer_id, restricted, created_at)
            VALUES ('\(customer.text)', 1, 0)
            ON CONFLICT DO UPDATE SET restricted = 1
            """)
    }

    func block(_ iban: IBAN) throws {
        try bank.raw().run("INSERT INTO blocked_beneficiaries VALUES ('\(iban.text)', 0)")
    }

    func dump() throws -> [String: [[String]]] { try bank.raw().dump() }

    func verify() throws -> VerificationReport { try Verifier.verify(path: bank.path) }
}

/// A store with one writer and one reader, and the shorthand of the tests.
final class ContractBank {
    let under: any StoreUnderTest
    let writer: any StoreWriter
    let reader: any StoreReader

    init(_ kind: StoreKind, seed: UInt64 = 1, policy: TransferPolicy = testPolicy) throws {
        under = try kind.make(seed, policy)
        writer = try under.store.makeWriter()
        reader = try under.store.makeReader()
    }

    /// Account n of customer n with so many cents, for each n from 1.
    func open(_ cents: Int64...) throws {
        _ = try writer.commit(
            cents.enumerated().map {
                StoreTestSupport.open($0 + 1, of: $0 + 1, euros(cents: $1))
            })
    }

    func commit(_ commands: Command...) throws -> [CommandResult] { try writer.commit(commands) }

    func balance(_ number: Int) throws -> Int64? {
        try reader.account(account(number), of: customer(number))?.balance
    }

    /// Credits and concludes what waits; returns the decisions.
    func settle() throws -> [CreditDecision] {
        let bookings = try reader.pendingBookings(after: 0, limit: 1000)
        let credits = try writer.commit(bookings.compactMap(credit))
        var decisions: [CreditDecision] = []
        var ends: [Command] = []
        for (booking, result) in zip(bookings.filter { $0.creditor != nil }, credits) {
            let decision = try #require(result.credit)
            decisions.append(decision)
            ends.append(conclude(booking, decision))
        }
        _ = try writer.commit(ends)
        return decisions
    }

    /// The ledger proves itself; every test ends with this.
    func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try under.verify().damages == [], sourceLocation: sourceLocation)
    }
}

/// Customer `payer` pays from account `payer`.
func pay(
    _ payer: Int, _ key: Int, _ value: String, to creditor: Int = 2, requestID: String = "request-1"
) -> Command {
    .transfer(
        transfer(
            customer(payer), StoreTestSupport.key(key),
            intent(from: iban(payer), to: iban(creditor), value), requestID: requestID))
}

extension CommandResult {
    /// The stored outcome, first or replayed.
    var outcome: StoredOutcome? {
        if case .outcome(let outcome, _) = self { outcome } else { nil }
    }

    var isReplay: Bool? {
        if case .outcome(_, let replayed) = self { replayed } else { nil }
    }

    /// Another process has the key or the customer at the moment: nothing was decided.
    var isDoneElsewhere: Bool {
        switch self {
        case .failed(.inFlightElsewhere), .failed(.customerBusy): true
        default: false
        }
    }

    var body: String? { outcome.map { String(decoding: $0.body, as: UTF8.self) } }

    var differs: [IntentField]? {
        if case .reused(_, _, let differs) = self { differs } else { nil }
    }

    var credit: CreditDecision? {
        if case .decided(.credit(let decision)) = self { decision } else { nil }
    }

    var concluded: TransferState? {
        if case .decided(.concluded(let state, _)) = self { state } else { nil }
    }
}
