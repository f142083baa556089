import Bank
import Foundation
import JSON
import Platform
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests.IntegrationTests {
    @Suite("The process")
    struct Processes {
        private static let clients = 6
        private static let kills = 50

        @Test("Scenario 7: what clients believe is the ledger, after 50 kills at random moments")
        func killed() async throws {
            let seed =
                ProcessInfo.processInfo.environment["TRANSFERD_TEST_SEED"].flatMap { UInt64($0) }
                ?? SystemRandomBytes().word()
            print("TRANSFERD_TEST_SEED=\(seed)")
            let folder = try TemporaryFolder()
            let (database, log) = (folder.file("bank.db"), folder.file("log"))
            let beliefs = Beliefs()
            try await blocking {
                try Self.load(database, log, beliefs, seed)
            }
            #expect(beliefs.violations == [])
            #expect(beliefs.intents.count > Self.kills)
            #expect(beliefs.outcomes.count == beliefs.intents.count)
            #expect(beliefs.outcomes.values.contains { $0.status == 402 })

            let last = try await blocking { try ServerProcess(database: database, log: log) }
            let afterwards = try await blocking { try Self.askAgain(last, beliefs) }
            #expect(afterwards == [])
            try await expectLedger(database, equals: beliefs)
            // Every booking inside the bank that a kill has interrupted is finished.
            let side = try SideConnection(path: database)
            #expect(
                try await eventually {
                    try side.integer("SELECT count(*) FROM outbox WHERE connector = 1") == 0
                })
            last.send(signal: SIGTERM)
            #expect(try await blocking { last.waitForExit() } == 0)
            let (code, text) = try await blocking {
                try ServerProcess.run(
                    ["verify", "--database", database, "--structure", "--json"], log: log)
            }
            #expect(code == 0, "\(text)")
        }

        /// Lives and deaths under load. Ends when all clients know their outcomes.
        private static func load(
            _ database: String, _ log: String, _ beliefs: Beliefs, _ seed: UInt64
        ) throws {
            let server = ServerInGenerations()
            let random = SeededRandomBytes(seed: seed)
            let errands = Guarded<[(intent: Int, content: Int)]>([])
            let threads = (0..<clients).map { index in
                let client = LoadClient(
                    server: server, beliefs: beliefs,
                    random: SeededRandomBytes(seed: seed &+ UInt64(index) &+ 1), errands: errands)
                return Thread(name: "load-\(index)") {
                    do { try client.run() } catch { beliefs.violated("\(error)") }
                }
            }
            defer {
                server.finish()
                for thread in threads { thread.join() }
            }
            for _ in 0..<kills {
                let life = try ServerProcess(database: database, log: log)
                server.began(life)
                server.waitForAnswers(Int(random.word() % 60))
                spin(microseconds: Int64(random.word() % 3000))
                server.died()
                life.send(signal: SIGKILL)
                guard life.waitForExit() == -SIGKILL else {
                    beliefs.violated("ended before it was killed")
                    continue
                }
            }
            server.began(try ServerProcess(database: database, log: log))
        }

        /// Lets a moment pass that is not tied to any answer.
        private static func spin(microseconds: Int64) {
            let clock = SystemMonotonicClock()
            let end = clock.now().nanoseconds + microseconds * 1000
            while clock.now().nanoseconds < end {}
        }

        /// Asks a server that nobody else uses about every intent. Nothing is in flight any more.
        private static func askAgain(_ server: ServerProcess, _ beliefs: Beliefs) throws -> [String]
        {
            var faults: [String] = []
            let client = try HTTPClient(port: server.port)
            let outcomes = beliefs.outcomes
            for (index, intent) in beliefs.intents.enumerated() {
                guard let believed = outcomes[index] else { continue }
                let token = server.tokens[intent.customer] ?? ""
                for content in intent.contents.indices {
                    let answer = try client.exchange(
                        .payment(intent.contents[content], key: intent.key, token: token))
                    let isRight =
                        content == believed.content
                        ? answer.status == believed.status && answer.body == believed.body
                            && answer["Idempotent-Replayed"] == "true"
                        : answer.status == 422 && answer.transferID == believed.transferID
                    if !isRight { faults.append("\(index): \(answer)") }
                }
                let found = try client.exchange(.byKey(intent.key, token: token))
                let states = believed.status == 402 ? ["rejected"] : ["accepted", "settled"]
                if found.status != 200 || found.transferID != believed.transferID
                    || !states.contains(found.transferStatus ?? "") || found.code != believed.code
                {
                    faults.append("\(index): \(found)")
                }
            }
            return faults
        }

        /// The rows hold exactly what the clients believe.
        private func expectLedger(_ path: String, equals beliefs: Beliefs) async throws {
            let rows = try await blocking {
                try SideConnection(path: path).rows(
                    """
                    SELECT o.customer_id, lower(hex(o.idempotency_key)), o.status_code,
                           lower(hex(o.transfer_id)), CAST(o.body AS TEXT), t.amount
                    FROM outcomes o JOIN transfers t USING (transfer_id)
                    """)
            }
            #expect(rows.count == beliefs.intents.count)
            var stored: [String: [String]] = [:]
            for row in rows { stored[row[0] + row[1]] = row }
            #expect(stored.count == rows.count)
            var faults: [String] = []
            for (index, intent) in beliefs.intents.enumerated() {
                guard let believed = beliefs.outcomes[index],
                    let row = stored[intent.customer + intent.key.replacing("-", with: "")],
                    row[2] == String(believed.status),
                    row[3] == believed.transferID.replacing("-", with: ""),
                    row[4] == String(decoding: believed.body, as: UTF8.self),
                    row[5]
                        == intent.contents[believed.content].amount.replacing(".", with: "")
                        .trimmingPrefix("0")
                else {
                    faults.append("\(index)")
                    continue
                }
            }
            #expect(faults == [])
            #expect(
                try SideConnection(path: path).integer(
                    "SELECT count(*) FROM transfers WHERE state <> 7")
                    == beliefs.outcomes.values.filter { $0.status == 201 }.count)
        }
    }
}
