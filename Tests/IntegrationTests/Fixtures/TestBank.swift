import API
import Bank
import Foundation
import Glibc
import HTTPServer
import Identity
import Ledger
import Platform
import Store
import StoreTestSupport
import TestSupport
import Testing

struct TestAccount: Sendable {
    var customer: String
    var iban: String
    var currency = "EUR"
    var minorUnits: Int64 = 1_000_000
    var perTransferLimit: Int64?
    var dailyLimit: Int64?

    static let usual = [
        TestAccount(customer: "alice", iban: IBANs.alice),
        TestAccount(
            customer: "alice", iban: IBANs.aliceYen, currency: "JPY", minorUnits: 500_000),
        TestAccount(customer: "bob", iban: IBANs.bob, minorUnits: 250_000),
        TestAccount(customer: "carol", iban: IBANs.carol, currency: "KWD"),
    ]

    static func alone(_ minorUnits: Int64, dailyLimit: Int64? = nil) -> [TestAccount] {
        [
            TestAccount(
                customer: "alice", iban: IBANs.alice, minorUnits: minorUnits,
                dailyLimit: dailyLimit)
        ]
    }
}

/// What keeps a bank's books.
enum StoreChoice: Sendable, CaseIterable {
    case sqlite
    case postgres
}

/// A whole server in this process, on random ports over a database of its own.
final class TestBank: Sendable {
    struct Options: Sendable {
        var store = StoreChoice.sqlite
        var accounts = TestAccount.usual
        var clock = TestClock()
        /// Last changes before the start.
        var change: @Sendable (inout Bank.Parts, inout BankServer.Configuration) -> Void = { _, _ in
        }
    }

    static let secret = [UInt8](repeating: 7, count: 32)

    let folder: TemporaryFolder
    let store: StoreChoice
    /// As a server sees it.
    let books: Database
    /// Nil on SQLite.
    private let postgres: PostgresDatabase?
    let clock: TestClock
    let bank: Bank
    let server: BankServer
    private let parts: Bank.Parts
    private let stopped = Guarded(false)

