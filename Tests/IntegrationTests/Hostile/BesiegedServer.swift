import Foundation
import Platform
import StoreTestSupport
import TestSupport

/// A `serve` process with limits of a test's choice, and what can be seen of it from outside.
final class BesiegedServer: Sendable {
    /// What a siege must leave as it was.
    struct Footprint: Sendable {
        let connections: Int
        let descriptors: Int
        let residentBytes: Int
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Those of the store's connections that are opened when they are first needed.
    private static let lateDescriptors = 8

    private static let secret = "0123456789abcdef0123456789abcdef"

    let process: ServerProcess
    private let folder: TemporaryFolder
    private let token: String
    /// Kept, so that asking changes nothing.
    private let operations = Guarded<HTTPClient?>(nil)

    /// Starts a server whose customer alice has money. `limits` has settings of `server` by their
    /// environment names, such as `HEAD_MILLISECONDS`.
    init(_ limits: [String: Int]) throws {
        folder = try TemporaryFolder()
        let (database, log) = (folder.file("bank.db"), folder.file("log"))
        for command in [
            ["migrate", "--database", database],
            [
                "account", "open", "--database", database, "--customer", "alice", "--iban",
                IBANs.alice, "--currency", "EUR", "--opening", "1000000.00",
            ],
        ] {
            let (code, text) = try ServerProcess.run(command, log: folder.file("commands.log"))
            guard code == 0 else { throw Failure(description: "\(command): \(code) \(text)") }
        }
        let configuration = folder.file("my.json5")
        try """
        {
            server: {port: 0, backlog: 4096}, operations: {port: 0}, database: {path: "\(database)"},
            tokens: {issuer: "issuer", audience: "bank", algorithms: ["HS256"]},
        }
        """.write(toFile: configuration, atomically: false, encoding: .utf8)
        var environment = [
            "TRANSFERD_TOKENS_HS256_SECRET": Self.secret, "TRANSFERD_LIMITS_WRITES_PER_SECOND": "0",
        ]
        for (name, value) in limits { environment["TRANSFERD_SERVER_" + name] = "\(value)" }
        process = try ServerProcess(serving: configuration, log: log, environment: environment)
        let now = SystemWallClock().now().seconds
        token = TestTokens(secret: Array(Self.secret.utf8)).token(
            payload: """
                {"iss":"issuer","aud":"bank","sub":"alice","iat":\(now),"exp":\(now + 3600),\
                "scope":"transfers:read transfers:write accounts:read"}
                """)
        try warmUp()
    }

    /// Ends the server and proves its ledger. The number of transfers in it.
    func stop() throws -> Int64 {
        process.send(signal: SIGTERM)
        let code = process.waitForExit()
        guard code == 0 else { throw Failure(description: "the server ended with \(code)") }
        let database = folder.file("bank.db")
        let (verified, text) = try ServerProcess.run(
            ["verify", "--database", database], log: folder.file("commands.log"))
        guard verified == 0 else { throw Failure(description: text) }
        return try SideConnection(path: database).integer("SELECT count(*) FROM transfers")
    }

    var port: UInt16 { process.port }

    /// A payment that succeeds, with a key of its own.
    var payment: HTTPRequest { .payment(Payment(amount: "0.01"), key: newKey(), token: token) }

    func connect() throws -> HTTPClient { try HTTPClient(port: port) }

    /// Pays on a connection of its own; the answer's status.
    func pay() throws -> Int {
        let client = try connect()
        defer { client.close() }
        return try client.exchange(payment).status
    }

    /// The sample of a metric, 0 where there is none.
    func metric(_ series: String) throws -> Int {
        let text = try operations.withLock { client in
            let request = HTTPRequest("GET", "/metrics")
            if let answer = try? client?.exchange(request) { return answer.text }
            // It was idle for too long.
            client?.close()
            let next = try HTTPClient(port: process.operationsPort)
            client = next
            return try next.exchange(request).text
        }
        return try Int(PrometheusText(text).samples[series] ?? 0)
    }

    var connections: Int {
        get throws { try metric("http_connections_open{server=\"api\"}") }
    }

    func waitForConnections(_ count: Int) throws -> Bool {
        try becomesTrue(within: 60) { try connections == count }
    }

    func footprint() throws -> Footprint {
        Footprint(
            connections: try connections, descriptors: try process.descriptors,
            residentBytes: try process.residentBytes)
    }

    /// Waits until connections and descriptors are as they were; what is not, else nil.
    func difference(from before: Footprint) throws -> String? {
        let isBack = try becomesTrue(within: 30) {
            let now = try footprint()
            return now.connections == before.connections
                && now.descriptors <= before.descriptors + Self.lateDescriptors
        }
        return isBack ? nil : "was \(before), is \(try footprint())"
    }

    /// Has the server open what it needs for 40 payments and some reads.
    private func warmUp() throws {
        let clients = try (0..<8).map { _ in try connect() }
        for _ in 0..<5 {
            for client in clients { client.send(payment) }
            for client in clients {
                let status = try client.receive().status
                guard status == 201 else { throw Failure(description: "a payment got \(status)") }
            }
        }
        for client in clients {
            client.send(.get("/api/accounts", token: token))
            client.send(.byKey(newKey(), token: token))
        }
        for client in clients {
            _ = try client.receive()
            _ = try client.receive()
            client.close()
        }
        guard try waitForConnections(0) else {
            throw Failure(description: "connections stay open")
        }
    }
}
