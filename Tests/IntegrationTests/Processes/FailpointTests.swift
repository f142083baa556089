#if FAILPOINTS
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
            var testDescription: String { name }

            static let all = [
                Point(name: "before-begin", isCommitted: false),
                Point(name: "after-plan", isCommitted: false),
                Point(name: "before-commit", isCommitted: false),
                Point(name: "after-commit", isCommitted: true),
            ]
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
            // The first passage is that of the accounts at the start.
            let dying = try await blocking {
                try ServerProcess(
                    database: database, log: log,
                    environment: ["TRANSFERD_FAILPOINTS": "\(point.name)=kill:2"])
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
            arguments: Point.all)
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
            try await expectSound(database)
        }
    }
#endif
