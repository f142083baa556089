package import Ledger
package import Platform
package import Store

/// The ledger in a PostgreSQL database that many processes share.
///
/// Any number of writers and readers, each with a connection of its own. All rows are read under the
/// locks of their customers, so nothing is kept between batches that another process could change.
package final class PostgresStore: TransferStore {
    /// Where the time of decisions comes from.
    package enum Time: Sendable {
        /// The database, so that all replicas have one clock.
        case database
        /// Tests and sandboxes, which move it.
        case clock(any WallClock)
    }

    /// What a writer needs beside the database.
    package struct Environment: Sendable {
        package var policy: TransferPolicy
        package var calendar: any BusinessCalendar
        package var random: any RandomBytes
        package var renderer: any OutcomeRenderer
        package var time = Time.database
        package var monotonic: any MonotonicClock = SystemMonotonicClock()
        /// How long a batch waits for customers that other processes have locked, in milliseconds.
        package var lockWaitMilliseconds: Int64 = 200
        /// How long the database may take for one step, in milliseconds.
        package var answerMilliseconds: Int64 = 10_000
        /// How long a batch that failed for a passing reason is tried again, in milliseconds.
        package var retryMilliseconds: Int64 = 2000
        /// False behind a pooler that gives each transaction another session.
        package var keepsStatements = true
        /// False to do without advisory locks, as where the engine has none: then the unique
        /// constraint alone tells attempts of two processes apart, and the second waits instead of
        /// getting a 409.
        package var usesAdvisoryLocks = true
        package var log = Log(descriptor: -1)

        package init(
            policy: TransferPolicy, calendar: any BusinessCalendar, random: any RandomBytes,
            renderer: any OutcomeRenderer
        ) {
            self.policy = policy
            self.calendar = calendar
            self.random = random
            self.renderer = renderer
        }
    }

    package let address: PostgresAddress
    let environment: Environment
    private let newestTime = Guarded(Instant(microseconds: .min))
    private let history = Guarded(History())
    private let backOff = Guarded(BackOff())
    /// Whether advisory locks are used; nil before that was tried.
    private let locks = Guarded<Bool?>(nil)

    /// `address` must lead to a migrated database.
    package init(address: PostgresAddress, environment: Environment) {
        self.address = address
        self.environment = environment
    }

    package func makeWriter() throws(StoreError) -> any StoreWriter {
        do throws(PostgresError) {
            let connection = try connect()
            return PostgresWriter(
                self, connection, usesAdvisoryLocks: try hasAdvisoryLocks(connection))
        } catch { throw error.storeError }
    }

    /// Tries once whether the engine's advisory locks keep a second session out.
    private func hasAdvisoryLocks(_ first: Connection) throws(PostgresError) -> Bool {
        if !environment.usesAdvisoryLocks { return false }
        if let known = locks.withLock({ $0 }) { return known }
        let second = try connect()
        let works = try AdvisoryLockTest.passes(
            first, second, key: Int64(bitPattern: environment.random.word()))
        let isFirst = locks.withLock { known in
            defer { known = works }
            return known == nil
        }
        if !works, isFirst {
            environment.log.warning(
                "advisory_locks.missing", ["database": LogValue.text(address.description)])
        }
        return works
    }

    package func makeReader() throws(StoreError) -> any StoreReader {
        do throws(PostgresError) { return PostgresReader(self, try connect()) } catch {
            throw error.storeError
        }
    }

    /// A new connection to a primary that is not behind one that was seen before.
    ///
    /// While the database cannot be reached, most calls fail at once, so that a database that comes
    /// back is not overrun and nobody waits for a time-out that others have just waited for.
    func connect() throws(PostgresError) -> Connection {
        let now = environment.monotonic.now()
        guard backOff.withLock({ $0.mayTry(at: now) }) else {
            throw PostgresError(
                operation: "connect", cause: .connection,
                message: "the database could not be reached a moment ago")
        }
        do throws(PostgresError) {
            let connection = try Connection(
                address, clock: environment.monotonic,
                keepsStatements: environment.keepsStatements)
            connection.deadline = deadline()
            try check(connection)
            backOff.withLock { $0.succeeded() }
            return connection
        } catch {
            let jitter = environment.random.word()
            backOff.withLock { $0.failed(at: environment.monotonic.now(), jitter: jitter) }
            throw error
        }
    }

    /// From now on for one step.
    func deadline() -> MonotonicTime {
        environment.monotonic.now().advanced(milliseconds: environment.answerMilliseconds)
    }

    /// The time of a decision, given the database's. Never goes back within this process, whichever
    /// host answers.
    func time(_ database: Instant) -> Instant {
        let read =
            switch environment.time {
            case .database: database
            case .clock(let clock): clock.now()
            }
        guard case .database = environment.time else { return read }
        return newestTime.withLock { newest in
            newest = max(newest, read)
            return newest
        }
    }

    /// Refuses a server that has forgotten what an earlier one had.
    private func check(_ connection: Connection) throws(PostgresError) {
        let found = try ServerCheck.lineage(of: connection)
        connection.tellsPosition = found != nil
        guard history.withLock({ $0.meets(found) }) else {
            throw PostgresError(
                operation: "connect", cause: .connection,
                message: "\(connection.host) is behind the server that was seen before and may not "
                    + "have what was acknowledged. If that is meant, restart this process")
        }
    }

    /// How often a commit's end was not known so far.
    var unknowns: Int { history.withLock { $0.unknowns } }

    func noteUnknown() { history.withLock { $0.noteUnknown() } }

    /// A transaction that began when the log stood at `position` has been acknowledged.
    func acknowledge(_ position: Int64) { history.withLock { $0.acknowledge(position) } }
}

/// When a database that could not be reached is tried again.
struct BackOff {
    private static let firstMilliseconds: Int64 = 50
    private static let mostMilliseconds: Int64 = 2000

    private var failures = 0
    private var notBefore = MonotonicTime(nanoseconds: .min)

    func mayTry(at now: MonotonicTime) -> Bool { now >= notBefore }

    mutating func succeeded() { self = BackOff() }

    /// Half the pause is certain, half is drawn, so that replicas spread.
    mutating func failed(at now: MonotonicTime, jitter: UInt64) {
        let pause = min(Self.mostMilliseconds, Self.firstMilliseconds << min(failures, 10))
        failures += 1
        notBefore = now.advanced(
            milliseconds: pause / 2 + Int64(jitter % UInt64(pause / 2 + 1)))
    }
}
