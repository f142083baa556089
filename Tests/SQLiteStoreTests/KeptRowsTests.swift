import Ledger
import Platform
import Store
import StoreTestSupport
import TestSupport
import Testing

@testable import SQLiteStore

extension DatabaseTests {
    @Suite("Rows kept from one batch to the next")
    struct KeptRowsTests {
        private func pay(_ number: Int, to creditor: Int = 2) -> Command {
            .transfer(
                transfer(
                    customer(1), key(number), intent(from: iban(1), to: iban(creditor), "1.00")))
        }

        private func verdicts(_ results: [CommandResult]) -> [OutcomeKind?] {
            results.map { if case .outcome(let outcome, false) = $0 { outcome.kind } else { nil } }
        }

        @Test(
            "A commit of another connection is seen by the next batch",
            arguments: [
                "UPDATE accounts SET status = 1 WHERE iban = '\(iban(1).text)'",
                "UPDATE accounts SET balance = 99 WHERE iban = '\(iban(1).text)'",
                "UPDATE accounts SET per_transfer_limit = 99 WHERE iban = '\(iban(1).text)'",
                "UPDATE customers SET restricted = 1 WHERE customer_id = '\(customer(1).text)'",
                "INSERT INTO blocked_beneficiaries VALUES ('\(iban(2).text)', 0)",
                "DELETE FROM account_ibans WHERE iban = '\(iban(1).text)'",
            ])
        func seen(change: String) throws {
            let bank = try SQLiteBank()
            let writer = try bank.store.makeWriter()
            _ = try writer.commit([open(1, of: 1, euros(cents: 100_000))])
            #expect(verdicts(try writer.commit([pay(1)])) == [.executed])
            #expect(verdicts(try writer.commit([pay(2)])) == [.executed])
            try bank.raw().run(change)
            #expect(verdicts(try writer.commit([pay(3)])) == [.rejected])
        }

        @Test("An account that another process opens is paid by booking, not through the scheme")
        func opened() throws {
            let bank = try SQLiteBank()
            let writer = try bank.store.makeWriter()
            _ = try writer.commit([open(1, of: 1, euros(cents: 100_000))])
            _ = try writer.commit([pay(1, to: 3), pay(2, to: 4)])
            let another = try bank.another(seed: 2, clock: bank.clock).makeWriter()
            _ = try another.commit([open(3, of: 2, euros(cents: 0))])
            _ = try writer.commit([open(4, of: 2, euros(cents: 0))])
            _ = try writer.commit([pay(3, to: 3), pay(4, to: 4)])
            let connectors = try bank.raw().rows("SELECT connector FROM outbox ORDER BY outbox_id")
            #expect(connectors == [["2"], ["2"], ["1"], ["1"]])
        }

        @Test("Two writers that take turns leave a sound ledger")
        func turns() throws {
            let bank = try SQLiteBank()
            let writers = [
                try bank.store.makeWriter(),
                try bank.another(seed: 2, clock: bank.clock).makeWriter(),
            ]
            _ = try writers[0].commit([open(1, of: 1, euros(cents: 1_000))])
            var kinds: [OutcomeKind?] = []
            for number in 1...12 {
                kinds += verdicts(try writers[number / 2 % 2].commit([pay(number)]))
            }
            #expect(kinds == Array(repeating: .executed, count: 10) + [.rejected, .rejected])
            #expect(try Verifier.verify(path: bank.path).isSound)
        }

        @Test("A batch that fails leaves nothing behind in memory either")
        func failed() throws {
            let bank = try SQLiteBank()
            let writer = try bank.another(seed: 2, clock: bank.clock, renderer: Poison())
                .makeWriter()
            _ = try writer.commit([open(1, of: 1, euros(cents: 100))])
            #expect(throws: StoreError.self) { try writer.commit([pay(1, to: Poison.creditor)]) }
            // The money is still there.
            #expect(verdicts(try writer.commit([pay(2)])) == [.executed])
            #expect(try Verifier.verify(path: bank.path).isSound)
        }

        /// Renders what the schema refuses, for one creditor.
        private struct Poison: OutcomeRenderer {
            static let creditor = 13

            func render(
                _ decision: StorableDecision, of intent: IntentID, requestID: String,
                at now: Instant
            ) -> RenderedOutcome {
                var poisoned = false
                if case .executed(let row, _) = decision {
                    poisoned = row.creditorIBAN == iban(Self.creditor)
                }
                return RenderedOutcome(
                    statusCode: poisoned ? 999 : 201, contentType: .json, body: [1])
            }
        }
    }
}
