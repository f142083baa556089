import Foundation
import Platform
import TestSupport
import Testing

/// A way in which `slowhttptest` wears a server down.
struct SlowAttack: Sendable, CustomTestStringConvertible {
    static let connections = 500

    let name: String
    let path: String
    let arguments: [String]
    /// Counts at least one for each connection, so that the attack is known to have been one.
    let series: String

    var testDescription: String { name }

    static let all = [
        SlowAttack(
            name: "slow headers", path: "/openapi.json", arguments: ["-H", "-t", "GET"],
            series: "http_refusals_total{server=\"api\",reason=\"headTimeout\"}"),
        SlowAttack(
            name: "slow bodies", path: "/api/transfers",
            arguments: ["-B", "-s", "8192", "-f", "application/json"],
            series: "http_refusals_total{server=\"api\",reason=\"bodyTimeout\"}"),
        SlowAttack(
            name: "ranges", path: "/openapi.json", arguments: ["-R", "-a", "5", "-b", "2000"],
            series: "http_requests_total{server=\"api\",method=\"HEAD\",status=\"2xx\"}"),
        SlowAttack(
            name: "slow reads", path: "/openapi.json",
            arguments: ["-X", "-w", "16", "-y", "64", "-n", "1", "-z", "8", "-k", "5"],
            series: "http_requests_total{server=\"api\",method=\"GET\",status=\"2xx\"}"),
    ]

    /// Runs it to its end, which is when all connections are closed or after some seconds; what it
    /// printed.
    func run(port: UInt16) throws -> String {
        let process = Process()
        process.executableURL = try Self.executable()
        process.arguments =
            arguments + [
                "-c", "\(Self.connections)", "-r", "\(Self.connections)", "-i", "1", "-l", "8",
                "-p", "10", "-u", "http://127.0.0.1:\(port)\(path)",
            ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failed(description: String(decoding: text, as: UTF8.self))
        }
        return String(decoding: text, as: UTF8.self)
    }

    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    private static func executable() throws -> URL {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        for folder in path.split(separator: ":") {
            let file = "\(folder)/slowhttptest"
            if FileManager.default.isExecutableFile(atPath: file) { return URL(filePath: file) }
        }
        throw Failed(
            description: "slowhttptest is not installed: run `.ci/need test`, or "
                + "`apt-get install slowhttptest`.")
    }
}

extension DatabaseTests.IntegrationTests.Hostile {
    /// The most that a slow client may cost the process, whatever it asked for.
    private static let slowConnectionBytes = 32 * 1024
    private static let slowSlackBytes = 16 << 20

    @Test(
        "Slow clients stop nobody, are sent away, and leave nothing", arguments: SlowAttack.all)
    func slow(_ attack: SlowAttack) async throws {
        let server = try await blocking {
            try BesiegedServer([
                "FIRST_BYTE_MILLISECONDS": 2000, "HEAD_MILLISECONDS": 2000,
                "BODY_MILLISECONDS": 2000, "IDLE_MILLISECONDS": 2000,
                "WRITE_STALL_MILLISECONDS": 1500, "RESPONSE_MILLISECONDS": 3000,
                "LINGER_MILLISECONDS": 500,
            ])
        }
        let start = try await blocking { try server.footprint() }
        let isOver = Guarded(false)
        async let payments = blocking { try Self.pay(server, until: isOver) }
        let output = try await blocking {
            defer { isOver.withLock { $0 = true } }
            return try attack.run(port: server.port)
        }
        let (statuses, peak) = try await payments
        #expect(!output.contains("service available:   NO"), "\(output)")
        #expect(statuses.count > 10)
        #expect(statuses.allSatisfy { $0 == 201 }, "\(Set(statuses))")
        let most = SlowAttack.connections * Self.slowConnectionBytes + Self.slowSlackBytes
        #expect(peak < start.residentBytes + most * Self.memoryFactor)
        let (faults, seen, transfers) = try await blocking {
            (
                try server.difference(from: start), try server.metric(attack.series),
                try server.stop()
            )
        }
        #expect(faults == nil)
        #expect(seen >= SlowAttack.connections)
        #expect(transfers == 40 + statuses.count)
    }

    /// Pays until `isOver`: the answers' statuses, and the most memory that the server took.
    private static func pay(
        _ server: BesiegedServer, until isOver: Guarded<Bool>
    ) throws -> ([Int], peak: Int) {
        var statuses: [Int] = []
        var peak = 0
        while !isOver.withLock({ $0 }) {
            statuses.append(try server.pay())
            peak = max(peak, try server.process.residentBytes)
        }
        return (statuses, peak)
    }
}
