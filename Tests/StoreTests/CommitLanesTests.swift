import Ledger
import Platform
import Store
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests {
    @Suite("Commit lanes, and customers that others hold", .timeLimit(.minutes(1)))
    struct CommitLanesTests {
        private let clock = ManualMonotonicClock()
        private let inFlight = InFlightTable()

        private func lanes(_ count: Int, _ store: FakeStore) -> CommitLanes {
            CommitLanes(
                count, store: store, inFlight: inFlight, clock: clock, log: Log(descriptor: -1),
                metrics: MetricsRegistry(), onMediumFailure: {})
        }

        private func pending(
            _ number: Int, _ sink: CollectingSink, of owner: Int = 1
        ) -> PendingCommand {
            let command = transfer(
                customer(owner), key(number), intent(from: iban(1), to: iban(2), "1.00"))
            return PendingCommand(
                command: .transfer(command), deadline: .distantFuture, ticket: ticket(number),
                sink: sink)
        }

        @Test("A customer's commands meet in one batch; others take other lanes")
        func routing() {
            let store = FakeStore()
            let sink = CollectingSink()
            let lanes = lanes(4, store)
            for number in 1...40 {
                #expect(lanes.submit(pending(number, sink, of: number % 10)) == .accepted)
            }
            #expect(lanes.depth == 40)
            lanes.start()
            #expect(sink.answers(40).values.allSatisfy { $0 == .done })
            lanes.close()
            #expect(lanes.depth == 0)
            #expect(lanes.isHealthy)
            #expect((2...4).contains(store.batches.count))
            for owner in 0..<10 {
                let batches = store.batches.filter { $0.contains { $0 % 10 == owner } }
                #expect(batches.count == 1)
                #expect(batches.first?.filter { $0 % 10 == owner }.count == 4)
            }
        }

        @Test("The lane of a customer is the same in every process")
        func stable() {
            #expect(CustomerID("alice")?.stableHash == 0x508B_2ABB_65A0_3907)
        }

        @Test("Who meets a locked customer is tried again, and holds up nobody")
        func busy() {
            let store = FakeStore(isBusy: { key, tries in key == 2 && tries < 3 })
            let sink = CollectingSink()
            let lanes = lanes(1, store)
            for number in 1...3 {
                _ = inFlight.claim(
                    IntentID(customer: customer(1), key: key(number)), nil, receivedAt)
                #expect(lanes.submit(pending(number, sink)) == .accepted)
            }
            lanes.start()
            #expect(sink.answers(3) == [1: .done, 2: .done, 3: .done])
            lanes.close()
            #expect(store.batches == [[1, 2, 3], [2], [2], [2]])
            #expect(inFlight.count == 0)
        }

        @Test("Locked ones and new ones take turns")
        func turns() {
            let (entered, leave) = (Gate(), Gate())
            let store = FakeStore(
                script: { keys in
                    guard keys == [1] else { return }
                    entered.open()
                    leave.wait()
                }, isBusy: { key, tries in key == 1 && tries < 3 })
            let sink = CollectingSink()
            let lanes = lanes(1, store)
            lanes.start()
            #expect(lanes.submit(pending(1, sink)) == .accepted)
            entered.wait()
            #expect(lanes.submit(pending(2, sink)) == .accepted)
            leave.open()
            #expect(sink.answers(2) == [1: .done, 2: .done])
            lanes.close()
            #expect(store.batches == [[1], [1], [2], [1], [1]])
        }

        @Test("Who stays locked out is told so in the end, and the key is free")
        func givesUp() {
            let clock = clock
            let store = FakeStore(
                script: { _ in clock.advance(milliseconds: 3000) }, isBusy: { _, _ in true })
            let sink = CollectingSink()
            let lanes = lanes(1, store)
            _ = inFlight.claim(IntentID(customer: customer(1), key: key(1)), nil, receivedAt)
            #expect(lanes.submit(pending(1, sink)) == .accepted)
            lanes.start()
            #expect(sink.answers(1) == [1: .failed(.customerBusy)])
            lanes.close()
            // Eight seconds from the first time on.
            #expect(store.batches == [[1], [1], [1], [1]])
            #expect(inFlight.count == 0)
        }
    }
}
