import API
import Bank
import JSON
import Platform
import TestSupport
import Testing

extension DatabaseTests.IntegrationTests {
    @Suite("Waiting with a token that does not last")
    struct WaitPermissions {
        private struct World: Sendable {
            let bank: TestBank
            let clock: SteppingClock
            /// A token of alice that `revoke` ends, and a newer one.
            let old: String
            let new: String

            func pay(_ key: String, _ token: String, wait seconds: Int) async throws -> HTTPAnswer {
                try await bank.endpoint.send(
                    .payment(Payment(), key: key, token: token).with("Prefer", "wait=\(seconds)"))
            }

            /// Ends what alice was issued until five seconds ago; returns when the server knows.
            func revoke() async throws {
                let at = bank.clock.now().microseconds - 5_000_000
                try bank.revoke(1, "alice", atMicroseconds: at)
                let server = bank.endpoint
                #expect(
                    try await eventually {
                        try server.exchange(.byKey(newKey(), token: old)).code == "token_revoked"
                    })
            }
        }

        private static func withWorld(_ body: @Sendable (World) async throws -> Void) async throws {
            for store in StoreChoice.allCases {
                let clock = SteppingClock()
                var options = TestBank.Options()
                options.change = { parts, _ in
                    parts.monotonic = clock
                    parts.settings.commandWaitMilliseconds = 600_000
                }
                try await withBank(options, on: [store]) { bank in
                    // Whatever fails: a commit thread that is held would never end.
                    defer { clock.release() }
                    let old = bank.token("alice")
                    bank.clock.move(seconds: 10)
                    try await body(
                        World(bank: bank, clock: clock, old: old, new: bank.token("alice")))
                }
            }
        }

        @Test(
            "who waits for an attempt gets neither its outcome nor a 409 once its token is revoked")
        func waiter() async throws {
            try await Self.withWorld { world in
                let key = newKey()
                world.clock.holdCommits()
                async let first = world.bank.endpoint.pay(Payment(), key: key, token: world.new)
                try await world.bank.waitForInFlight(1)
                async let short = world.pay(key, world.old, wait: 7)
                async let long = world.pay(key, world.old, wait: 25)
                async let good = world.pay(key, world.new, wait: 25)
                try await world.bank.catchUp()
                try await world.revoke()
                world.clock.step(milliseconds: 7000)
                expectProblem(try await short, 401, "token_revoked", retry: "authenticate")
                world.clock.release()
                let created = try await first
                #expect(created.status == 201)
                expectProblem(try await long, 401, "token_revoked", retry: "authenticate")
                expectReplay(try await good, of: created)
                #expect(try world.bank.balance(IBANs.alice) == 995_000)
            }
        }

        @Test("a waiter whose token is revoked does not become the first; the next one does")
        func promotion() async throws {
            try await Self.withWorld { world in
                let server = world.bank.endpoint
                let key = newKey()
                world.clock.holdCommits()
                // Holds the commit thread, so that what follows queues.
                async let other = server.pay(Payment(), key: newKey(), token: world.new)
                try await world.bank.waitForInFlight(1)
                try await world.bank.waitForQueue(0)
                // Its token ends while it queues, leeway of 30 seconds included.
                let ending = world.bank.token("alice", expiresIn: -25)
                async let first = server.pay(Payment(), key: key, token: ending)
                try await world.bank.waitForInFlight(2)
                async let revoked = world.pay(key, world.old, wait: 25)
                try await world.bank.catchUp()
                async let next = world.pay(key, world.new, wait: 25)
                try await world.bank.catchUp()
                try await world.revoke()
                world.clock.step(milliseconds: 8000)
                world.clock.release()
                #expect(try await other.status == 201)
                expectProblem(try await first, 401, "token_expired", retry: "authenticate")
                expectProblem(try await revoked, 401, "token_revoked", retry: "authenticate")
                let executed = try await next
                #expect(executed.status == 201)
                #expect(executed["Idempotent-Replayed"] == nil)
                #expect(try world.bank.balance(IBANs.alice) == 990_000)
            }
        }
    }
}
