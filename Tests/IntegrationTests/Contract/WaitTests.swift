import API
import Bank
import JSON
import Platform
import TestSupport
import Testing

extension DatabaseTests.IntegrationTests {
    @Suite("Waiting")
    struct Waiting {
        private static func waiting(
            _ payment: Payment, _ key: String, _ token: String, seconds: Int = 25
        ) -> HTTPRequest {
            HTTPRequest.payment(payment, key: key, token: token).with("Prefer", "wait=\(seconds)")
        }

        @Test("who waits for an attempt in flight gets its replay")
        func replay() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let lock = try bank.database()
                let key = newKey()
                try lock.takeWriteLock()
                async let first = server.pay(Payment(), key: key)
                try await bank.waitForInFlight(1)
                async let waiters = concurrently(5) { _ in
                    try server.exchange(Self.waiting(Payment(), key, server.token))
                }
                try await bank.catchUp()
                try lock.releaseWriteLock()
                let created = try await first
                #expect(created.status == 201)
                #expect(created["Preference-Applied"] == nil)
                for answer in try await waiters {
                    expectReplay(answer, of: created)
                    #expect(answer["Preference-Applied"] == "wait=25")
                }
                #expect(try bank.balance(IBANs.alice) == 995_000)
            }
        }

        @Test("other content is not waited for: 422 at once")
        func otherContent() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let lock = try bank.database()
                let key = newKey()
                try lock.takeWriteLock()
                async let first = server.pay(Payment(), key: key)
                try await bank.waitForInFlight(1)
                let other = try await server.send(
                    Self.waiting(Payment().with { $0.amount = "50.01" }, key, server.token))
                expectProblem(
                    other, 422, "idempotency_key_reused", retry: "no",
                    more: ["differs", "firstReceivedAt"])
                #expect(other["Preference-Applied"] == "wait=25")
                try lock.releaseWriteLock()
                #expect(try await first.status == 201)
            }
        }

        @Test(
            "when the first ends without an outcome, exactly one of the waiters becomes the first")
        func promotion() async throws {
            let monotonic = SteppingClock()
            var options = TestBank.Options()
            options.change = { parts, _ in
                parts.monotonic = monotonic
                parts.settings.commandWaitMilliseconds = 600_000
            }
            try await withBank(options) { bank in
                let server = bank.endpoint
                let lock = try bank.database()
                let key = newKey()
                try lock.takeWriteLock()
                // Holds the commit thread, so that what follows queues.
                async let other = server.pay(Payment(), key: newKey())
                try await bank.waitForInFlight(1)
                try await bank.catchUp()
                // Its token ends while it queues, leeway of 30 seconds included.
                let ending = bank.token("alice", expiresIn: -25)
                async let first = server.pay(Payment(), key: key, token: ending)
                try await bank.waitForInFlight(2)
                async let waiters = concurrently(6) { _ in
                    try server.exchange(Self.waiting(Payment(), key, server.token))
                }
                try await bank.catchUp()
                monotonic.step(milliseconds: 8000)
                try lock.releaseWriteLock()
                #expect(try await other.status == 201)
                expectProblem(
                    try await first, 401, "token_expired", retry: "authenticate")
                let answers = try await waiters
                for answer in answers { #expect(answer.status == 201, "\(answer)") }
                let firsts = answers.filter { $0["Idempotent-Replayed"] == nil }
                #expect(firsts.count == 1)
                for answer in answers where answer["Idempotent-Replayed"] != nil {
                    expectReplay(answer, of: firsts[0])
                }
                #expect(try bank.balance(IBANs.alice) == 990_000)
            }
        }

        @Test(
            "when the time is over, who waits is told 409, and its wait is said to have been applied"
        )
        func timeLimit() async throws {
            let monotonic = SteppingClock()
            var options = TestBank.Options()
            options.change = { parts, _ in
                parts.monotonic = monotonic
                parts.settings.commandWaitMilliseconds = 600_000
            }
            try await withBank(options) { bank in
                let server = bank.endpoint
                let lock = try bank.database()
                let key = newKey()
                try lock.takeWriteLock()
                async let first = server.pay(Payment(), key: key)
                try await bank.waitForInFlight(1)
                async let waiter = server.send(
                    Self.waiting(Payment(), key, server.token, seconds: 7))
                try await bank.catchUp()
                monotonic.step(milliseconds: 7000)
                let answer = try await waiter
                expectProblem(answer, 409, "in_flight", retry: "same-key")
                #expect(answer["Preference-Applied"] == "wait=7")
                #expect(answer["Retry-After"] == "1")
                try lock.releaseWriteLock()
                #expect(try await first.status == 201)
                let replay = try await server.send(Self.waiting(Payment(), key, server.token))
                #expect(replay["Idempotent-Replayed"] == "true")
                #expect(replay["Preference-Applied"] == "wait=25")
            }
        }

        private static func look(
            _ key: String, _ token: String, tag: String? = nil, seconds: Int? = nil
        ) -> HTTPRequest {
            HTTPRequest.byKey(key, token: token).with("If-None-Match", tag)
                .with("Prefer", seconds.map { "wait=\($0)" })
        }

        @Test("an unchanged state is 304 with its tag and no body; another tag gets the state")
        func tags() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let key = newKey()
                let payment = Payment().with { $0.amount = "99999.00" }
                #expect(try await server.pay(payment, key: key).status == 402)
                let found = try await server.byKey(key)
                let tag = try #require(found["ETag"])
                for match in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                    let same = try await server.send(Self.look(key, server.token, tag: match))
                    expectCommonFields(same)
                    #expect(same.status == 304)
                    #expect(same["ETag"] == tag)
                    #expect(same["Content-Type"] == nil)
                }
                let other = try await server.send(Self.look(key, server.token, tag: "\"x\""))
                #expect(other.status == 200)
                #expect(other.transferStatus == "rejected")
                // Another state than the one that is named is there already: nothing to wait for.
                let waited = try await server.send(
                    Self.look(key, server.token, tag: "\"x\"", seconds: 25))
                #expect(waited.status == 200)
                #expect(waited["Preference-Applied"] == "wait=25")
            }
        }

        @Test("without a tag, a look waits for the end of an attempt in flight")
        func inFlight() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let lock = try bank.database()
                let key = newKey()
                try lock.takeWriteLock()
                async let first = server.pay(Payment(), key: key)
                try await bank.waitForInFlight(1)
                let now = try await server.byKey(key)
                #expect(now.transferStatus == "in_flight")
                #expect(now["Retry-After"] == "1")
                #expect(now["ETag"] == nil)
                async let waiter = server.send(Self.look(key, server.token, seconds: 25))
                try await bank.catchUp()
                try lock.releaseWriteLock()
                let created = try await first
                let found = try await waiter
                #expect(found.status == 200)
                #expect(found.transferID == created.transferID)
                #expect(found["ETag"] != nil)
                #expect(found["Preference-Applied"] == "wait=25")
            }
        }

        @Test("a look with the state's tag waits until settlement changes it")
        func settlement() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                // Keeps settlement from moving the transfer on.
                try bank.addTrigger("hold", "UPDATE OF state", on: "transfers", when: "true")
                let key = newKey()
                let payment = Payment().with { $0.creditor = IBANs.bob }
                #expect(try await server.pay(payment, key: key).status == 201)
                let accepted = try await server.byKey(key)
                #expect(accepted.transferStatus == "accepted")
                let tag = try #require(accepted["ETag"])
                async let waiter = server.send(Self.look(key, server.token, tag: tag, seconds: 25))
                try await bank.catchUp()
                try bank.dropTrigger("hold", on: "transfers")
                let moved = try await waiter
                #expect(moved.status == 200, "\(moved)")
                #expect(moved["ETag"] != tag)
                #expect(moved["Preference-Applied"] == "wait=25")
                #expect(["submitted", "settled"].contains(moved.transferStatus ?? ""))
            }
        }

        @Test("a look that waits is answered when the server is about to stop")
        func drain() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let key = newKey()
                let payment = Payment().with { $0.amount = "99999.00" }
                #expect(try await server.pay(payment, key: key).status == 402)
                let tag = try #require(try await server.byKey(key)["ETag"])
                async let waiter = server.send(Self.look(key, server.token, tag: tag, seconds: 30))
                try await bank.catchUp()
                async let stopped: Void = bank.stop()
                let answer = try await waiter
                #expect(answer.status == 304)
                #expect(answer["Connection"] == "close")
                try await stopped
            }
        }

        @Test("a look that waits is refused at its end when its token has been revoked meanwhile")
        func revokedMeanwhile() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let key = newKey()
                let payment = Payment().with { $0.amount = "99999.00" }
                #expect(try await server.pay(payment, key: key).status == 402)
                let tag = try #require(try await server.byKey(key)["ETag"])
                async let waiter = server.send(Self.look(key, server.token, tag: tag, seconds: 30))
                try await bank.catchUp()
                try bank.revoke(1, "alice", atMicroseconds: 9_000_000_000_000_000)
                #expect(
                    try await eventually {
                        try server.exchange(.byKey(key, token: server.token)).code
                            == "token_revoked"
                    })
                // The end of the wait, whatever brings it.
                async let stopped: Void = bank.stop()
                let answer = try await waiter
                #expect(answer.status == 401)
                #expect(answer.code == "token_revoked")
                try await stopped
            }
        }

        @Test("a look whose time is over gets 304 for the state that it named")
        func lookTimeLimit() async throws {
            let monotonic = SteppingClock()
            var options = TestBank.Options()
            options.change = { parts, _ in parts.monotonic = monotonic }
            try await withBank(options) { bank in
                let server = bank.endpoint
                let key = newKey()
                let payment = Payment().with { $0.amount = "99999.00" }
                #expect(try await server.pay(payment, key: key).status == 402)
                let tag = try #require(try await server.byKey(key)["ETag"])
                async let waiter = server.send(Self.look(key, server.token, tag: tag, seconds: 9))
                try await bank.catchUp()
                monotonic.step(milliseconds: 9000)
                let answer = try await waiter
                #expect(answer.status == 304)
                #expect(answer["ETag"] == tag)
                #expect(answer["Preference-Applied"] == "wait=9")
            }
        }
    }
}
