import Bank
import Foundation
import JSON
import Platform
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests.IntegrationTests.Processes {
    /// What one client saw of a server that stops.
    private struct Seen: Sendable {
        var executed: [(key: String, body: [UInt8])] = []
        var refused: [String] = []
        var unanswered: [String] = []
        var undocumented: [String] = []
    }

    @Test("SIGTERM under load ends the server with 0, and nothing that it accepted is lost")
    func stopped() async throws {
        let folder = try TemporaryFolder()
        let (database, log) = (folder.file("bank.db"), folder.file("log"))
        let server = try await blocking { try ServerProcess(database: database, log: log) }
        let answers = Guarded(0)
        async let seen = concurrently(8) { _ in try Self.payUntilItStops(server, answers) }
        #expect(try await eventually { answers.withLock { $0 } > 200 })
        let clock = SystemMonotonicClock()
        let began = clock.now()
        server.send(signal: SIGTERM)
        #expect(try await blocking { server.waitForExit() } == 0)
        // The default grace period; it is not needed.
        #expect(clock.now() < began.advanced(milliseconds: 25_000))
        let clients = try await seen
        #expect(clients.flatMap(\.undocumented) == [])
        let executed = clients.flatMap(\.executed)
        #expect(executed.count > 200)

        let rows = try await blocking {
            try SideConnection(path: database).rows(
                "SELECT lower(hex(idempotency_key)), CAST(body AS TEXT) FROM outcomes")
        }
        let stored = Dictionary(
            rows.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
        for (key, body) in executed {
            #expect(stored[key.replacing("-", with: "")] == String(decoding: body, as: UTF8.self))
        }
        // Whatever was committed was answered: what has no answer was never taken in.
        #expect(stored.count == executed.count)

        let next = try await blocking { try ServerProcess(database: database, log: log) }
        let retried = try await blocking {
            let client = try HTTPClient(port: next.port)
            return try clients.flatMap { $0.unanswered + $0.refused }.map { key in
                try client.exchange(Self.payment(key, next))
            }
        }
        #expect(retried.allSatisfy { $0.status == 201 && $0["Idempotent-Replayed"] == nil })
        next.send(signal: SIGTERM)
        #expect(try await blocking { next.waitForExit() } == 0)
        try await expectSound(.sqlite(database))
    }

    private static func payment(_ key: String, _ server: ServerProcess) -> HTTPRequest {
        .payment(Payment(amount: "0.01"), key: key, token: server.tokens["alice"] ?? "")
    }

    private static func payUntilItStops(
        _ server: ServerProcess, _ answers: Guarded<Int>
    ) throws -> Seen {
        var seen = Seen()
        var client: HTTPClient?
        while true {
            let key = newKey()
            do throws(HTTPClient.Failure) {
                if client == nil { client = try HTTPClient(port: server.port) }
            } catch { return seen }
            do throws(HTTPClient.Failure) {
                guard let answer = try client?.exchange(payment(key, server)) else { continue }
                answers.withLock { $0 += 1 }
                switch answer.status {
                case 201: seen.executed.append((key, answer.body))
                case 503: seen.refused.append(key)
                default: seen.undocumented.append("\(answer)")
                }
                if answer["Connection"] == "close" { client = nil }
            } catch {
                // Closed before a byte of the answer: not taken in. In the middle of one: lost.
                if case .ended(let bytes) = error, bytes > 0 {
                    seen.undocumented.append("\(error)")
                }
                seen.unanswered.append(key)
                client = nil
            }
        }
    }

    @Test("A second server on the same database is refused and names the first")
    func second() async throws {
        let folder = try TemporaryFolder()
        let (database, log) = (folder.file("bank.db"), folder.file("log"))
        let server = try await blocking { try ServerProcess(database: database, log: log) }
        let (code, _) = try await blocking {
            try ServerProcess.run(
                ["demo", "--port", "0", "--database", database, "--json"],
                log: folder.file("second.log"))
        }
        #expect(code == 69)
        let text = try String(contentsOfFile: folder.file("second.log"), encoding: .utf8)
        #expect(text.contains("process \(server.process)"))
        // The first has noticed nothing; a kill frees the database for the next.
        server.send(signal: SIGKILL)
        #expect(try await blocking { server.waitForExit() } == -SIGKILL)
        let next = try await blocking { try ServerProcess(database: database, log: log) }
        let answer = try await blocking {
            try HTTPClient(port: next.port).exchange(
                HTTPRequest("GET", "/api/accounts").with(
                    "Authorization", "Bearer \(next.tokens["alice"] ?? "")"))
        }
        #expect(answer.status == 200)
    }
}
