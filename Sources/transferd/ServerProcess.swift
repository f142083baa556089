import Bank
import CLinux
import Configuration
import Glibc
import HTTPServer
import Platform
import SQLiteStore
import Store

/// What `serve` and `demo` do alike with the process that they are.
enum ServerProcess {
    /// Descriptors for all but customers' connections: the operations listener, the database, the
    /// event loops, the log.
    private static let reservedDescriptors = 256

    /// Blocks the signals that end a server, so that they can be waited for, and keeps others from
    /// reading the files that this process makes. Before any thread exists, because threads inherit
    /// the mask of signals.
    static func prepare() {
        umask(0o077)
        var signals = endingSignals()
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
        // Beyond a limit of the size of files a write shall fail, as on a full disk.
        signal(SIGXFSZ, SIG_IGN)
    }

    private static func endingSignals() -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        // The terminal has gone. Not delivered where it is ignored, as under nohup.
        sigaddset(&signals, SIGHUP)
        return signals
    }

    /// Raises the limit of open files as far as it goes. Returns how many connections that leaves
    /// room for.
    static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return Int.max }
        limit.rlim_cur = limit.rlim_max
        if setrlimit(resource, &limit) != 0 { getrlimit(resource, &limit) }
        return max(0, Int(clamping: limit.rlim_cur) - reservedDescriptors)
    }

    /// Refuses a limit of connections that the limit of open files does not allow.
    static func checkConnectionLimit(_ connections: Int, room: Int) throws(ConfigurationError) {
        guard connections > room else { return }
        throw ConfigurationError(
            "server.connections is \(connections), but the limit of open files leaves room for "
                + "\(room). Lower it, or raise the limit: "
                + "`ulimit -Hn \(connections + reservedDescriptors)`.")
    }

    /// Brings the database up to date, or checks that it is. An SQLite file is taken for this
    /// process; a PostgreSQL database is shared, and one that is up to date needs no rights to be.
    static func openDatabase(
        _ database: Database, role: String, migrate: Bool, clock: any WallClock
    ) throws -> DatabaseLock? {
        guard case .sqlite(let path) = database else {
            do throws(StoreError) { try database.check() } catch {
                guard migrate, case .unusable = error else { throw error }
                _ = try database.migrate(clock: clock)
            }
            return nil
        }
        let lock = try takeLock(path, role: role)
        if migrate {
            _ = try database.migrate(clock: clock)
            // It may have been made just now.
            try lock.holdFile(path)
        } else {
            try DatabaseFile.require(path)
        }
        return lock
    }

    /// What seals list cursors, made at the first start and kept in the database, so that cursors
    /// work after a restart and on every replica.
    static func cursorSecret(
        _ database: Database, _ random: any RandomBytes
    ) throws(StoreError) -> [UInt8] {
        let name = "cursor.secret"
        if let secret = try database.backOffice.setting(name) { return secret }
        return try database.backOffice.establish(name, random.bytes(32))
    }

    /// `DatabaseLock`, with what to do where its file cannot be made.
    static func takeLock(_ path: String, role: String) throws -> DatabaseLock {
        do { return try DatabaseLock(databasePath: path, role: role) } catch let error
            as SystemError
        {
            throw CommandError(
                .noInput,
                "Cannot lock the database \(path): \(error.description). Check that the folder "
                    + "exists and that this user may write in it.")
        }
    }

    /// Opens both ports. `setting` names what chooses the port of a listener.
    static func listen(
        _ bank: Bank, _ configuration: BankServer.Configuration,
        setting: (BankServer.ListenError.Listener) -> String
    ) throws(CommandError) -> BankServer {
        do throws(BankServer.ListenError) {
            return try BankServer(bank: bank, configuration: configuration)
        } catch {
            let place = error.listener == .api ? configuration.api : configuration.operations
            throw closed(place, error.error, setting(error.listener))
        }
    }

    /// Throws what `listen` would, if the database is a file that is not there yet: a start that
    /// cannot succeed makes none. Where there is one, its lock says more.
    static func checkPorts(
        _ database: Database, _ configuration: BankServer.Configuration,
        setting: (BankServer.ListenError.Listener) -> String
    ) throws(CommandError) {
        guard case .sqlite(let path) = database, !BackupPlacement.exists(path) else { return }
        for (listener, place) in [
            (BankServer.ListenError.Listener.api, configuration.api),
            (.operations, configuration.operations),
        ] {
            do throws(SystemError) { try ListeningPort.check(place) } catch {
                throw closed(place, error, setting(listener))
            }
        }
    }

    private static func closed(
        _ place: HTTPServerConfiguration, _ error: SystemError, _ setting: String
    ) -> CommandError {
        let choose = "choose another with \(setting)."
        return switch error.code {
        case EADDRINUSE:
            CommandError(.unavailable, "Port \(place.port) is in use; \(choose)")
        case EACCES:
            CommandError(.unavailable, "Port \(place.port) needs privileges; \(choose)")
        case EADDRNOTAVAIL:
            CommandError(
                .configuration,
                "The address \(place.address) is none of this machine's. Use one that is, or "
                    + "0.0.0.0 for all.")
        default:
            CommandError(
                .unavailable,
                "Cannot listen on \(place.address) port \(place.port): \(error.description).")
        }
    }

    /// Ends the process because the storage medium failed: what is in memory can no longer be
    /// trusted, only what recovery reads.
    static func endAfterMediumFailure(_ log: Log) {
        log.error(
            "medium.failed",
            [
                "advice": LogValue.text(
                    "A write to the disk could not be made durable. Check the disk, then start "
                        + "again: what was acknowledged is kept.")
            ])
        _exit(ExitCode.mediumFailed.rawValue)
    }

    /// Blocks until the first signal, then stops the server. A second signal ends the process at
    /// once, with 128 and its number.
    static func run(
        _ server: BankServer, log: Log, database: Database, lock: DatabaseLock?
    ) {
        var signals = endingSignals()
        var received: Int32 = 0
        sigwait(&signals, &received)
        let second = Thread(name: "signals") {
            var signals = endingSignals()
            var received: Int32 = 0
            sigwait(&signals, &received)
            _exit(128 + received)
        }
        log.notice("server.draining", ["signal": Int(received)])
        server.stop()
        if case .sqlite(let path) = database { foldLog(path, log) }
        log.notice("server.stopped")
        withExtendedLifetime((lock, second)) {}
    }

    private static func foldLog(_ path: String, _ log: Log) {
        do throws(StoreError) { try Administration.foldLog(path: path) } catch {
            // All is safe in the log, and the next start reads it.
            log.warning("wal.kept", ["error": LogValue.text(error.description)])
        }
    }
}
