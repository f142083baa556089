import CLinux
import Foundation
import Glibc
import JSON
import Platform

/// `transferd demo` or `serve` as a process of its own, which a test may kill.
package final class ServerProcess: @unchecked Sendable {
    // Sendable: `exit` is touched only with `lock` held, the rest never changes.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let process: Int32
    package let port: UInt16
    package let operationsPort: UInt16
    /// Tokens by customer; none of `serve`.
    package let tokens: [String: String]
    private let lock = Lock()
    private var exit: Int32?

    /// The built program: `TRANSFERD_BINARY`, or the one beside the running test program.
    package static var binary: String {
        get throws {
            if let path = ProcessInfo.processInfo.environment["TRANSFERD_BINARY"] { return path }
            let program = try FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/exe")
            let path =
                program.prefix(upTo: program.lastIndex(of: "/") ?? program.startIndex)
                + "/transferd"
            guard FileManager.default.isExecutableFile(atPath: String(path)) else {
                throw Failure(description: "there is no \(path): build the product transferd first")
            }
            return String(path)
        }
    }

    /// Starts a demo on `database` with free ports and waits until it is ready. Its log goes to
    /// the file `log`; `environment` is added to that of the tests.
    package init(database: String, log: String, environment: [String: String] = [:]) throws {
        let (process, output) = try Self.spawn(
            ["demo", "--port", "0", "--database", database, "--json"], log: log, environment)
        self.process = process
        var line: [UInt8] = []
        while line.last != 0x0A {
            var poll = pollfd(fd: output.number, events: Int16(POLLIN), revents: 0)
            var chunk = [UInt8](repeating: 0, count: 4096)
            guard Glibc.poll(&poll, 1, 60_000) == 1 else {
                kill(process, SIGKILL)
                throw Failure(description: "the server is not ready in time")
            }
            let count = read(output.number, &chunk, chunk.count)
            guard count > 0 else {
                kill(process, SIGKILL)
                throw Failure(description: "the server ended before it was ready: see \(log)")
            }
            line += chunk[..<count]
        }
        let json = try JSONDocument(line.dropLast(), maximumDepth: 8).root
        guard let port = Self.port(json["baseUrl"]),
            let operationsPort = Self.port(json["operationsUrl"])
        else {
            throw Failure(
                description: "no address in \(String(decoding: line, as: UTF8.self))")
        }
        (self.port, self.operationsPort) = (port, operationsPort)
        var tokens: [String: String] = [:]
        for customer in json["customers"].map({ Array($0.elements) }) ?? [] {
            if let name = customer["customer"]?.string, let token = customer["token"]?.string {
                tokens[name] = token
            }
        }
        self.tokens = tokens
    }

    /// Starts `serve` with the configuration of a file, and waits until its log, the new file `log`,
    /// says that it is ready. `environment` is added to that of the tests.
    package init(
        serving configuration: String, log: String, environment: [String: String] = [:]
    ) throws {
        process = try Self.spawn(["serve", "--config", configuration], log: log, environment).0
        tokens = [:]
        var ports: (UInt16, UInt16)?
        _ = try becomesTrue(within: 60) {
            let text = try String(contentsOfFile: log, encoding: .utf8)
            ports = try text.split(separator: "\n").lazy.compactMap(Self.readyPorts).first
            return ports != nil || !text.isEmpty && text.hasPrefix("transferd:")
        }
        guard let ports else {
            kill(process, SIGKILL)
            _ = Self.wait(process)
            throw Failure(description: "the server is not ready: see \(log)")
        }
        (port, operationsPort) = ports
    }

    /// The ports in the log's line that the server is ready; nil for another line.
    private static func readyPorts(_ line: Substring) throws -> (UInt16, UInt16)? {
        guard line.contains("server.ready") else { return nil }
        let json = try JSONDocument(Array(line.utf8), maximumDepth: 4).root
        guard let port = json["port"]?.int64, let operationsPort = json["operationsPort"]?.int64
        else { throw Failure(description: "no ports in \(line)") }
        return (UInt16(port), UInt16(operationsPort))
    }

    /// How many descriptors the process has open.
    package var descriptors: Int {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
        }
    }

    /// Its resident memory in bytes.
    package var residentBytes: Int {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
                let kibibytes = line.split(separator: " ").dropLast().last.flatMap({ Int($0) })
            else { throw Failure(description: "no VmRSS of process \(process)") }
            return kibibytes * 1024
        }
    }

    deinit {
        if lock.withLock({ exit }) == nil {
            kill(process, SIGKILL)
            _ = waitForExit()
        }
    }

    package func send(signal: Int32) { kill(process, signal) }

    /// Blocks until the process has ended. Its exit code, or minus the signal that ended it.
    @discardableResult package func waitForExit() -> Int32 {
        lock.withLock {
            if let exit { return exit }
            let code = Self.wait(process)
            exit = code
            return code
        }
    }

    /// Runs a command of the program to its end. Its exit code and what it printed.
    package static func run(_ arguments: [String], log: String) throws -> (Int32, String) {
        let (process, output) = try spawn(arguments, log: log)
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(output.number, &chunk, chunk.count)
            if count <= 0 { break }
            text += chunk[..<count]
        }
        return (wait(process), String(decoding: text, as: UTF8.self))
    }

    private static func port(_ url: JSONValue?) -> UInt16? {
        url?.string?.split(separator: ":").last.flatMap { UInt16($0) }
    }

    private static func wait(_ process: Int32) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : -signal
    }

    /// A new process and the reading end of its standard output.
    private static func spawn(
        _ arguments: [String], log: String, _ environment: [String: String] = [:]
    ) throws -> (Int32, FileDescriptor) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemError("pipe") }
        let (reading, writing) = (
            FileDescriptor(owning: ends[0]), FileDescriptor(owning: ends[1])
        )
        // Another child must not hold this pipe open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, writing.number, 1)
        posix_spawn_file_actions_addopen(
            &actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let program = try binary
        var pointers = ([program] + arguments).map { strdup($0) } + [nil]
        // What is for the tests is no setting of the server's.
        let own = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("TRANSFERD_") }
        let variables = own.merging(environment) { $1 }
        var environment = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { for pointer in pointers + environment { free(pointer) } }
        var process: Int32 = 0
        let code = posix_spawn(&process, program, &actions, nil, &pointers, &environment)
        guard code == 0 else { throw SystemError("posix_spawn \(program)", code: code) }
        return (process, reading)
    }
}
