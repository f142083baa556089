import Ledger
import PostgresStore
import Store
import StoreTestSupport

struct PostgresUnderTest: StoreUnderTest {
    private let bank: PostgresBank

    init(seed: UInt64, policy: TransferPolicy) throws {
        bank = try PostgresBank(seed: seed, policy: policy)
    }

    var store: any TransferStore { bank.store }
    var clock: ManualClock { bank.clock }

    func another(
        seed: UInt64, clock: ManualClock, renderer: any OutcomeRenderer
    ) throws -> any TransferStore {
        bank.another(seed: seed, clock: clock) { $0.renderer = renderer }
    }

    func impatient() throws -> any TransferStore {
        bank.another(seed: 99, clock: bank.clock) { $0.lockWaitMilliseconds = 1 }
    }

    func holdLock() throws -> any HeldLock {
        let raw = try bank.raw()
        try raw.run("BEGIN; SELECT FROM transferd.customers FOR NO KEY UPDATE")
        return Held(raw: raw)
    }

    private struct Held: HeldLock {
        let raw: RawPostgres
        func release() throws { try raw.run("ROLLBACK") }
    }

    func restrict(_ customer: CustomerID) throws {
        try bank.raw().run(
            """
            INSERT INTO transferd.customers (customer_id, restricted, created_at)
            VALUES ('\(customer.text)', true, 'epoch')
            ON CONFLICT (customer_id) DO UPDATE SET restricted = true
            """)
    }

    func block(_ iban: IBAN) throws {
        try bank.raw().run(
            "INSERT INTO transferd.blocked_beneficiaries VALUES ('\(iban.text)', 'epoch')")
    }

    func dump() throws -> [String: [[String]]] { try bank.raw().dump() }

    func verify() throws -> VerificationReport {
        try PostgresVerifier.verify(bank.database.administrator)
    }
}