    /// Starts a bank; `beside` another one it works on that one's database.
    init(_ options: Options = Options(), beside other: TestBank? = nil) throws {
        let folder = try other?.folder ?? TemporaryFolder()
        self.folder = folder
        store = other?.store ?? options.store
        postgres = try store == .postgres ? other?.postgres ?? PostgresDatabase() : nil
        books =
            postgres.map { .postgres($0.runtime) } ?? .sqlite(folder.file("bank.db"))
        clock = options.clock
        let log = Glibc.open(folder.file("log"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        try #require(log >= 0)
        let eur = try #require(Currency("EUR"))
        var parts = Bank.Parts(
            policy: TransferPolicy(
                fieldRules: FieldRules(characters: .unicode), schemeMaximum: [eur: 99_999_999_999]),
            verifier: try DemoBank.verifier(secret: Self.secret),
            calendar: try ZonedCalendar(zone: "Europe/Berlin"),
            log: Log(descriptor: log, level: .debug), metrics: MetricsRegistry(),
            onMediumFailure: {})
        parts.clock = clock
        parts.decisionClock = clock
        var configuration = BankServer.Configuration()
        configuration.api.limits.drainIdleMilliseconds = 20
        configuration.operations.limits.drainIdleMilliseconds = 20
        options.change(&parts, &configuration)
        self.parts = parts
        if other == nil {
            if store == .sqlite { _ = try books.migrate(clock: clock) }
            _ = try books.store(parts).makeWriter().commit(
                Self.openings(of: options.accounts, parts))
        }
        bank = Bank(books, parts: parts)
        server = try BankServer(bank: bank, configuration: configuration)
        server.start()
    }

    private static func openings(
        of accounts: [TestAccount], _ parts: Bank.Parts
    ) throws -> [Command] {
        var ids = UUIDv7Generator(random: SystemRandomBytes())
        return try accounts.map { account in
            Command.openAccount(
                OpenAccountCommand(
                    customer: try #require(CustomerID(account.customer)),
                    account: AccountID(ids.next(at: parts.clock.now())),
                    iban: try IBAN(account.iban),
                    opening: Money(
                        minorUnits: account.minorUnits,
                        currency: try #require(Currency(account.currency))),
                    perTransferLimit: account.perTransferLimit, dailyLimit: account.dailyLimit))
        }
    }

    /// Ends the server; what it accepted is finished. Later calls do nothing.
    func stop() async throws {
        let first = stopped.withLock { stopped in
            defer { stopped = true }
            return !stopped
        }
        if first { try await blocking { [server] in server.stop() } }
    }

    var logText: String {
        get throws { try String(contentsOfFile: folder.file("log"), encoding: .utf8) }
    }

    /// What clients of alice and bob need.
    var endpoint: Endpoint {
        Endpoint(port: server.port, token: token("alice"), otherToken: token("bob"))
    }

    var operations: Endpoint { Endpoint(port: server.operationsPort, token: "none") }

    /// A token of this customer, valid for an hour.
    func token(
        _ customer: String, scope: String = "transfers:read transfers:write accounts:read",
        expiresIn seconds: Int64 = 3600
    ) -> String {
        let now = clock.now().seconds
        return TestTokens(secret: Self.secret).token(
            payload: """
                {"iss":"\(DemoBank.issuer)","aud":"\(DemoBank.audience)","sub":"\(customer)",\
                "scope":"\(scope)","iat":\(now),"exp":\(now + seconds)}
                """)
    }

    /// Another connection to the database, of one who may do everything.
    func database() throws -> any SideDatabase {
        if let postgres { return try PostgresSide(postgres.administrator) }
        return try SideConnection(path: folder.file("bank.db"))
    }

    /// Commits commands as an admin's process does: by a writer of its own.
    func administer(_ commands: [Command]) async throws {
        try await blocking { [books, parts] in
            _ = try books.store(parts).makeWriter().commit(commands)
        }
    }

    func setStatus(_ status: AccountStatus, of iban: String) async throws {
        try await administer([
            .setAccountStatus(SetAccountStatusCommand(iban: try IBAN(iban), status: status))
        ])
    }

    /// The balance of an account in minor units, from the rows.
    func balance(_ iban: String) throws -> Int64 {
        try database().integer("SELECT balance FROM accounts WHERE iban = '\(iban)'")
    }

    func count(_ table: String, where condition: String = "1 = 1") throws -> Int64 {
        try database().integer("SELECT count(*) FROM \(table) WHERE \(condition)")
    }

    /// Waits until as many attempts as said are in flight.
    func waitForInFlight(_ count: Int) async throws {
        let inFlight = bank.services.inFlight
        try #require(try await eventually { inFlight.count == count })
    }

    /// Waits until the commit thread has taken all but so many of the commands.
    func waitForQueue(_ count: Int) async throws {
        let commits = bank.services.commits
        try #require(try await eventually { commits.depth == count })
    }
}

/// Runs a test with a bank of its own, once on each store; then stops it and proves its ledger.
func withBank(
    _ options: TestBank.Options = TestBank.Options(),
    on stores: [StoreChoice] = [.sqlite, .postgres],
    _ body: @Sendable (TestBank) async throws -> Void
) async throws {
    let start = options.clock.now()
    for store in stores {
        var options = options
        options.store = store
        options.clock.set(start)
        let bank = try await blocking { [options] in try TestBank(options) }
        do {
            try await body(bank)
        } catch {
            try await bank.stop()
            throw error
        }
        try await bank.stop()
        try await expectSound(bank.books)
    }
}

/// Expects that the rows of the database prove each other.
func expectSound(
    _ database: Database, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let report = try await blocking { try database.verify() }
    #expect(report.damages == [], "\(database)", sourceLocation: sourceLocation)
}
