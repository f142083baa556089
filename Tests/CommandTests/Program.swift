import CLinux
import Foundation
import Glibc
import Platform

/// What a run of the program left behind.
struct Ending {
    /// The exit code, or 128 and the number of the signal that ended it.
    let status: Int32
    let out: String
    let err: String
}

/// The program that was built, run as people run it.
final class Program: @unchecked Sendable {
    // Sendable: confined to its test, but for `process`, which the watchdog only reads.
    struct CannotStart: Error {
        let code: Int32
    }

    /// Beside the running test bundle, where the build puts both.
    static let path: String = {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return URL(filePath: tests ?? CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "transferd").path
    }()

    let process: pid_t
    private let out: FileDescriptor
    private let errorPath: String
    private var taken: [UInt8] = []
    private let ended = Guarded<Int32?>(nil)
    private let watchdog: Watchdog

    /// Starts the program. `environment` is all that it gets; `prefix` runs it, such as setpriv.
    init(
        _ arguments: [String], environment: [String: String] = [:], prefix: [String] = []
    ) throws {
        errorPath = NSTemporaryDirectory() + "/transferd-" + UUID().uuidString + ".err"
        var pipes: [Int32] = [0, 0]
        guard pipe(&pipes) == 0 else { throw SystemError("pipe") }
        // Or another program would hold this one's output open.
        for number in pipes { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
        out = FileDescriptor(owning: pipes[0])
        let input = FileDescriptor(owning: pipes[1])

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, input.number, 1)
        posix_spawn_file_actions_addopen(
            &actions, 2, errorPath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)

        let words = prefix + [Self.path] + arguments
        var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        // Under AddressSanitizer: what a program holds when it exits is no leak.
        let variables =
            environment.map { "\($0.key)=\($0.value)" } + ["ASAN_OPTIONS=detect_leaks=0"]
        var envp: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, words[0], &actions, nil, &argv, &envp)
        guard code == 0 else { throw CannotStart(code: code) }
        self.process = process
        watchdog = Watchdog(process)
    }

    deinit {
        if ended.withLock({ $0 == nil }) {
            signal(SIGKILL)
            _ = wait()
        }
    }

    func signal(_ number: Int32) { kill(process, number) }

    /// The next line of standard output; nil at its end.
    func line() -> String? {
        while true {
            if let end = taken.firstIndex(of: 0x0A) {
                defer { taken.removeFirst(end + 1) }
                return String(decoding: taken[..<end], as: UTF8.self)
            }
            guard fill() else { return nil }
        }
    }

    /// Waits for the program's end.
    func wait() -> Ending {
        while fill() {}
        let status = ended.withLock { ended in
            if let ended { return ended }
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
            ended = code
            return code
        }
        watchdog.dismiss()
        return Ending(status: status, out: String(decoding: taken, as: UTF8.self), err: errors)
    }

    /// What the program has written to standard error so far.
    var errors: String { (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "" }

    private func fill() -> Bool {
        var part = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(out.number, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            taken += part[..<count]
            return true
        }
    }

    /// Runs the program to its end.
    static func run(
        _ arguments: String..., environment: [String: String] = [:], prefix: [String] = []
    ) throws -> Ending {
        try Program(arguments, environment: environment, prefix: prefix).wait()
    }
}

/// Kills a program that does not end by itself, so that its test fails instead of hanging.
private final class Watchdog: Sendable {
    private let lock = Lock()
    private let changed = Condition()
    private let dismissed = Guarded(false)

    init(_ process: pid_t) {
        let clock = SystemMonotonicClock()
        let deadline = clock.now().advanced(milliseconds: 60_000)
        _ = Thread(name: "watchdog") { [lock, changed, dismissed] in
            lock.withLock {
                while !dismissed.withLock({ $0 }), clock.now() < deadline {
                    changed.wait(lock, until: deadline)
                }
            }
            if !dismissed.withLock({ $0 }) { kill(process, SIGKILL) }
        }
    }

    func dismiss() {
        lock.withLock { dismissed.withLock { $0 = true } }
        changed.signal()
    }
}

/// A folder that is gone with its test.
final class Folder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/transferd-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        chmod(path, 0o700)
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String { path + "/" + name }

    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: file(name), atomically: false, encoding: .utf8)
        return file(name)
    }
}
