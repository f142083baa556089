import API
import Bank
import Foundation
import Ledger
import Platform
import Store
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests.IntegrationTests {
    @Suite("Crowds")
    struct Crowds {
        private static let clients = 100

        @Test("Scenario 5: while a hundred wait for one slow key, others are served as usual")
        func slowKey() async throws {
            var options = TestBank.Options()
            options.change = { parts, _ in parts.lockWaitMilliseconds = 120_000 }
            try await withBank(options, on: [.sqlite]) { bank in
                let server = bank.endpoint
                let bob = bank.token("bob")
                let (known, paid) = (newKey(), Payment(debtor: IBANs.bob, amount: "1.00"))
                let before = try await server.pay(paid, key: known, token: bob)
                let lock = try bank.database()
                try lock.takeWriteLock()
                let key = newKey()
                async let first = server.pay(Payment(), key: key)
                try await bank.waitForInFlight(1)
                try await bank.waitForQueue(0)
                let crowd = try await blocking {
                    try (0..<Self.clients).map { _ in
                        let client = try HTTPClient(port: server.port)
                        client.send(
                            .payment(Payment(), key: key, token: server.token)
                                .with("Prefer", "wait=30"))
                        return client
                    }
                }
                try await bank.catchUp()
                // Nobody of the crowd holds a thread that reads, or a place in the queue.
                for _ in 0..<20 {
                    for target in [
                        "/api/accounts", "/api/transfers", "/api/transfers/by-key/\(known)",
                    ] {
                        #expect(try await server.get(target, token: bob).status == 200)
                    }
                    expectReplay(try await server.pay(paid, key: known, token: bob), of: before)
                    let reused = Payment(debtor: IBANs.bob, amount: "2.00")
                    #expect(try await server.pay(reused, key: known, token: bob).status == 422)
                }
                async let write = server.pay(paid, key: newKey(), token: bob)
                try await bank.waitForQueue(1)
                #expect(try await server.byKey(key).transferStatus == "in_flight")
                let batches = try await bank.metric("transferd_commit_batches_total")
                try lock.releaseWriteLock()
                let created = try await first
                #expect(created.status == 201)
                #expect(try await write.status == 201)
                let answers = try await blocking { try crowd.map { try $0.receive() } }
                for answer in answers { expectReplay(answer, of: created) }
                // The slow one, and the other customer's right behind it.
                #expect(
                    try await bank.metric("transferd_commit_batches_total") == batches + 2)
                #expect(try bank.balance(IBANs.alice) == 995_000)
                #expect(try bank.balance(IBANs.bob) == 250_000 - 200)
            }
        }

        /// What it took to commit one payment of each of many clients that came at once.
        private struct Burst {
            var statuses: Set<Int> = []
            var batches = 0.0
            var logBytes: Int64 = 0
            /// The clients' keys as they came, and as they were committed.
            var came: [String] = []
            var committed: [String] = []
        }

        private static let burst = 200
        private static let batchCommands = 64

        private static func account(_ index: Int) -> TestAccount {
            TestAccount(customer: "client-\(index)", iban: IBANs.german(index))
        }

        /// Makes the clients queue up behind a commit that is held, one after the other, each paying
        /// 1.00 from `debtor(index)`; then lets them go.
        private static func burst(from debtor: @escaping @Sendable (Int) -> Int) async throws
            -> Burst
        {
            var options = TestBank.Options()
            options.accounts = TestAccount.usual + (0..<burst).map(account)
            options.change = { parts, _ in
                parts.lockWaitMilliseconds = 120_000
                parts.commitLimits.batchCommands = batchCommands
            }
            let result = Guarded(Burst())
            try await withBank(options, on: [.sqlite]) { bank in
                let server = bank.endpoint
                let lock = try bank.database()
                try lock.takeWriteLock()
                async let holder = server.pay(key: newKey())
                try await bank.waitForInFlight(1)
                try await bank.waitForQueue(0)
                let batches = try await bank.metric("transferd_commit_batches_total")
                let logBytes = try bank.logBytes()
                let keys = (0..<burst).map { _ in newKey() }
                let tokens = (0..<burst).map { bank.token(account(debtor($0)).customer) }
                let clients = try await blocking {
                    try keys.indices.map { index in
                        let client = try HTTPClient(port: server.port)
                        let payment = Payment(debtor: account(debtor(index)).iban, amount: "1.00")
                        client.send(.payment(payment, key: keys[index], token: tokens[index]))
                        let commits = bank.bank.services.commits
                        guard becomesTrue({ commits.depth == index + 1 }) else {
                            throw HTTPClient.Failure.timedOut
                        }
                        return client
                    }
                }
                try lock.releaseWriteLock()
                #expect(try await holder.status == 201)
                let answers = try await blocking { try clients.map { try $0.receive() } }
                let after = try await bank.metric("transferd_commit_batches_total")
                let committed = try bank.database().rows(
                    """
                    SELECT lower(hex(idempotency_key)) FROM outcomes WHERE customer_id <> 'alice'
                    ORDER BY outcome_id
                    """)
                let grown = try bank.logBytes() - logBytes
                for index in Set(keys.indices.map(debtor)) {
                    let paid = keys.indices.filter { debtor($0) == index }.count
                    #expect(try bank.balance(account(index).iban) == 1_000_000 - Int64(paid) * 100)
                }
                result.withLock {
                    $0 = Burst(
                        statuses: Set(answers.map(\.status)), batches: after - batches,
                        logBytes: grown, came: keys.map { $0.replacing("-", with: "") },
                        committed: committed.map { $0[0] })
                }
            }
            return result.withLock { $0 }
        }

        @Test(
            "Scenario 39: 200 clients of one hot account are served in their order, in no more commits than those of 200 accounts"
        )
        func hotAccount() async throws {
            let hot = try await Self.burst { _ in 0 }
            let spread = try await Self.burst { $0 }
            for burst in [hot, spread] {
                #expect(burst.statuses == [201])
                // Whoever came first is committed first: a client waits for as many commits as those
                // before it fill, and one more.
                #expect(burst.committed == burst.came)
                let full = (Self.burst + Self.batchCommands - 1) / Self.batchCommands
                #expect(burst.batches == Double(1 + full))
            }
            // What a commit costs is what it writes.
            #expect(hot.logBytes <= spread.logBytes)
        }

        @Test("Scenario 39: 200 clients that pay from one account again and again all get through")
        func hotAccountForLong() async throws {
            let rounds = 5
            try await withBank { bank in
                let server = bank.endpoint
                let answers = try await concurrently(200) { _ in
                    let client = try HTTPClient(port: server.port)
                    return try (0..<rounds).map { _ in
                        try client.exchange(
                            .payment(Payment(amount: "0.01"), key: newKey(), token: server.token)
                        ).status
                    }
                }
                #expect(answers.allSatisfy { $0 == Array(repeating: 201, count: rounds) })
                #expect(try bank.balance(IBANs.alice) == 1_000_000 - Int64(200 * rounds))
                #expect(try bank.count("transfers") == Int64(200 * rounds))
            }
        }
    }
}

extension TestBank {
    /// The sum over all threads of a metric without labels.
    fileprivate func metric(_ name: String) async throws -> Double {
        let answer = try await operations.send(HTTPRequest("GET", "/metrics"))
        return try #require(try PrometheusText(answer.text).samples[name])
    }

    /// The size of SQLite's write-ahead log.
    fileprivate func logBytes() throws -> Int64 {
        let attributes = try FileManager.default.attributesOfItem(
            atPath: folder.file("bank.db-wal"))
        return try #require(attributes[.size] as? Int64)
    }
}
