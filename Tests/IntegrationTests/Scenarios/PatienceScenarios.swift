import Bank
import Platform
import TestSupport
import Testing

extension DatabaseTests.IntegrationTests {
    @Suite("Attempts that take long")
    struct Patience {
        private static let day: Int64 = 86_400_000
        private static let week: Int64 = 7 * 86400

        /// Whether the client of the first attempt is there to hear the answer.
        enum Client: CaseIterable { case stays, leaves }

        @Test(
            "Scenario 6: an attempt outlives its client, its token and every deadline, and debits once",
            arguments: Client.allCases)
        func outlives(client: Client) async throws {
            let monotonic = SteppingClock()
            var options = TestBank.Options()
            options.change = { parts, _ in
                parts.monotonic = monotonic
                parts.lockWaitMilliseconds = 120_000
            }
            // A lock holds up PostgreSQL's transactions before they have begun to be an attempt: an
            // attempt that has begun waits there for the standby, in a test of its own.
            try await withBank(options, on: [.sqlite]) { bank in
                let server = bank.endpoint
                let patient = bank.token("alice", expiresIn: Self.week)
                let (key, payment) = (newKey(), Payment())
                let lock = try bank.database()
                try lock.takeWriteLock()
                let first = try await blocking {
                    let client = try HTTPClient(port: server.port)
                    client.send(.payment(payment, key: key, token: server.token))
                    return client
                }
                try await bank.waitForInFlight(1)
                try await bank.waitForQueue(0)
                if client == .leaves { first.abort() }
                async let waiter = server.send(
                    .payment(payment, key: key, token: patient).with("Prefer", "wait=30"))
                try await bank.catchUp()
                // Longer than every time-out that can be set, but for the drain's, which has a test
                // of its own: head, body, idle, answer, queue, wait and token.
                monotonic.step(milliseconds: Self.day)
                bank.clock.move(seconds: Self.day / 1000)
                expectProblem(try await waiter, 409, "in_flight", retry: "same-key")
                for _ in 0..<3 {
                    let retry = try await server.pay(payment, key: key, token: patient)
                    expectProblem(retry, 409, "in_flight", retry: "same-key")
                    let found = try await server.byKey(key, token: patient)
                    #expect(found.transferStatus == "in_flight")
                }
                try lock.releaseWriteLock()
                try await bank.waitForInFlight(0)
                if client == .stays {
                    let answer = try await blocking { try first.receive() }
                    #expect(answer.status == 201)
                    #expect(answer["Idempotent-Replayed"] == nil)
                }
                let replay = try await server.pay(payment, key: key, token: patient)
                #expect(replay.status == 201)
                #expect(replay["Idempotent-Replayed"] == "true")
                #expect(try bank.balance(IBANs.alice) == 995_000)
                #expect(try bank.count("transfers") == 1)
            }
        }

        @Test(
            "Scenario 6: an attempt outlives the grace period of its server's end, and debits once")
        func outlivesDrain() async throws {
            var options = TestBank.Options()
            options.change = { parts, configuration in
                parts.lockWaitMilliseconds = 120_000
                configuration.gracePeriodMilliseconds = 20
            }
            try await withBank(options) { bank in
                let server = bank.endpoint
                let (key, payment) = (newKey(), Payment())
                let lock = try bank.database()
                try lock.takeWriteLock()
                async let first = blocking { () -> HTTPClient.Failure? in
                    let client = try HTTPClient(port: server.port)
                    client.send(.payment(payment, key: key, token: server.token))
                    do throws(HTTPClient.Failure) {
                        _ = try client.receive()
                        return nil
                    } catch { return error }
                }
                try await bank.waitForInFlight(1)
                try await bank.waitForQueue(0)
                async let stopped: Void = bank.stop()
                #expect(try await eventually { try bank.logText.contains("http.drain.cut") })
                // The client knows nothing, and the attempt is still under way.
                #expect(try await first != nil)
                #expect(try bank.count("outcomes") == 0)
                try lock.releaseWriteLock()
                try await stopped
                let next = try await blocking { try TestBank(beside: bank) }
                let replay = try await next.endpoint.pay(payment, key: key)
                #expect(replay.status == 201)
                #expect(replay["Idempotent-Replayed"] == "true")
                #expect(try bank.balance(IBANs.alice) == 995_000)
                #expect(try bank.count("transfers") == 1)
                try await next.stop()
            }
        }
    }
}
