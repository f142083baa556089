import API
import Bank
import CLinux
import Glibc
import HTTPServer
import Identity
import Ledger
import Platform
import SQLiteStore

@main
enum Transferd {
    static func main() throws {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
        let arguments = CommandLine.arguments
        let path = arguments.count > 2 ? arguments[2] : "transferd-demo.db"
        let clock = SystemWallClock()
        let random = SystemRandomBytes()
        let log = Log()
        _ = try Migrator.migrate(path: path, create: true, clock: clock)
        let lock = try DatabaseLock(databasePath: path, role: "transferd demo")
        let secret = try DemoBank.secret(path: path, random: random)
        let policy = TransferPolicy(
            fieldRules: FieldRules(characters: .unicode),
            schemeMaximum: [Currency("EUR")!: 99_999_999_999])
        let parts = Bank.Parts(
            policy: policy, verifier: try DemoBank.verifier(secret: secret),
            calendar: try ZonedCalendar(zone: "Europe/Berlin"), log: log,
            metrics: MetricsRegistry(), onMediumFailure: { exit(74) })
        let store = SQLiteStore(path: path, environment: Bank.environment(parts))
        try DemoBank.openAccounts(store, clock: clock, random: random)
        var configuration = BankServer.Configuration()
        configuration.api.port = arguments.count > 1 ? UInt16(arguments[1])! : 8080
        let server = try BankServer(
            bank: Bank(sqlite: path, parts: parts), configuration: configuration)
        server.start()
        var issuer = DemoBank.tokenIssuer(secret: secret, random: random)
        print("http://127.0.0.1:\(server.port) operations \(server.operationsPort)")
        for name in ["alice", "bob", "carol"] {
            print(
                name,
                issuer.token(
                    subject: name, scopes: [.transfersRead, .transfersWrite, .accountsRead],
                    at: clock.now(), lifetimeSeconds: 86400))
        }
        fflush(nil)
        var received: Int32 = 0
        sigwait(&signals, &received)
        server.stop()
        withExtendedLifetime(lock) {}
    }
}
