import Ledger
import Platform
import Store
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests {
    @Suite("Commit queue", .timeLimit(.minutes(1)))
    struct CommitQueueTests {
        private let clock = ManualMonotonicClock()
        private let inFlight = InFlightTable()
        private let metrics = MetricsRegistry()

        private func queue(
            _ store: FakeStore, batch: Int = 512, waiting: Int = 4096,
            onCommitted: @escaping @Sendable () -> Void = {},
            onMediumFailure: @escaping @Sendable () -> Void = {}
        ) -> CommitQueue {
            var limits = CommitQueue.Limits()
            limits.batchCommands = batch
            limits.waitingCommands = waiting
            return CommitQueue(
                store: store, inFlight: inFlight, limits: limits, clock: clock,
                log: Log(descriptor: -1), metrics: metrics, onCommitted: onCommitted,
                onMediumFailure: onMediumFailure)
        }

        private func pending(
            _ number: Int, _ sink: CollectingSink, deadline: MonotonicTime = .distantFuture
        ) -> PendingCommand {
            PendingCommand(
                command: .transfer(payment(number)), deadline: deadline, ticket: ticket(number),
                sink: sink)
        }

        @Test("What waits is taken as one batch, up to the bound, in order")
        func bound() {
            let store = FakeStore()
            let sink = CollectingSink()
            let queue = queue(store, batch: 4)
            for number in 1...10 { #expect(queue.submit(pending(number, sink)) == .accepted) }
            #expect(queue.depth == 10)
            queue.start()
            #expect(sink.answers(10).values.allSatisfy { $0 == .done })
            queue.close()
            #expect(store.batches == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]])
            #expect(queue.depth == 0)
        }

        @Test("While one batch commits the next gathers")
        func gathering() {
            let (entered, leave) = (Gate(), Gate())
            let store = FakeStore { keys in
                guard keys == [1] else { return }
                entered.open()
                leave.wait()
            }
            let sink = CollectingSink()
            let queue = queue(store)
            queue.start()
            #expect(queue.submit(pending(1, sink)) == .accepted)
            entered.wait()
            for number in 2...6 { #expect(queue.submit(pending(number, sink)) == .accepted) }
            leave.open()
            #expect(sink.answers(6).count == 6)
            queue.close()
            #expect(store.batches == [[1], [2, 3, 4, 5, 6]])
            // A batch for one sink is one hand-over.
            #expect(sink.handovers == 2)
        }

        @Test("More than may wait is refused, and the caller keeps it")
        func bounded() {
            let sink = CollectingSink()
            let queue = queue(FakeStore(), waiting: 3)
            for number in 1...3 { #expect(queue.submit(pending(number, sink)) == .accepted) }
            #expect(queue.submit(pending(4, sink)) == .full)
            queue.start()
            #expect(sink.answers(3)[4] == nil)
            queue.close()
            #expect(sink.answers(3).count == 3)
        }

        @Test("What waited past its deadline is not executed (Scenario 11)")
        func late() {
            let store = FakeStore()
            let sink = CollectingSink()
            let queue = queue(store)
            let soon = clock.now().advanced(milliseconds: 100)
            _ = inFlight.claim(payment(1).id, payment(1).intent, receivedAt)
            #expect(queue.submit(pending(1, sink, deadline: soon)) == .accepted)
            #expect(
                queue.submit(pending(2, sink, deadline: soon.advanced(milliseconds: 1)))
                    == .accepted)
            clock.advance(milliseconds: 101)
            queue.start()
            #expect(sink.answers(2) == [1: .failed(.overloaded), 2: .done])
            queue.close()
            #expect(store.batches == [[2]])
            #expect(inFlight.count == 0)
        }

        @Test("A batch of late ones alone opens no transaction")
        func allLate() {
            let store = FakeStore()
            let sink = CollectingSink()
            let queue = queue(store)
            #expect(queue.submit(pending(1, sink, deadline: clock.now())) == .accepted)
            clock.advance(milliseconds: 1)
            queue.start()
            #expect(sink.answers(1) == [1: .failed(.overloaded)])
            queue.close()
            #expect(store.batches == [])
            #expect(store.writers == 0)
        }

        @Test("A poisoned command fails alone; its neighbours do not", arguments: [1, 4, 5, 8])
        func poisoned(bad: Int) {
            let store = FakeStore { keys throws(StoreError) in
                if keys.contains(bad) { throw .constraint("key \(bad)") }
            }
            let sink = CollectingSink()
            let queue = queue(store)
            for number in 1...8 { #expect(queue.submit(pending(number, sink)) == .accepted) }
            queue.start()
            let answers = sink.answers(8)
            queue.close()
            for number in 1...8 {
                #expect(
                    answers[UInt32(number)]
                        == (number == bad ? .failed(.internalError) : .done))
            }
            // Halved until it stands alone: not one transaction for each command.
            #expect(store.batches.count == 7)
            #expect(store.writers == 1)
        }

        @Test("Two poisoned commands in one batch both fail alone")
        func twoPoisoned() {
            let store = FakeStore { keys throws(StoreError) in
                if keys.contains(2) || keys.contains(3) { throw .constraint("") }
            }
            let sink = CollectingSink()
            let queue = queue(store)
            for number in 1...5 { #expect(queue.submit(pending(number, sink)) == .accepted) }
            queue.start()
            let answers = sink.answers(5)
            queue.close()
            #expect(answers.filter { $0.value == .done }.keys.sorted() == [1, 4, 5])
            #expect(answers[2] == .failed(.internalError))
            #expect(answers[3] == .failed(.internalError))
        }

        @Test(
            "A store that cannot commit fails the batch, and the next one gets a fresh connection",
            arguments: [
                StoreError.unavailable("disk full"), .unknownOutcome("commit"),
                .unusable("damaged"),
            ])
        func unavailable(error: StoreError) {
            let store = FakeStore { keys throws(StoreError) in if keys.contains(1) { throw error } }
            let sink = CollectingSink()
            let queue = queue(
                store, onMediumFailure: { preconditionFailure("the medium has not failed") })
            for number in 1...3 {
                _ = inFlight.claim(payment(number).id, payment(number).intent, receivedAt)
            }
            for number in 1...3 { #expect(queue.submit(pending(number, sink)) == .accepted) }
            queue.start()
            #expect(sink.answers(3).values.allSatisfy { $0 == .failed(.storeUnavailable) })
            #expect(inFlight.count == 0)
            #expect(queue.submit(pending(4, sink)) == .accepted)
            #expect(sink.answers(4)[4] == .done)
            queue.close()
            #expect(store.batches == [[1, 2, 3], [4]])
            #expect(store.writers == 2)
        }

        @Test("A failure while a batch is split fails only the half that met it")
        func failureInHalf() {
            let store = FakeStore { keys throws(StoreError) in
                if keys == [1, 2] { throw .unavailable("gone") }
                if keys.count == 4 { throw .constraint("somewhere") }
            }
            let sink = CollectingSink()
            let queue = queue(store)
            for number in 1...4 { #expect(queue.submit(pending(number, sink)) == .accepted) }
            queue.start()
            let answers = sink.answers(4)
            queue.close()
            #expect(
                answers == [
                    1: .failed(.storeUnavailable), 2: .failed(.storeUnavailable), 3: .done,
                    4: .done,
                ])
            #expect(store.writers == 2)
        }

        @Test("A medium that failed is told, so that the process ends")
        func medium() {
            let told = Guarded(0)
            let store = FakeStore { _ throws(StoreError) in throw .mediumFailed("fsync") }
            let sink = CollectingSink()
            let queue = queue(store, onMediumFailure: { told.withLock { $0 += 1 } })
            #expect(queue.submit(pending(1, sink)) == .accepted)
            queue.start()
            #expect(sink.answers(1) == [1: .failed(.storeUnavailable)])
            queue.close()
            #expect(told.withLock { $0 } == 1)
        }

        @Test("Closing refuses what comes and finishes what waits")
        func close() {
            let (entered, leave) = (Gate(), Gate())
            let store = FakeStore { keys in
                guard keys == [1] else { return }
                entered.open()
                leave.wait()
            }
            let sink = CollectingSink()
            let queue = queue(store, batch: 2)
            queue.start()
            #expect(queue.submit(pending(1, sink)) == .accepted)
            entered.wait()
            for number in 2...6 { #expect(queue.submit(pending(number, sink)) == .accepted) }
            let closing = OnThread { queue.close() }
            // Refused from the moment that it closes; until then it is accepted and finished.
            var accepted = 6
            while queue.submit(pending(accepted + 1, sink)) == .accepted { accepted += 1 }
            leave.open()
            closing.value()
            #expect(sink.answers(accepted).count == accepted)
            #expect(store.batches.flatMap { $0 }.sorted() == Array(1...accepted))
            #expect(queue.submit(pending(9999, sink)) == .closed)
        }

        @Test("Closing a queue that was never started ends at once")
        func neverStarted() {
            let queue = queue(FakeStore())
            queue.close()
            #expect(queue.submit(pending(1, CollectingSink())) == .closed)
        }

        @Test("A key is in flight until its result is there, and free before anybody is told")
        func inFlightEntry() {
            let inFlight = inFlight
            let duringCommit = Guarded<[Bool]>([])
            let whenTold = Guarded<[Bool]>([])
            let store = FakeStore { _ in
                let claimed = inFlight.contains(payment(1).id)
                duringCommit.withLock { $0.append(claimed) }
            }
            let sink = CollectingSink { _ in
                let claimed = inFlight.contains(payment(1).id)
                whenTold.withLock { $0.append(claimed) }
            }
            let queue = queue(store)
            guard case .claimed = inFlight.claim(payment(1).id, payment(1).intent, receivedAt)
            else {
                Issue.record("not claimed")
                return
            }
            #expect(queue.submit(pending(1, sink)) == .accepted)
            #expect(inFlight.contains(payment(1).id))
            queue.start()
            _ = sink.answers(1)
            queue.close()
            #expect(duringCommit.withLock { $0 } == [true])
            #expect(whenTold.withLock { $0 } == [false])
        }

        @Test("Each sink gets its own answers, in the order of the batch")
        func sinks() {
            let (one, two) = (CollectingSink(), CollectingSink())
            let queue = queue(FakeStore())
            for number in 1...9 {
                #expect(queue.submit(pending(number, number % 3 == 0 ? two : one)) == .accepted)
            }
            queue.start()
            #expect(one.answers(6).keys.sorted() == [1, 2, 4, 5, 7, 8])
            #expect(two.answers(3).keys.sorted() == [3, 6, 9])
            queue.close()
        }

        @Test("Every batch that ended is counted, and one that may have left work is told")
        func counted() {
            let told = Guarded(0)
            let sink = CollectingSink()
            let queue = queue(
                FakeStore { keys throws(StoreError) in if keys == [3] { throw .unavailable("") } },
                batch: 2, onCommitted: { told.withLock { $0 += 1 } })
            for number in 1...3 { #expect(queue.submit(pending(number, sink)) == .accepted) }
            queue.start()
            _ = sink.answers(3)
            queue.close()
            // The one that failed left nothing.
            #expect(told.withLock { $0 } == 1)
            let text = metrics.render()
            #expect(text.contains("transferd_commit_batches_total 2"))
            #expect(text.contains("transferd_commit_commands_total 2"))
            #expect(text.contains("transferd_commit_failures_total 1"))
            #expect(text.contains("transferd_commit_queue_commands 0"))
        }
    }
}
