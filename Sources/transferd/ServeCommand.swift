import Bank
import Configuration
import Foundation
import Glibc
import HTTPServer
import Identity
import Platform
import Store

/// `transferd serve`
enum ServeCommand {
    static func run(_ invocation: Invocation) throws {
        ServerProcess.prepare()
        let configuration = try load(invocation["config"] ?? "", invocation["database"])
        let checked = try ServePreflight(configuration)

        let log = Log(level: configuration.logLevel)
        let clock = SystemWallClock()
        var parts = Bank.Parts(
            policy: configuration.transferPolicy, verifier: checked.verifier,
            calendar: checked.calendar, log: log, metrics: MetricsRegistry(),
            onMediumFailure: { ServerProcess.endAfterMediumFailure(log) })
        parts.settings = configuration.services
        parts.commitLimits = configuration.commit
        parts.readerThreads = configuration.readThreads
        parts.commitConnections = configuration.commitConnections
        parts.keepsStatements = configuration.database.keepsStatements
        parts.writeRate = configuration.writeRate
        parts.readRate = configuration.readRate
        parts.lookUpRate = configuration.lookUpRate
        if configuration.tokens.algorithms != [.hs256] {
            parts.keyFile = configuration.tokens.jwksFile
        }
        parts.clock = clock

        let database = checked.database
        try ServerProcess.checkPorts(database, configuration.server, setting: setting)
        let lock = try ServerProcess.openDatabase(
            database, role: "transferd serve", migrate: configuration.database.migrate, clock: clock
        )
        parts.cursorSecret = try ServerProcess.cursorSecret(database, parts.random)
        let server = try ServerProcess.listen(
            Bank(database, parts: parts), configuration.server, setting: setting)
        server.start()
        log.notice(
            "server.ready",
            [
                "version": LogValue.text(version), "process": Int(getpid()),
                "address": LogValue.text(configuration.server.api.address),
                "port": Int(server.port),
                "operationsAddress": LogValue.text(configuration.server.operations.address),
                "operationsPort": Int(server.operationsPort),
                "database": LogValue.text(database.description),
            ])
        ServerProcess.run(server, log: log, database: database, lock: lock)
    }

    private static func setting(_ listener: BankServer.ListenError.Listener) -> String {
        switch listener {
        case .api: "server.port or TRANSFERD_SERVER_PORT"
        case .operations: "operations.port or TRANSFERD_OPERATIONS_PORT"
        }
    }

    /// The configuration of a file, the environment and --database.
    static func load(_ path: String, _ database: String?) throws -> ServeConfiguration {
        let file: [UInt8]
        do throws(SystemError) { file = try readFile(path) } catch {
            throw CommandError.unreadable("the configuration", path, error)
        }
        return try ConfigurationLoader.load(
            file: file, name: path, environment: ProcessInfo.processInfo.environment,
            database: database)
    }
}
