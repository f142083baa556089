import JSON
import Ledger
import Platform
import TestSupport
import Testing

extension DatabaseTests.IntegrationTests {
    @Suite("Races")
    struct Races {
        /// A bank and other servers on its file, as other processes would be.
        private static func withServers(
            _ count: Int, _ options: TestBank.Options = TestBank.Options(),
            _ body: @Sendable ([TestBank]) async throws -> Void
        ) async throws {
            try await withBank(options) { bank in
                let others = try await blocking {
                    try (1..<count).map { _ in try TestBank(options, beside: bank) }
                }
                do {
                    try await body([bank] + others)
                } catch {
                    for other in others { try await other.stop() }
                    throw error
                }
                for other in others { try await other.stop() }
            }
        }

        @Test(
            "Scenario 1: 50 clients with one new key on one or two servers debit once",
            arguments: [1, 2])
        func oneKey(servers count: Int) async throws {
            try await Self.withServers(count) { banks in
                for _ in 0..<5 {
                    let key = newKey()
                    let before = try banks[0].balance(IBANs.alice)
                    let answers = try await concurrently(50) { index in
                        let server = banks[index % count].endpoint
                        return try server.exchange(
                            .payment(Payment(), key: key, token: server.token))
                    }
                    #expect(try banks[0].balance(IBANs.alice) == before - 5000)
                    let firsts = answers.filter {
                        $0.status == 201 && $0["Idempotent-Replayed"] == nil
                    }
                    try #require(firsts.count == 1)
                    for answer in answers where answer["Idempotent-Replayed"] != nil {
                        expectReplay(answer, of: firsts[0])
                    }
                    for answer in answers where answer.status != 201 {
                        expectProblem(answer, 409, "in_flight", retry: "same-key")
                        #expect(answer["Retry-After"] == "1")
                    }
                    for bank in banks {
                        expectReplay(
                            try await bank.endpoint.pay(Payment(), key: key), of: firsts[0])
                    }
                }
            }
        }

