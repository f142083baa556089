import CSQLite
package import Platform

/// Moves the write-ahead log into the database on a thread of its own, so that no commit pays
/// for it.
///
/// It repeats passive checkpoints, which wait for nobody, until little remains, and then does one
/// with the writer held back for that moment, after which the log begins anew.
package final class Checkpointer: @unchecked Sendable {
    // Sendable: `frames`, `running` and `thread` are touched only with `lock` held.
    private let lock = Lock()
    private let wake = Condition()
    private var frames = 0
    private var running = true
    private var thread: Thread?

    private let store: SQLiteStore
    private let log: Log
    private let checkpoints: Counter
    private let failures: Counter

    /// Frames of 4 KiB in the log that start a checkpoint.
    private static let startFrames = 4000
    /// Frames left over that the last step moves while the writer waits.
    private static let lastStepFrames = 400

    package init(store: SQLiteStore, log: Log, metrics: MetricsRegistry) {
        self.store = store
        self.log = log
        checkpoints = metrics.counter(
            "transferd_checkpoints_total", help: "Checkpoints of the write-ahead log.")
        failures = metrics.counter(
            "transferd_checkpoint_failures_total", help: "Checkpoints that failed.")
        metrics.sampled(
            "transferd_wal_frames", help: "Pages in the write-ahead log after the newest commit."
        ) { [weak self] in self?.lock.withLock { self?.frames ?? 0 } ?? 0 }
    }

    /// Starts the thread. Once only.
    package func start() {
        lock.withLock { thread = Thread(name: "checkpoint") { [self] in run() } }
    }

    package func close() {
        let thread = lock.withLock {
            running = false
            return self.thread
        }
        wake.signal()
        thread?.join()
    }

    /// Called by the writer's connection after each commit.
    func committed(frames count: Int) {
        let start = lock.withLock {
            frames = count
            return count >= Self.startFrames
        }
        if start { wake.signal() }
    }

    private func run() {
        var connection: Connection?
        while waitForWork() {
            do throws(SQLiteError) {
                if connection == nil {
                    connection = try Connection(path: store.path, mode: .existing)
                }
                let left = try checkpoint(connection!)
                checkpoints.add()
                // Something reads an old state and holds the log: not again at once.
                if left >= Self.startFrames { pause() }
            } catch {
                failures.add()
                log.warning(
                    "checkpoint.failed", ["error": LogValue.text(error.description)])
                connection = nil
                pause()
            }
        }
    }

    /// Returns how many frames could not be moved.
    private func checkpoint(_ connection: Connection) throws(SQLiteError) -> Int {
        var previous = -1
        while true {
            let (logFrames, moved) = try connection.checkpointPassively()
            // A reader that holds an old state keeps the rest back: try again at the next commit.
            if logFrames - moved < Self.lastStepFrames || moved == previous { break }
            previous = moved
        }
        let last = try store.writerGate.withLock { () throws(SQLiteError) in
            try connection.checkpointPassively()
        }
        let left = last.logFrames - last.moved
        lock.withLock { frames = left }
        return left
    }

    private func waitForWork() -> Bool {
        lock.withLock {
            while running, frames < Self.startFrames { wake.wait(lock) }
            return running
        }
    }

    /// Half a second, whatever the writer does.
    private func pause() {
        let until = SystemMonotonicClock().now().advanced(milliseconds: 500)
        lock.withLock {
            while running, SystemMonotonicClock().now() < until { wake.wait(lock, until: until) }
        }
    }
}
