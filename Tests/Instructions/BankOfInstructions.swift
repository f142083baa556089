import API
import Bank
import HTTPServer
import Ledger
import Platform
import SQLiteStore
import Store

/// A bank on a database of its own, in which time stands still.
///
/// All is as `transferd serve` puts it together but for the threads that work beside the requests:
/// no checkpoints, no settlement, no housekeeping.
struct BankOfInstructions {
    static let noon = Instant(seconds: 1_796_040_000)
    private static let secret = [UInt8](repeating: 7, count: 32)

    let store: SQLiteStore
    let requests: Requests
    private let bank: Bank

    init(folder: String) throws {
        let random = SeededRandomBytes(seed: 1)
        var parts = Bank.Parts(
            policy: DemoBank.policy, verifier: try DemoBank.verifier(secret: Self.secret),
            calendar: OneDay(), log: Log(level: .error),
            metrics: MetricsRegistry(), onMediumFailure: { fail("the medium failed") })
        parts.clock = StoppedClock()
        parts.monotonic = StoppedClock()
        parts.random = random
        let path = folder + "/bank.db"
        _ = try Migrator.migrate(path: path, create: true, clock: parts.clock)
        store = SQLiteStore(path: path, environment: Bank.environment(parts))
        bank = Bank(.sqlite(path), parts: parts)
        requests = try Requests(
            customers: 100, secret: Self.secret, random: random, now: Self.noon)
        try openAccounts(random)
    }

    private func openAccounts(_ random: any RandomBytes) throws {
        guard let euro = Currency("EUR") else { fail("there is no euro") }
        var ids = UUIDv7Generator(random: random)
        let commands = requests.debtors.enumerated().map { number, iban in
            Command.openAccount(
                OpenAccountCommand(
                    customer: requests.customer(number),
                    account: AccountID(ids.next(at: Self.noon)),
                    iban: iban, opening: Money(minorUnits: 100_000_000, currency: euro),
                    perTransferLimit: nil, dailyLimit: nil))
        }
        _ = try store.makeWriter().commit(commands)
    }

    /// Starts the commit thread and one reader.
    func start() {
        bank.services.commits.start()
        bank.services.reads.start(threads: 1)
    }

    func stop() {
        bank.services.commits.close()
        bank.services.reads.close()
    }

    /// A listener on a port of its own; without a cache every replay is read from the database.
    func serve(outcomeCache: Bool) throws -> Server {
        var services = bank.services
        if !outcomeCache { services.settings.outcomeCacheBytes = 0 }
        return try Server(services, bank.parts)
    }
}

/// A business day without end.
private struct OneDay: BusinessCalendar {
    func day(of instant: Instant) -> BusinessDay {
        BusinessDay(
            number: 20_787, start: BankOfInstructions.noon.advanced(seconds: -43_200),
            end: BankOfInstructions.noon.advanced(seconds: 43_200))
    }
}

/// Stands still, as both kinds of clock.
private struct StoppedClock: WallClock, MonotonicClock {
    func now() -> Instant { BankOfInstructions.noon }
    func now() -> MonotonicTime { MonotonicTime(nanoseconds: 1_000_000_000) }
}
