import Ledger
import Platform
import Store
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests {
    @Suite("Store contract: races and failures")
    struct ContractRaceTests {
        /// Commits each command on a writer of its own thread and process, all at once. One that is
        /// told that another process is at it tries again, as a client does.
        private func race(
            _ bank: ContractBank, _ commands: [[Command]], round: Int = 0
        ) throws -> [Result<[CommandResult], StoreError>] {
            let start = Gate()
            let under = bank.under
            let threads = try commands.enumerated().map { index, commands in
                let store = try under.another(
                    seed: UInt64(100 + round * 100 + index), clock: under.clock,
                    renderer: EchoRenderer())
                return OnThread { () -> Result<[CommandResult], StoreError> in
                    do throws(StoreError) {
                        let writer = try store.makeWriter()
                        start.wait()
                        var results: [CommandResult] = []
                        for command in commands {
                            repeat {
                                results += try writer.commit([command])
                            } while results.last?.isDoneElsewhere == true
                                && results.popLast() != nil
                        }
                        return .success(results)
                    } catch { return .failure(error) }
                }
            }
            start.open()
            return threads.map { $0.value() }
        }

        @Test(
            "Many processes race one key: one execution, the same bytes for all (Scenario 1)",
            arguments: StoreKind.all)
        func oneKey(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 0)
            for number in 1...10 {
                let results = try race(
                    bank,
                    (0..<6).map { [pay(1, number, "1.00", requestID: "request-\($0)")] },
                    round: number
                ).map { try $0.get()[0] }
                #expect(results.filter { $0.isReplay == false }.count == 1)
                #expect(results.filter { $0.isReplay == true }.count == 5)
                #expect(Set(results.map(\.body)).count == 1)
            }
            #expect(try bank.balance(1) == 9000)
            try bank.expectSound()
        }

        @Test(
            "Two contents race one key: exactly one amount moves (Scenario 2)",
            arguments: StoreKind.all)
        func twoContents(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 0)
            let results = try race(bank, [[pay(1, 1, "1.00")], [pay(1, 1, "2.00")]])
                .map { try $0.get()[0] }
            #expect(results.filter { $0.isReplay == false }.count == 1)
            #expect(results.compactMap(\.differs) == [[.amount]])
            #expect(try [9900, 9800].contains(bank.balance(1)))
            try bank.expectSound()
        }

        @Test(
            "The twin of a payment that takes the last money learns of its success (Scenario 3)",
            arguments: StoreKind.all)
        func lastMoney(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 0)
            let results = try race(bank, [[pay(1, 1, "100.00")], [pay(1, 1, "100.00")]])
                .map { try $0.get()[0] }
            #expect(results.map { $0.outcome?.statusCode } == [201, 201])
            try bank.expectSound()
        }

        @Test(
            "Payments race one balance and one daily limit: neither is exceeded (Scenarios 35, 36)",
            arguments: StoreKind.all)
        func oneBalance(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            _ = try bank.commit(
                open(1, of: 1, euros(cents: 10_000)),
                open(2, of: 2, euros(cents: 100_000), daily: 10_000))
            let results = try race(
                bank,
                (0..<5).map { thread in
                    (0..<4).flatMap { step in
                        [
                            pay(1, thread * 10 + step + 1, "30.00", to: 900),
                            pay(2, thread * 10 + step + 1, "30.00", to: 900),
                        ]
                    }
                }
            ).flatMap { try $0.get() }
            let codes = results.compactMap { $0.outcome?.statusCode }
            #expect(codes.filter { $0 == 201 }.count == 6)
            #expect(codes.filter { $0 == 402 }.count == 34)
            #expect(try bank.balance(1) == 1000)
            #expect(try bank.reader.account(account(2), of: customer(2))?.usedToday == 9000)
            try bank.expectSound()
        }

        @Test(
            "Opposite payments race: nobody is deadlocked and no money is lost (Scenario 34)",
            arguments: StoreKind.all)
        func opposite(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(100_000, 100_000)
            let results = try race(
                bank,
                (0..<4).map { thread in
                    (0..<25).map { step in
                        pay(thread % 2 + 1, thread * 100 + step + 1, "1.00", to: 2 - thread % 2)
                    }
                }
            ).flatMap { try $0.get() }
            #expect(results.allSatisfy { $0.outcome?.statusCode == 201 })
            #expect(try bank.settle().count == 100)
            #expect(try bank.balance(1) == 100_000)
            #expect(try bank.balance(2) == 100_000)
            try bank.expectSound()
        }

        @Test(
            "While another process holds the lock nothing is decided (Scenario 9)",
            arguments: StoreKind.all)
        func held(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 0)
            let writer = try bank.under.impatient().makeWriter()
            let before = try bank.under.dump()
            let lock = try bank.under.holdLock()
            let answer: Result<[CommandResult], StoreError>
            do throws(StoreError) {
                answer = .success(try writer.commit([pay(1, 1, "1.00")]))
            } catch { answer = .failure(error) }
            switch answer {
            case .failure(.unavailable): break
            case .success(let results) where results.first?.isDoneElsewhere == true: break
            default: Issue.record("not told to try again: \(answer)")
            }
            // Readers do not wait for it.
            #expect(try bank.balance(1) == 10_000)
            try lock.release()
            #expect(try bank.under.dump() == before)
            #expect(try writer.commit([pay(1, 1, "1.00")]).first?.isReplay == false)
            try bank.expectSound()
        }

        /// Renders a status that the schema refuses, for one key.
        private struct PoisonedRenderer: OutcomeRenderer {
            let key: IdempotencyKey

            func render(
                _ decision: StorableDecision, of intent: IntentID, requestID: String,
                at now: Instant
            ) -> RenderedOutcome {
                let rendered = EchoRenderer().render(
                    decision, of: intent, requestID: requestID, at: now)
                guard intent.key == key else { return rendered }
                return RenderedOutcome(
                    statusCode: 999, contentType: rendered.contentType, body: rendered.body)
            }
        }

        @Test(
            "A row that the schema refuses undoes the whole batch, and the writer goes on",
            arguments: StoreKind.all)
        func poisoned(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 0)
            let before = try bank.under.dump()
            let writer = try bank.under.another(
                seed: 5, clock: bank.under.clock, renderer: PoisonedRenderer(key: key(2))
            ).makeWriter()
            let error = #expect(throws: StoreError.self) {
                try writer.commit([pay(1, 1, "1.00"), pay(1, 2, "1.00"), pay(1, 3, "1.00")])
            }
            guard case .constraint? = error else {
                Issue.record("no constraint: \(String(describing: error))")
                return
            }
            #expect(try bank.under.dump() == before)
            let results = try writer.commit([pay(1, 1, "1.00"), pay(1, 3, "1.00")])
            #expect(results.map(\.isReplay) == [false, false])
            try bank.expectSound()
        }

        /// Looks at the store from outside while a transaction is under way.
        private final class PeepingRenderer: OutcomeRenderer {
            let peep: @Sendable () -> Void
            init(_ peep: @escaping @Sendable () -> Void) { self.peep = peep }

            func render(
                _ decision: StorableDecision, of intent: IntentID, requestID: String,
                at now: Instant
            ) -> RenderedOutcome {
                peep()
                return EchoRenderer().render(
                    decision, of: intent, requestID: requestID, at: now)
            }
        }

        @Test(
            "Nothing of a transaction can be seen before its commit, and readers do not wait",
            arguments: StoreKind.all)
        func isolated(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 0)
            let seen = Guarded<[String]>([])
            let store = bank.under.store
            let id = IntentID(customer: customer(1), key: key(1))
            let peeping = PeepingRenderer {
                let found = OnThread { () -> String in
                    do {
                        let reader = try store.makeReader()
                        let balance = try reader.account(account(1), of: customer(1))?.balance
                        return "\(balance ?? -1) \(try reader.transfer(of: id) == nil)"
                    } catch { return "\(error)" }
                }
                seen.withLock { $0.append(found.value()) }
            }
            let writer = try bank.under.another(
                seed: 5, clock: bank.under.clock, renderer: peeping
            ).makeWriter()
            _ = try writer.commit([pay(1, 1, "1.00")])
            #expect(seen.withLock { $0 } == ["10000 true"])
            #expect(try bank.balance(1) == 9900)
            #expect(try bank.reader.transfer(of: id) != nil)
        }
    }
}
