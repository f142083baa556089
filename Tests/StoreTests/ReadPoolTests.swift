import Ledger
import Platform
import Store
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests {
    @Suite("Read pool", .timeLimit(.minutes(1)))
    struct ReadPoolTests {
        private func pool(_ store: FakeStore, waiting: Int = 4096) -> ReadPool {
            ReadPool(
                store: store, clock: ManualClock(), log: Log(descriptor: -1),
                metrics: MetricsRegistry(), waitingLimit: waiting)
        }

        private func name(_ answer: ReadAnswer) -> String {
            switch answer {
            case .transfer: "transfer"
            case .decided: "decided"
            case .revoked: "revoked"
            case .outcome: "outcome"
            case .list: "list"
            case .inFlight: "in flight"
            case .accounts(_, let asOf): "accounts \(asOf.rfc3339)"
            case .account: "account"
            case .notFound: "not found"
            case .failed: "failed"
            }
        }

        private func view(_ intent: IntentID) -> TransferView {
            TransferView(
                transfer: TransferRow(
                    id: TransferID(key(77).uuid), intent: intent, state: .accepted, rejection: nil,
                    returned: nil, debtorIBAN: iban(1), debtorAccount: nil,
                    money: euros(cents: 1), creditorIBAN: iban(2), creditorName: "x",
                    remittanceInformation: nil, endToEndIdentification: nil, confirmedAt: nil,
                    requestID: "r", businessDay: 0, posting: nil, returnPosting: nil,
                    lastSequence: 1, createdAt: ManualClock.noon, updatedAt: ManualClock.noon),
                history: [], firstReceivedAt: ManualClock.noon, asOf: ManualClock.noon)
        }

        @Test("What is committed comes before what is in flight, and that before nothing")
        func precedence() {
            let known = payment(1).id
            let found = view(known)
            let store = FakeStore(read: { call in
                if case .intent(let id) = call, id == known { return found }
                return nil
            })
            let sink = CollectingSink()
            let pool = pool(store)
            let questions: [(ReadQuery, String)] = [
                (.intent(known, inFlight: true), "transfer"),
                (.intent(known, inFlight: false), "transfer"),
                (.intent(payment(2).id, inFlight: true), "in flight"),
                (.intent(payment(2).id, inFlight: false), "not found"),
                (.transfer(found.transfer.id, customer(1)), "not found"),
                (.accounts(customer(1)), "accounts 2026-11-30T12:00:00.000Z"),
                (.account(account(1), customer(1)), "not found"),
            ]
            for (index, question) in questions.enumerated() {
                #expect(pool.submit(question.0, ticket: ticket(index), sink: sink))
            }
            pool.start(threads: 1)
            let answers = sink.reads(questions.count)
            pool.close()
            #expect(answers.map(\.ticket) == questions.indices.map { UInt32($0) })
            #expect(answers.map { name($0.answer) } == questions.map(\.1))
        }

        @Test("A read that fails is told as failed, and the next gets a fresh connection")
        func failing() {
            let bad = payment(1).id
            let store = FakeStore(read: { call throws(StoreError) in
                if case .intent(let id) = call, id == bad { throw .unavailable("gone") }
                return nil
            })
            let sink = CollectingSink()
            let pool = pool(store)
            for (number, id) in [payment(2).id, bad, payment(3).id].enumerated() {
                #expect(
                    pool.submit(.intent(id, inFlight: true), ticket: ticket(number), sink: sink))
            }
            pool.start(threads: 1)
            // Never "in flight" or "not found" for what could not be read.
            #expect(sink.reads(3).map { name($0.answer) } == ["in flight", "failed", "in flight"])
            pool.close()
            #expect(store.record.withLock { $0.readers } == 2)
        }

        @Test("More than may wait is refused; closing answers what waits and refuses the rest")
        func bounded() {
            let sink = CollectingSink()
            let pool = pool(FakeStore(), waiting: 40)
            for number in 0..<40 {
                #expect(
                    pool.submit(.accounts(customer(1)), ticket: ticket(number), sink: sink))
            }
            #expect(!pool.submit(.accounts(customer(1)), ticket: ticket(40), sink: sink))
            #expect(pool.depth == 40)
            pool.start(threads: 3)
            pool.close()
            #expect(Set(sink.reads(40).map(\.ticket)) == Set(0..<40))
            #expect(!pool.submit(.accounts(customer(1)), ticket: ticket(41), sink: sink))
        }

        @Test("A read that is slow does not hold up those that come after it")
        func slow() {
            let (entered, leave) = (Gate(), Gate())
            let bad = payment(1).id
            let store = FakeStore(read: { call in
                if case .intent(let id) = call, id == bad {
                    entered.open()
                    leave.wait()
                }
                return nil
            })
            let sink = CollectingSink()
            let pool = pool(store)
            pool.start(threads: 2)
            #expect(pool.submit(.intent(bad, inFlight: false), ticket: ticket(0), sink: sink))
            entered.wait()
            for number in 1...30 {
                #expect(
                    pool.submit(
                        .intent(payment(2).id, inFlight: false), ticket: ticket(number), sink: sink)
                )
            }
            _ = sink.reads(30)
            leave.open()
            #expect(sink.reads(31).map(\.ticket).last == 0)
            pool.close()
        }
    }
}
