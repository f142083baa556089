import Ledger
import Platform
import Store
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests {
    @Suite("Store contract: reads")
    struct ContractReadTests {
        @Test(
            "A transfer is read with its history, by its key and by its id",
            arguments: StoreKind.all)
        func transferView(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 0)
            let start = bank.under.clock.now()
            let id = try #require(try bank.commit(pay(1, 1, "40.00")).first?.outcome?.transfer)
            bank.under.clock.advance(seconds: 10)
            _ = try bank.settle()
            bank.under.clock.advance(seconds: 10)
            let byKey = try #require(
                try bank.reader.transfer(of: IntentID(customer: customer(1), key: key(1))))
            let byID = try #require(try bank.reader.transfer(id, of: customer(1)))
            for view in [byKey, byID] {
                #expect(view.transfer.id == id)
                #expect(view.transfer.state == .settled)
                #expect(view.transfer.money == euros(cents: 4000))
                #expect(view.transfer.debtorAccount == account(1))
                #expect(
                    view.history == [
                        .init(state: .accepted, at: start),
                        .init(state: .submitted, at: start.advanced(seconds: 10)),
                        .init(state: .settled, at: start.advanced(seconds: 10)),
                    ])
                #expect(view.firstReceivedAt == ManualClock.noon)
                #expect(view.asOf == start.advanced(seconds: 20))
            }
            #expect(try bank.reader.transfer(id, of: customer(2)) == nil)
            #expect(
                try bank.reader.transfer(of: IntentID(customer: customer(1), key: key(2))) == nil)
        }

        @Test(
            "A customer's accounts come in the order of opening, and only theirs",
            arguments: StoreKind.all)
        func accounts(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            _ = try bank.commit(
                open(3, of: 1, euros(cents: 1)), open(2, of: 2, euros(cents: 2), perTransfer: 5))
            bank.under.clock.advance(seconds: 1)
            _ = try bank.commit(
                open(1, of: 1, euros(cents: 3), daily: 9), open(4, of: 1, euros(cents: 0)))
            let rows = try bank.reader.accounts(of: customer(1))
            #expect(rows.map(\.id) == [account(3), account(1), account(4)])
            #expect(rows.map(\.balance) == [1, 3, 0])
            #expect(rows.map(\.dailyLimit) == [nil, 9, nil])
            #expect(try bank.reader.accounts(of: customer(9)).isEmpty)
            #expect(try bank.reader.account(account(2), of: customer(1)) == nil)
            #expect(try bank.reader.account(account(2), of: customer(2))?.perTransferLimit == 5)
        }

        @Test(
            "Bookings come oldest first, a page at a time, and payments to other banks do not",
            arguments: StoreKind.all)
        func bookings(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 0)
            var expected: [TransferID] = []
            for number in 1...7 {
                let result = try bank.commit(pay(1, number, "1.00", to: number == 4 ? 900 : 2))
                if number != 4 { expected.append(try #require(result.first?.outcome?.transfer)) }
            }
            var found: [PendingBooking] = []
            var after: Int64 = 0
            while true {
                let page = try bank.reader.pendingBookings(after: after, limit: 4)
                guard let last = page.last else { break }
                #expect(page.count <= 4)
                found += page
                after = last.outboxID
            }
            #expect(found.map(\.transfer) == expected)
            #expect(found.allSatisfy { $0.payer == customer(1) && $0.money == euros(cents: 100) })
            #expect(found.allSatisfy { $0.creditor?.account == account(2) })
        }
    }
}
