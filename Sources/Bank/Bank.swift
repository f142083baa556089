package import API
import Crypto
package import Identity
package import Ledger
package import Platform
package import PostgresStore
package import SQLiteStore
import Settlement
package import Store

/// One bank: its store and the threads that work on it, assembled from parts that are passed in.
///
/// `serve`, `demo` and tests all get theirs here.
package final class Bank: Sendable {
    /// The parts.
    package struct Parts: Sendable {
        package var policy: TransferPolicy
        package var verifier: JWTVerifier
        package var calendar: any BusinessCalendar
        package var settings = APIServices.Settings()
        package var commitLimits = CommitQueue.Limits()
        package var readerThreads = 2
        /// Threads that commit on PostgreSQL, each with a connection. SQLite has one.
        package var commitConnections = 4
        /// Commands in one transaction on PostgreSQL, where longer ones only hold locks longer.
        package var postgresBatchCommands = 128
        /// Whether PostgreSQL may keep prepared statements; false behind a transaction pooler.
        package var keepsStatements = true
        /// Nil for the database's clock on PostgreSQL, and `clock` on SQLite.
        package var decisionClock: (any WallClock)?
        /// How long a commit waits for another process's write lock, in milliseconds.
        package var lockWaitMilliseconds: Int32 = 5000
        /// The JWKS file, read again when it changes or a token names an unknown key.
        package var keyFile: String?
        /// Per customer; off unless the configuration says so.
        package var writeRate = RateLimiter.Policy.off
        package var readRate = RateLimiter.Policy.off
        package var lookUpRate = RateLimiter.Policy.off
        package var clock: any WallClock = SystemWallClock()
        package var monotonic: any MonotonicClock = SystemMonotonicClock()
        package var random: any RandomBytes = SystemRandomBytes()
        /// Seals list cursors: 32 secret bytes that all replicas share.
        package var cursorSecret: [UInt8]
        package var log: Log
        package var metrics: MetricsRegistry
        /// Ends the process after the storage medium failed.
        package var onMediumFailure: @Sendable () -> Void

        package init(
            policy: TransferPolicy, verifier: JWTVerifier, calendar: any BusinessCalendar,
            log: Log, metrics: MetricsRegistry, onMediumFailure: @escaping @Sendable () -> Void
        ) {
            self.policy = policy
            self.verifier = verifier
            self.calendar = calendar
            cursorSecret = random.bytes(32)
            self.log = log
            self.metrics = metrics
            self.onMediumFailure = onMediumFailure
        }
    }

    package let services: APIServices
    package let readiness: Readiness
    package let parts: Parts
    private let settlement: BookSettlement
    private let housekeeping: Housekeeping
    /// Of SQLite only.
    private let checkpointer: Checkpointer?

    /// A bank on a migrated database.
    package init(_ database: Database, parts: Parts) {
        self.parts = parts
        let store = database.store(parts)
        var limits = parts.commitLimits
        var lanes = 1
        if let sqlite = store as? SQLiteStore {
            let checkpointer = Checkpointer(
                store: sqlite, log: parts.log, metrics: parts.metrics)
            sqlite.attach(checkpointer)
            self.checkpointer = checkpointer
        } else {
            checkpointer = nil
            limits.batchCommands = min(limits.batchCommands, parts.postgresBatchCommands)
            lanes = parts.commitConnections
        }
        let inFlight = InFlightTable()
        let changes = ChangeHub()
        let bell = Bell()
        let commits = CommitLanes(
            lanes, store: store, inFlight: inFlight, changes: changes, limits: limits,
            clock: parts.monotonic,
            log: parts.log, metrics: parts.metrics, onCommitted: { bell.ring() },
            onMediumFailure: parts.onMediumFailure)
        settlement = BookSettlement(
            store: store, commits: commits, clock: parts.monotonic, random: parts.random,
            log: parts.log, metrics: parts.metrics)
        bell.connect(settlement)
        let revocations = RevocationList()
        housekeeping = Housekeeping(
            parts: parts, store: store, commits: commits, revocations: revocations)
        let reads = ReadPool(
            store: store, clock: parts.clock, log: parts.log, metrics: parts.metrics)
        services = APIServices(
            settings: parts.settings, fieldRules: parts.policy.fieldRules,
            verifier: parts.verifier, revocations: revocations, commits: commits, reads: reads,
            inFlight: inFlight,
            changes: changes, writeLimiter: RateLimiter("writes", parts.writeRate),
            readLimiter: RateLimiter("reads", parts.readRate),
            lookUpLimiter: RateLimiter("look-ups", parts.lookUpRate),
            calendar: parts.calendar, clock: parts.clock, monotonic: parts.monotonic,
            random: parts.random, cursorSeal: HMACSHA256(key: parts.cursorSecret),
            log: parts.log, metrics: parts.metrics)
        readiness = Readiness { commits.isHealthy }
        let log = parts.log
        parts.metrics.sampled(
            "transferd_log_lost_lines", help: "Log lines that nobody could take."
        ) { log.lostLines }
        parts.metrics.sampled(
            "transferd_in_flight", help: "Intents that this process is working on."
        ) { inFlight.count }
    }

    /// What a writer outside a running bank needs: an admin command's, for example.
    package static func environment(_ parts: Parts) -> SQLiteStore.Environment {
        var environment = SQLiteStore.Environment(
            policy: parts.policy, calendar: parts.calendar,
            clock: parts.decisionClock ?? parts.clock, random: parts.random,
            renderer: OutcomeBytes())
        environment.lockWaitMilliseconds = parts.lockWaitMilliseconds
        return environment
    }

    /// The same on PostgreSQL.
    package static func postgresEnvironment(_ parts: Parts) -> PostgresStore.Environment {
        var environment = PostgresStore.Environment(
            policy: parts.policy, calendar: parts.calendar, random: parts.random,
            renderer: OutcomeBytes())
        environment.keepsStatements = parts.keepsStatements
        environment.log = parts.log
        if let clock = parts.decisionClock { environment.time = .clock(clock) }
        return environment
    }

    /// Starts every thread. Once only.
    package func start() {
        checkpointer?.start()
        services.commits.start()
        services.reads.start(threads: parts.readerThreads)
        settlement.start()
        housekeeping.start()
    }

    /// Finishes what was handed over, then ends every thread. Call after the event loops have ended.
    package func stop() {
        housekeeping.close()
        settlement.close()
        services.commits.close()
        services.reads.close()
        checkpointer?.close()
    }
}

/// Rings settlement; made before settlement is, and does not keep it.
private final class Bell: Sendable {
    private struct Wire {
        weak var settlement: BookSettlement?
    }

    private let wire = Guarded(Wire())

    func connect(_ settlement: BookSettlement) { wire.withLock { $0.settlement = settlement } }
    func ring() { wire.withLock { $0.settlement }?.announce() }
}
