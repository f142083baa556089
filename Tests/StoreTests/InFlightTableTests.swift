import Ledger
import Store
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests {
    @Suite("In-flight table")
    struct InFlightTableTests {
        private func name(_ claim: InFlightTable.Claim) -> String {
            switch claim {
            case .claimed: "claimed"
            case .inFlight: "in flight"
            case .waiting: "waiting"
            case .otherContent(let differs, _): "other \(differs.map(\.pointer))"
            }
        }

        @Test(
            "The first attempt claims the key, the same content is in flight, other content is told"
        )
        func claims() {
            let table = InFlightTable()
            let (id, first) = (payment(1).id, payment(1).intent)
            #expect(name(table.claim(id, first, receivedAt)) == "claimed")
            #expect(name(table.claim(id, payment(1, "1.0").intent, receivedAt)) == "in flight")
            #expect(
                name(table.claim(id, payment(1, "1.01").intent, receivedAt))
                    == "other [\"/instructedAmount/amount\"]")
            // A refused claim does not take the place of the one that runs.
            #expect(name(table.claim(id, first, receivedAt)) == "in flight")
            #expect(table.count == 1)
        }

        @Test("Another key and another customer's same key are free")
        func scopes() {
            let table = InFlightTable()
            let command = payment(1)
            _ = table.claim(command.id, command.intent, receivedAt)
            #expect(name(table.claim(payment(2).id, command.intent, receivedAt)) == "claimed")
            let foreign = IntentID(customer: customer(2), key: command.id.key)
            #expect(!table.contains(foreign))
            #expect(name(table.claim(foreign, command.intent, receivedAt)) == "claimed")
        }

        @Test("A released key can be claimed again, and releasing what is not there does nothing")
        func release() {
            let table = InFlightTable()
            let command = payment(1)
            _ = table.claim(command.id, command.intent, receivedAt)
            _ = table.release(payment(2).id)
            #expect(table.contains(command.id))
            _ = table.release(command.id)
            _ = table.release(payment(2).id)
            #expect(!table.contains(command.id))
            #expect(table.count == 0)
            #expect(name(table.claim(command.id, payment(1, "9").intent, receivedAt)) == "claimed")
        }

        @Test("Of many threads that claim one key exactly one gets it")
        func race() {
            let table = InFlightTable()
            for number in 1...50 {
                let start = Gate()
                let threads = (0..<4).map { _ in
                    OnThread { () -> Bool in
                        start.wait()
                        if case .claimed = table.claim(
                            payment(number).id, payment(number).intent, receivedAt)
                        {
                            return true
                        }
                        return false
                    }
                }
                start.open()
                #expect(threads.filter { $0.value() }.count == 1)
            }
            #expect(table.count == 50)
        }
    }
}
