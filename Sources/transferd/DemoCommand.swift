import Bank
import Configuration
import Glibc
import HTTPServer
import Identity
import Ledger
import Platform
import Store

/// `transferd demo`
enum DemoCommand {
    static let defaultDatabase = "transferd-demo.db"

    static func run(_ invocation: Invocation) throws {
        ServerProcess.prepare()
        let database = try invocation.database(usual: defaultDatabase)
        var configuration = BankServer.Configuration()
        configuration.api.port = UInt16(try invocation.integer("port", in: 0...65535) ?? 8080)
        configuration.operations.port = UInt16(
            try invocation.integer("operations-port", in: 0...65535) ?? 0)
        // Nobody has asked for so many connections: take what there is room for.
        configuration.api.limits.connections = min(
            configuration.api.limits.connections, max(1, ServerProcess.raiseDescriptorLimit()))

        let clock = SystemWallClock()
        let random = SystemRandomBytes()
        // What a person sees on the terminal is the text, and the log only when it matters.
        let log = Log(level: invocation.has("json") ? .info : .warning, clock: clock)
        try ServerProcess.checkPorts(database, configuration, setting: setting)
        let lock = try ServerProcess.openDatabase(
            database, role: "transferd demo", migrate: true, clock: clock)
        try refuseOthers(database)
        let secret = try DemoBank.secret(database.backOffice, random: random)
        var parts = Bank.Parts(
            policy: DemoBank.policy, verifier: try DemoBank.verifier(secret: secret),
            calendar: try ZonedCalendar(zone: "Europe/Berlin"), log: log,
            metrics: MetricsRegistry(),
            onMediumFailure: { ServerProcess.endAfterMediumFailure(log) })
        parts.clock = clock
        parts.cursorSecret = try ServerProcess.cursorSecret(database, random)
        try DemoBank.openAccounts(database.store(parts), clock: clock, random: random)
        try database.backOffice.block(DemoBank.blockedIBAN, at: clock.now())

        let server = try ServerProcess.listen(
            Bank(database, parts: parts), configuration, setting: setting)
        server.start()
        let printout = DemoPrintout(
            port: server.port, operationsPort: server.operationsPort, database: database,
            customers: try customers(database, secret, clock.now(), random), now: clock.now(),
            random: random)
        if invocation.has("json") {
            try Terminal.out(json: printout.json)
        } else {
            try Terminal.out(printout.text)
        }
        log.info("server.ready", ["process": Int(getpid()), "port": Int(server.port)])
        ServerProcess.run(server, log: log, database: database, lock: lock)
    }

    private static func setting(_ listener: BankServer.ListenError.Listener) -> String {
        listener == .api ? "--port" : "--operations-port"
    }

    /// The demo's customers, whose tokens anybody may have, do not belong into a real bank.
    private static func refuseOthers(_ database: Database) throws {
        guard try !DemoBank.hasIssuer(database.backOffice),
            try !database.backOffice.accounts(of: nil).isEmpty
        else { return }
        throw CommandError(
            .unusableData,
            "The database \(database) holds a bank that is not the demo's. Name another with "
                + "--database.")
    }

    private static func customers(
        _ database: Database, _ secret: [UInt8], _ now: Instant, _ random: any RandomBytes
    ) throws -> [DemoPrintout.Customer] {
        var issuer = DemoBank.tokenIssuer(secret: secret, random: random)
        let accounts = try database.backOffice.accounts(of: nil)
        return DemoBank.customers.map { name in
            DemoPrintout.Customer(
                name: name,
                token: issuer.token(
                    subject: name, scopes: DemoBank.allScopes, at: now,
                    lifetimeSeconds: DemoBank.tokenLifetimeSeconds),
                accounts: accounts.filter { $0.customer.text == name })
        }
    }
}