        @Test("Scenario 2: one key with two bodies at once moves one amount; the other gets 422")
        func twoBodies() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let lock = try bank.database()
                let key = newKey()
                try lock.takeWriteLock()
                async let first = server.pay(Payment(), key: key)
                try await bank.waitForInFlight(1)
                let other = try await server.pay(
                    Payment().with {
                        $0.amount = "50.01"
                        $0.name = "Marie Curia"
                    }, key: key)
                expectProblem(
                    other, 422, "idempotency_key_reused", retry: "no",
                    more: ["differs", "firstReceivedAt"])
                #expect(other.differs == ["/instructedAmount/amount", "/creditorName"])
                #expect(other.json?["firstReceivedAt"]?.string == "2026-11-30T14:02:12.345Z")
                // Content that breaks a rule of today is other content first.
                let broken = try await server.pay(Payment().with { $0.amount = "1.234" }, key: key)
                #expect(broken.code == "idempotency_key_reused")
                let same = try await server.pay(Payment(), key: key)
                expectProblem(same, 409, "in_flight", retry: "same-key")
                #expect(same["Retry-After"] == "1")
                try lock.releaseWriteLock()
                let created = try await first
                #expect(created.status == 201)
                #expect(try bank.balance(IBANs.alice) == 995_000)
                let late = try await server.pay(Payment().with { $0.amount = "50.01" }, key: key)
                expectProblem(
                    late, 422, "idempotency_key_reused", retry: "no",
                    more: ["differs", "transferId", "firstReceivedAt"])
                #expect(late.transferID == created.transferID)
            }
        }

        @Test("Scenario 2: while a reuse of its key runs, the owner of an outcome gets its replay")
        func ownerDuringReuse() async throws {
            try await withBank { bank in
                let key = newKey()
                let first = try await bank.endpoint.pay(Payment(), key: key)
                // A server that has to ask the store, as after a restart.
                let beside = try await blocking { try TestBank(beside: bank) }
                let lock = try bank.database()
                try lock.takeWriteLock()
                async let reuse = beside.endpoint.pay(Payment(amount: "50.01"), key: key)
                try await beside.waitForInFlight(1)
                let owner = try await beside.endpoint.pay(Payment(), key: key)
                expectReplay(owner, of: first)
                let third = try await beside.endpoint.pay(Payment(amount: "50.02"), key: key)
                #expect(third.code == "idempotency_key_reused")
                #expect(third.transferID == first.transferID)
                try lock.releaseWriteLock()
                #expect(try await reuse.status == 422)
                expectReplay(try await beside.endpoint.pay(Payment(), key: key), of: first)
                try await beside.stop()
            }
        }

        @Test("Scenario 2: across two servers one of two bodies moves, the other never does")
        func twoBodiesTwoServers() async throws {
            try await Self.withServers(2) { banks in
                for _ in 0..<20 {
                    let key = newKey()
                    let before = try banks[0].balance(IBANs.alice)
                    let answers = try await concurrently(2) { index in
                        let server = banks[index].endpoint
                        let payment = Payment(amount: index == 0 ? "1.00" : "2.00")
                        let request = HTTPRequest.payment(payment, key: key, token: server.token)
                        // Another process may say no more than that the key is in flight.
                        while true {
                            let answer = try server.exchange(request)
                            if answer.status != 409 { return answer }
                        }
                    }
                    #expect(answers.map(\.status).sorted() == [201, 422])
                    let moved = before - (try banks[0].balance(IBANs.alice))
                    #expect(moved == (answers[0].status == 201 ? 100 : 200))
                    let refused = answers.first { $0.status == 422 }
                    #expect(refused?.differs == ["/instructedAmount/amount"])
                }
            }
        }

        @Test("Scenario 3: the twin of a payment of all the money is never told of missing funds")
        func allTheMoney() async throws {
            var options = TestBank.Options()
            options.accounts = TestAccount.alone(10_000)
            try await Self.withServers(2, options) { banks in
                let key = newKey()
                let payment = Payment(amount: "100.00")
                let answers = try await concurrently(16) { index in
                    let server = banks[index % 2].endpoint
                    return try server.exchange(.payment(payment, key: key, token: server.token))
                }
                #expect(answers.allSatisfy { $0.status == 201 || $0.status == 409 })
                #expect(Set(answers.filter { $0.status == 201 }.map(\.body)).count == 1)
                #expect(try banks[0].balance(IBANs.alice) == 0)
            }
        }

        @Test("Scenario 4: keys that three servers race for give one answer each and never a 5xx")
        func lastMoment() async throws {
            try await Self.withServers(3) { banks in
                let keys = (0..<40).map { _ in newKey() }
                let answers = try await concurrently(12) { index in
                    let server = banks[index % 3].endpoint
                    let client = try HTTPClient(port: server.port)
                    return try keys.map { key in
                        try client.exchange(
                            .payment(Payment(amount: "1.00"), key: key, token: server.token))
                    }
                }
                for (index, _) in keys.enumerated() {
                    let all = answers.map { $0[index] }
                    #expect(all.allSatisfy { $0.status == 201 || $0.status == 409 })
                    let executed = all.filter { $0.status == 201 }
                    #expect(Set(executed.map(\.body)).count == 1)
                    #expect(executed.filter { $0["Idempotent-Replayed"] == nil }.count == 1)
                }
                #expect(try banks[0].balance(IBANs.alice) == 1_000_000 - 4000)
            }
        }

        @Test("Scenario 35: of two payments that the money covers once, one is refused for ever")
        func twoKeys() async throws {
            var options = TestBank.Options()
            options.accounts = TestAccount.alone(10_000)
            try await Self.withServers(2, options) { banks in
                let keys = [newKey(), newKey()]
                let payment = Payment(amount: "80.00")
                let answers = try await concurrently(2) { index in
                    let server = banks[index].endpoint
                    return try server.exchange(
                        .payment(payment, key: keys[index], token: server.token))
                }
                #expect(answers.map(\.status).sorted() == [201, 402])
                let refused = try #require(answers.firstIndex { $0.status == 402 })
                #expect(answers[refused].code == "insufficient_funds")
                #expect(answers[refused].json?["balance"]?["amount"]?.string == "20.00")
                #expect(try banks[0].balance(IBANs.alice) == 2000)
                for bank in banks {
                    expectReplay(
                        try await bank.endpoint.pay(payment, key: keys[refused]),
                        of: answers[refused])
                }
            }
        }

        @Test(
            "Scenario 36: ten payments at once stay within the daily limit; refusals do not count")
        func dailyLimit() async throws {
            var options = TestBank.Options()
            options.accounts = TestAccount.alone(1_000_000, dailyLimit: 10_000)
            try await Self.withServers(2, options) { banks in
                let keys = (0..<10).map { _ in newKey() }
                let payment = Payment(amount: "30.00")
                for round in 0..<2 {
                    let answers = try await concurrently(10) { index in
                        let server = banks[index % 2].endpoint
                        return try server.exchange(
                            .payment(payment, key: keys[index], token: server.token))
                    }
                    #expect(answers.filter { $0.status == 201 }.count == 3)
                    #expect(answers.filter { $0.code == "daily_limit_exceeded" }.count == 7)
                    #expect(
                        answers.filter { $0["Idempotent-Replayed"] != nil }.count
                            == (round == 0 ? 0 : 10))
                }
                #expect(try banks[0].balance(IBANs.alice) == 991_000)
                let rest = try await banks[0].endpoint.pay(
                    Payment(amount: "10.00"), key: newKey())
                #expect(rest.status == 201)
            }
        }

        @Test("Scenario 39b: two servers on both sides of midnight keep one daily limit")
        func midnight() async throws {
            var options = TestBank.Options()
            options.accounts = TestAccount.alone(1_000_000, dailyLimit: 10_000)
            // 23:55 in Berlin, and ten minutes later.
            options.clock = TestClock("2026-11-30T22:55:00Z")
            let before = options
            try await withBank(before) { bank in
                var after = before
                after.clock = TestClock("2026-11-30T23:05:00Z")
                let beside = try await blocking { [after] in try TestBank(after, beside: bank) }
                let payment = Payment(amount: "60.00")
                #expect(try await bank.endpoint.pay(payment, key: newKey()).status == 201)
                #expect(
                    try await bank.endpoint.pay(payment, key: newKey()).code
                        == "daily_limit_exceeded")
                // The next day has begun, for this account on both servers.
                #expect(try await beside.endpoint.pay(payment, key: newKey()).status == 201)
                for server in [bank, beside] {
                    #expect(
                        try await server.endpoint.pay(payment, key: newKey()).code
                            == "daily_limit_exceeded")
                }
                // What the slow server lets through counts for the day that has begun.
                let rest = Payment(amount: "30.00")
                #expect(try await bank.endpoint.pay(rest, key: newKey()).status == 201)
                for server in [bank, beside] {
                    #expect(
                        try await server.endpoint.pay(rest, key: newKey()).code
                            == "daily_limit_exceeded")
                }
                #expect(try bank.balance(IBANs.alice) == 1_000_000 - 15_000)
                try await beside.stop()
            }
        }

        @Test("Scenario 40: a freeze that races payments is honoured from the next attempt on")
        func freeze() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let frozen = Guarded(false)
                async let statuses = concurrently(8) { _ in
                    let client = try HTTPClient(port: server.port)
                    var answers: [(afterFreeze: Bool, answer: HTTPAnswer)] = []
                    repeat {
                        let afterFreeze = frozen.withLock { $0 }
                        let answer = try client.exchange(
                            .payment(Payment(amount: "0.01"), key: newKey(), token: server.token))
                        answers.append((afterFreeze, answer))
                    } while answers.last?.afterFreeze == false && answers.count < 100_000
                    return answers
                }
                #expect(try await eventually { try bank.count("transfers") > 20 })
                try await bank.setStatus(.frozen, of: IBANs.alice)
                frozen.withLock { $0 = true }
                let all = try await statuses.flatMap { $0 }
                #expect(all.contains { $0.answer.status == 201 })
                for (afterFreeze, answer) in all {
                    #expect(answer.status == 201 || answer.code == "account_frozen")
                    if afterFreeze { #expect(answer.status == 402) }
                }
                let executed = all.filter { $0.answer.status == 201 }.count
                #expect(try bank.balance(IBANs.alice) == 1_000_000 - Int64(executed))
                try await bank.setStatus(.active, of: IBANs.alice)
                #expect(try await server.pay(key: newKey()).status == 201)
            }
        }

        @Test("Scenario 34: opposite transfers, 200 at once, all execute and money is conserved")
        func opposite() async throws {
            try await Self.withServers(2) { banks in
                let answers = try await concurrently(200) { index in
                    let bank = banks[index / 2 % 2]
                    let (debtor, creditor) =
                        index % 2 == 0 ? (IBANs.alice, IBANs.bob) : (IBANs.bob, IBANs.alice)
                    return try bank.endpoint.exchange(
                        .payment(
                            Payment(debtor: debtor, creditor: creditor, amount: "1.00"),
                            key: newKey(), token: bank.token(index % 2 == 0 ? "alice" : "bob")))
                }
                #expect(answers.allSatisfy { $0.status == 201 })
                #expect(
                    try await eventually { try banks[0].count("outbox") == 0 },
                    "every booking ends")
                #expect(try banks[0].balance(IBANs.alice) == 1_000_000)
                #expect(try banks[0].balance(IBANs.bob) == 250_000)
                #expect(try banks[0].count("transfers", where: "state = 4") == 200)
            }
        }

        @Test("Scenario 41: two keys with one body are two payments")
        func tappedTwice() async throws {
            try await withEndpoint { server in
                let first = try await server.pay(key: newKey())
                let second = try await server.pay(key: newKey())
                #expect(first.status == 201)
                #expect(second.status == 201)
                #expect(first.transferID != second.transferID)
            }
        }
    }
}
