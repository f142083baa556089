#if FAILPOINTS
    import Bank
    import Foundation
    import JSON
    import Platform
    import StoreTestSupport
    import TestSupport
    import Testing

    extension DatabaseTests.IntegrationTests.Processes {
        /// A point of the road, and whether what passes it has been committed.
        struct Point: Sendable, CustomTestStringConvertible {
            let name: String
            let isCommitted: Bool
            /// The passage of the first payment; the accounts at the start pass some points too.
            var passage = 2
            var testDescription: String { name }

            static let ofCommit = [
                Point(name: "before-begin", isCommitted: false),
                Point(name: "after-plan", isCommitted: false),
                Point(name: "before-commit", isCommitted: false),
                Point(name: "after-commit", isCommitted: true),
            ]
            static let all =
                [
                    Point(name: "after-parse", isCommitted: false, passage: 1),
                    Point(name: "after-claim", isCommitted: false, passage: 1),
                ] + ofCommit + [Point(name: "before-answer", isCommitted: true, passage: 1)]
        }

        @Test(
            "Scenario 7: killed at a named point, the server comes back and the retry debits once",
            arguments: Point.all)
        func killedAt(_ point: Point) async throws {
            let folder = try TemporaryFolder()
            let (database, log) = (folder.file("bank.db"), folder.file("log"))
            // Opens the accounts, which passes the points too.
            let prepared = try await blocking { try ServerProcess(database: database, log: log) }
            prepared.send(signal: SIGTERM)
            #expect(try await blocking { prepared.waitForExit() } == 0)
            let dying = try await blocking {
                try ServerProcess(
                    database: database, log: log,
                    environment: ["TRANSFERD_FAILPOINTS": "\(point.name)=kill:\(point.passage)"])
            }
            let key = newKey()
            await #expect(throws: HTTPClient.Failure.self) {
                try await Self.endpoint(dying).pay(Payment(), key: key)
            }
            #expect(try await blocking { dying.waitForExit() } == -SIGKILL)
            let next = try await blocking { try ServerProcess(database: database, log: log) }
            let found = try await Self.endpoint(next).byKey(key)
            #expect(found.status == (point.isCommitted ? 200 : 404))
            let retry = try await Self.endpoint(next).pay(Payment(), key: key)
            #expect(retry.status == 201)
            #expect((retry["Idempotent-Replayed"] == "true") == point.isCommitted)
            #expect(retry.json?["balance"]?["amount"]?.string == "9950.00")
            try await Self.expectOneTransfer(next, database)
        }

        @Test(
            "Scenario 12: where a step fails the answer is 503, and the retry finds the truth",
            arguments: Point.ofCommit)
        func failedAt(_ point: Point) async throws {
            let folder = try TemporaryFolder()
            let (database, log) = (folder.file("bank.db"), folder.file("log"))
            let server = try await blocking {
                try ServerProcess(
                    database: database, log: log,
                    environment: ["TRANSFERD_FAILPOINTS": "\(point.name)=fail:2"])
            }
            let key = newKey()
            let failed = try await Self.endpoint(server).pay(Payment(), key: key)
            expectProblem(failed, 503, "store_unavailable", retry: "same-key")
            let retry = try await Self.endpoint(server).pay(Payment(), key: key)
            #expect(retry.status == 201)
            #expect((retry["Idempotent-Replayed"] == "true") == point.isCommitted)
            #expect(retry.json?["balance"]?["amount"]?.string == "9950.00")
            try await Self.expectOneTransfer(server, database)
        }

        @Test("Scenario 7: an answer that is cut in its middle is replayed whole")
        func cutAnswer() async throws {
            let folder = try TemporaryFolder()
            let (database, log) = (folder.file("bank.db"), folder.file("log"))
            let server = try await blocking {
                try ServerProcess(
                    database: database, log: log,
                    environment: ["TRANSFERD_FAILPOINTS": "before-answer=fail:1"])
            }
            let key = newKey()
            await #expect(throws: HTTPClient.Failure.self) {
                try await Self.endpoint(server).pay(Payment(), key: key)
            }
            let retry = try await Self.endpoint(server).pay(Payment(), key: key)
            #expect(retry.status == 201)
            #expect(retry["Idempotent-Replayed"] == "true")
            #expect(retry.json?["balance"]?["amount"]?.string == "9950.00")
            try await Self.expectOneTransfer(server, database)
        }

        @Test("Scenario 7: killed between the two sides of a booking, it is finished once")
        func killedInSettlement() async throws {
            let folder = try TemporaryFolder()
            let (database, log) = (folder.file("bank.db"), folder.file("log"))
            let dying = try await blocking {
                try ServerProcess(
                    database: database, log: log,
                    environment: ["TRANSFERD_FAILPOINTS": "after-credit=kill:1"])
            }
            let key = newKey()
            // The demo's bob.
            let payment = Payment().with { $0.creditor = "FR1420041010050500013M02606" }
            #expect(try await Self.endpoint(dying).pay(payment, key: key).status == 201)
            #expect(try await blocking { dying.waitForExit() } == -SIGKILL)
            let next = try await blocking { try ServerProcess(database: database, log: log) }
            let endpoint = Self.endpoint(next)
            #expect(
                try await eventually {
                    try endpoint.exchange(.byKey(key, token: endpoint.token)).transferStatus
                        == "settled"
                })
            let bob = try await endpoint.get("/api/accounts", token: next.tokens["bob"])
            let balance = bob.json?["accounts"].flatMap { Array($0.elements).first }?["balance"]
            #expect(balance?["amount"]?.string == "2550.00")
            try await Self.expectOneTransfer(next, database)
        }

        private static func endpoint(_ server: ServerProcess) -> Endpoint {
            Endpoint(port: server.port, token: server.tokens["alice"] ?? "")
        }

        private static func expectOneTransfer(
            _ server: ServerProcess, _ database: String
        ) async throws {
            server.send(signal: SIGTERM)
            #expect(try await blocking { server.waitForExit() } == 0)
            #expect(
                try SideConnection(path: database).integer("SELECT count(*) FROM transfers") == 1)
            try await expectSound(.sqlite(database))
        }
    }
#endif
