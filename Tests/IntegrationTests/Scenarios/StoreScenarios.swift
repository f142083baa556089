import API
import Bank
import JSON
import Store
import TestSupport
import Testing

extension DatabaseTests.IntegrationTests {
    @Suite("Lost answers and failing stores")
    struct Stores {
        @Test("Scenario 8: an answer that is lost after the commit is found by key and replayed")
        func lostAnswer() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let key = newKey()
                let request = HTTPRequest.payment(Payment(), key: key, token: server.token)
                try await blocking {
                    let client = try HTTPClient(port: server.port)
                    client.send(request)
                    // Until it is committed the answer is not read; then never.
                    _ = try becomesTrue { try bank.count("outcomes") == 1 }
                    client.abort()
                }
                let found = try await server.byKey(key)
                #expect(found.transferStatus == "accepted")
                let again = try await server.send(request)
                #expect(again.status == 201)
                #expect(again["Idempotent-Replayed"] == "true")
                #expect(again.transferID == found.transferID)
                #expect(try bank.balance(IBANs.alice) == 995_000)
            }
        }

        @Test("Scenario 14: a whole request executes although its client has gone; a part does not")
        func goneClient() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let lock = try bank.database()
                let (whole, partial) = (newKey(), newKey())
                try lock.takeWriteLock()
                try await blocking {
                    let gone = try HTTPClient(port: server.port)
                    gone.send(.payment(Payment(), key: whole, token: server.token))
                    _ = becomesTrue { bank.bank.services.inFlight.count == 1 }
                    gone.abort()
                    let bytes = HTTPRequest.payment(
                        Payment(), key: partial, token: server.token
                    ).bytes
                    let cut = try HTTPClient(port: server.port)
                    cut.send(Array(bytes.dropLast()))
                    cut.abort()
                }
                // The attempt goes on without its client, so its key is still in flight.
                #expect(try await server.byKey(whole).transferStatus == "in_flight")
                #expect(try await server.pay(Payment(), key: whole).status == 409)
                try lock.releaseWriteLock()
                try await bank.waitForInFlight(0)
                #expect(try await server.byKey(whole).transferStatus == "accepted")
                #expect(try await server.byKey(partial).code == "key_unknown")
                #expect(try bank.balance(IBANs.alice) == 995_000)
                let again = try await server.pay(Payment(), key: whole)
                #expect(again["Idempotent-Replayed"] == "true")
            }
        }

        @Test(
            "Scenario 13: a client that a proxy cut off retries: 409 while it runs, then the replay"
        )
        func cutOff() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let key = newKey()
                let lock = try bank.database()
                try lock.takeWriteLock()
                let request = HTTPRequest.payment(Payment(), key: key, token: server.token)
                try await blocking {
                    let client = try HTTPClient(port: server.port)
                    client.send(request)
                    _ = becomesTrue { bank.bank.services.inFlight.count == 1 }
                    client.close()
                }
                for _ in 0..<3 {
                    let retry = try await server.send(request)
                    expectProblem(retry, 409, "in_flight", retry: "same-key")
                }
                try lock.releaseWriteLock()
                try await bank.waitForInFlight(0)
                let replay = try await server.send(request)
                #expect(replay.status == 201)
                #expect(replay["Idempotent-Replayed"] == "true")
                #expect(try bank.count("transfers") == 1)
            }
        }

        @Test(
            "Scenario 9: a store that fails gives 503 with a spread Retry-After and executes nothing"
        )
        func storeFails() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let key = newKey()
                let database = try bank.database()
                try database.execute("ALTER TABLE outcomes RENAME TO hidden")
                var seconds: Set<Int> = []
                for _ in 0..<40 {
                    let answer = try await server.pay(Payment(), key: key)
                    expectProblem(answer, 503, "store_unavailable", retry: "same-key")
                    seconds.insert(try #require(Int(answer["Retry-After"] ?? "")))
                    let read = try await server.byKey(key)
                    expectProblem(read, 503, "store_unavailable", retry: "same-key")
                }
                #expect(seconds.isSubset(of: 1...5))
                #expect(seconds.count > 1)
                #expect(try bank.balance(IBANs.alice) == 1_000_000)
                try database.execute("ALTER TABLE hidden RENAME TO outcomes")
                #expect(try await server.byKey(key).code == "key_unknown")
                let answer = try await server.pay(Payment(), key: key)
                #expect(answer.status == 201)
                #expect(answer["Idempotent-Replayed"] == nil)
                #expect(try bank.balance(IBANs.alice) == 995_000)
            }
        }

        @Test(
            "Scenarios 9 and 38: a locked store gives 503, is never a refusal, and comes back alone"
        )
        func lockedStore() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let keys = (0..<4).map { _ in newKey() }
                let executed = try await server.pay(Payment(), key: keys[0])
                let lock = try bank.database()
                try lock.takeWriteLock()
                let answers = try await concurrently(3) { index in
                    try server.exchange(
                        .payment(Payment(), key: keys[index + 1], token: server.token))
                }
                for answer in answers {
                    expectProblem(answer, 503, "store_unavailable", retry: "same-key")
                    #expect((1...5).contains(Int(answer["Retry-After"] ?? "") ?? 0))
                }
                // What is known is still told, and reads never wait for the lock.
                expectReplay(try await server.pay(Payment(), key: keys[0]), of: executed)
                #expect(try await server.byKey(keys[0]).transferStatus == "accepted")
                #expect(try await server.byKey(keys[1]).code == "key_unknown")
                try lock.releaseWriteLock()
                for key in keys.dropFirst() {
                    let answer = try await server.pay(Payment(), key: key)
                    #expect(answer.status == 201)
                    #expect(answer["Idempotent-Replayed"] == nil)
                }
                #expect(try bank.count("outcomes") == 4)
            }
        }

        @Test("Scenario 11: a full queue gives 503 overloaded, and the retry executes")
        func full() async throws {
            var options = TestBank.Options()
            options.change = { parts, _ in parts.commitLimits.waitingCommands = 1 }
            try await withBank(options) { bank in
                let server = bank.endpoint
                let keys = (0..<3).map { _ in newKey() }
                let lock = try bank.database()
                try lock.takeWriteLock()
                async let first = server.pay(Payment(), key: keys[0])
                // The commit thread has taken it and waits for the lock.
                try await bank.waitForInFlight(1)
                try await bank.waitForQueue(0)
                async let second = server.pay(Payment(), key: keys[1])
                try await bank.waitForQueue(1)
                let refused = try await server.pay(Payment(), key: keys[2])
                expectProblem(refused, 503, "overloaded", retry: "same-key")
                #expect((1...5).contains(Int(refused["Retry-After"] ?? "") ?? 0))
                #expect(try await server.byKey(keys[2]).code == "key_unknown")
                try lock.releaseWriteLock()
                #expect(try await first.status == 201)
                #expect(try await second.status == 201)
                let retry = try await server.pay(Payment(), key: keys[2])
                #expect(retry.status == 201)
                #expect(retry["Idempotent-Replayed"] == nil)
            }
        }

        @Test("Scenario 11: a command that waited too long is not started, and the retry executes")
        func late() async throws {
            let clock = SteppingClock()
            var options = TestBank.Options()
            options.change = { parts, _ in parts.monotonic = clock }
            try await withBank(options) { bank in
                let server = bank.endpoint
                let keys = [newKey(), newKey()]
                let lock = try bank.database()
                try lock.takeWriteLock()
                async let first = server.pay(Payment(), key: keys[0])
                try await bank.waitForInFlight(1)
                try await bank.waitForQueue(0)
                async let second = server.pay(Payment(), key: keys[1])
                try await bank.waitForQueue(1)
                clock.step(milliseconds: 11_000)
                try lock.releaseWriteLock()
                #expect(try await first.status == 201)
                expectProblem(try await second, 503, "overloaded", retry: "same-key")
                #expect(try bank.count("outcomes") == 1)
                let retry = try await server.pay(Payment(), key: keys[1])
                #expect(retry.status == 201)
                #expect(retry["Idempotent-Replayed"] == nil)
            }
        }

        @Test("A command that the ledger's constraints refuse gets 500; those beside it execute")
        func poisoned() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let database = try bank.database()
                try bank.addTrigger(
                    "poison", "INSERT", on: "transfers", when: "NEW.creditor_name = 'Poison'")
                try database.takeWriteLock()
                let keys = (0..<8).map { _ in newKey() }
                async let answers = concurrently(8) { index in
                    let name = index == 3 ? "Poison" : "Marie Curie"
                    return try server.exchange(
                        .payment(Payment(name: name), key: keys[index], token: server.token))
                }
                try await bank.waitForInFlight(8)
                try database.releaseWriteLock()
                for (index, answer) in try await answers.enumerated() {
                    guard index == 3 else {
                        #expect(answer.status == 201)
                        continue
                    }
                    expectProblem(answer, 500, "internal", retry: "same-key")
                    #expect(!answer.text.contains("poison"))
                }
                try bank.dropTrigger("poison", on: "transfers")
                #expect(
                    try await server.pay(Payment(name: "Poison"), key: keys[3]).status == 201)
            }
        }
    }
}
