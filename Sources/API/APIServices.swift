package import Crypto
package import Identity
package import Ledger
package import Platform
package import Store

/// What the API works with; shared by all event loops.
package struct APIServices: Sendable {
    /// Numbers that the configuration may change.
    package struct Settings: Sendable {
        /// Memory for outcomes that can be replayed without the store, on each event loop.
        package var outcomeCacheBytes = 16 << 20
        /// Unknown tokens that an event loop verifies before it looks at its other connections
        /// again; the rest waits for its next turn. A signature costs up to 0.1 ms.
        package var verificationsPerTurn = 8
        /// A command that has waited longer is not started.
        package var commandWaitMilliseconds: Int64 = 10_000
        /// For how long a stored answer is promised to be repeatable.
        package var retentionDays: Int64 = 90

        package init() {}
    }

    package var settings: Settings
    package var fieldRules: FieldRules
    package var verifier: JWTVerifier
    package var revocations: RevocationList
    package var commits: CommitLanes
    package var reads: ReadPool
    package var inFlight: InFlightTable
    package var changes: ChangeHub
    package var writeLimiter: RateLimiter
    package var readLimiter: RateLimiter
    package var lookUpLimiter: RateLimiter
    package var calendar: any BusinessCalendar
    package var clock: any WallClock
    package var monotonic: any MonotonicClock
    package var random: any RandomBytes
    /// Seals list cursors; the same on all replicas of a bank.
    package var cursorSeal: HMACSHA256
    package var log: Log
    package var metrics: MetricsRegistry

    package init(
        settings: Settings, fieldRules: FieldRules, verifier: JWTVerifier,
        revocations: RevocationList,
        commits: CommitLanes,
        reads: ReadPool, inFlight: InFlightTable, changes: ChangeHub,
        writeLimiter: RateLimiter, readLimiter: RateLimiter, lookUpLimiter: RateLimiter,
        calendar: any BusinessCalendar,
        clock: any WallClock, monotonic: any MonotonicClock, random: any RandomBytes,
        cursorSeal: HMACSHA256, log: Log,
        metrics: MetricsRegistry
    ) {
        self.settings = settings
        self.fieldRules = fieldRules
        self.verifier = verifier
        self.revocations = revocations
        self.commits = commits
        self.reads = reads
        self.inFlight = inFlight
        self.changes = changes
        self.writeLimiter = writeLimiter
        self.readLimiter = readLimiter
        self.lookUpLimiter = lookUpLimiter
        self.calendar = calendar
        self.clock = clock
        self.monotonic = monotonic
        self.random = random
        self.cursorSeal = cursorSeal
        self.log = log
        self.metrics = metrics
    }
}
