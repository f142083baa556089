import Ledger
import Platform
import Store
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests {
    @Suite("Store contract: settlement, days and events")
    struct ContractSettlementTests {
        private func freeze(_ number: Int, _ status: AccountStatus = .frozen) -> Command {
            .setAccountStatus(SetAccountStatusCommand(iban: iban(number), status: status))
        }

        @Test(
            "A booking is credited once and settled once, however often it is reported",
            arguments: StoreKind.all)
        func idempotent(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 0)
            _ = try bank.commit(pay(1, 1, "40.00"))
            let booking = try #require(try bank.reader.pendingBookings(after: 0, limit: 9).first)
            let toPayee = try #require(credit(booking))
            #expect(try bank.commit(toPayee, toPayee).map(\.credit) == [.credited, .credited])
            #expect(try bank.commit(toPayee).map(\.credit) == [.credited])
            #expect(try bank.balance(2) == 4000)

            let end = conclude(booking, .credited)
            #expect(try bank.commit(end, end).map(\.concluded) == [.settled, .settled])
            let before = try bank.under.dump()
            let late = conclude(booking, .refused(.payeeAccountFrozen))
            #expect(try bank.commit(late, end).map(\.concluded) == [.settled, .settled])
            #expect(try bank.under.dump() == before)
            #expect(try bank.reader.pendingBookings(after: 0, limit: 9).isEmpty)
            #expect(try bank.balance(1) == 6000)
            try bank.expectSound()
        }

        @Test(
            "A late repetition does not take the work of a newer transfer away (Scenario 49)",
            arguments: StoreKind.all)
        func lateRepetition(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 0)
            _ = try bank.commit(pay(1, 1, "40.00"))
            let booking = try #require(try bank.reader.pendingBookings(after: 0, limit: 9).first)
            _ = try bank.settle()
            let newer = try #require(try bank.commit(pay(1, 2, "1.00")).first?.outcome?.transfer)
            _ = try bank.commit(conclude(booking, .credited))
            #expect(
                try bank.reader.pendingBookings(after: 0, limit: 9).map(\.transfer) == [newer])
            try bank.expectSound()
        }

        @Test(
            "A frozen payee: the money comes back once, and the refusal stands (Scenario 48)",
            arguments: StoreKind.all)
        func returned(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 0)
            let id = try #require(try bank.commit(pay(1, 1, "40.00")).first?.outcome?.transfer)
            let booking = try #require(try bank.reader.pendingBookings(after: 0, limit: 9).first)
            // The payer's account is frozen meanwhile: it gets its money all the same.
            _ = try bank.commit(freeze(2), freeze(1))
            #expect(try bank.settle() == [.refused(.payeeAccountFrozen)])
            _ = try bank.commit(freeze(2, .active))
            let again = try bank.commit(
                try #require(credit(booking)), conclude(booking, .refused(.payeeAccountFrozen)),
                conclude(booking, .credited))
            #expect(again[0].credit == .refused(.payeeAccountFrozen))
            #expect(again[1].concluded == .returned)
            #expect(again[2].concluded == .returned)
            #expect(try bank.balance(1) == 10_000)
            #expect(try bank.balance(2) == 0)
            let view = try #require(try bank.reader.transfer(id, of: customer(1)))
            #expect(view.transfer.returned == .payeeAccountFrozen)
            #expect(view.history.map(\.state) == [.accepted, .submitted, .returned])
            #expect(try bank.commit(pay(1, 1, "40.00")).first?.outcome?.statusCode == 201)
            try bank.expectSound()
        }

        @Test(
            "A freeze is honoured by the next attempt in the same batch (Scenario 40)",
            arguments: StoreKind.all)
        func frozen(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 0)
            let results = try bank.commit(pay(1, 1, "1.00"), freeze(1), pay(1, 2, "1.00"))
            #expect(results[0].outcome?.statusCode == 201)
            #expect(results[2].body?.hasPrefix("account_frozen") == true)
            #expect(try bank.balance(1) == 9900)
            try bank.expectSound()
        }

        @Test(
            "Two processes whose clocks differ at midnight keep one daily limit (Scenario 39b)",
            arguments: StoreKind.all)
        func midnight(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            _ = try bank.commit(open(1, of: 1, euros(cents: 100_000), daily: 10_000))
            let midnight = UTCDays().day(of: bank.under.clock.now()).end
            // This one is ten minutes behind.
            let behind = ManualClock(midnight.advanced(seconds: -540))
            bank.under.clock.set(midnight.advanced(seconds: 60))
            let other = try bank.under.another(
                seed: 9, clock: behind, renderer: EchoRenderer()
            ).makeWriter()

            func codes(_ writer: any StoreWriter, _ key: Int, _ value: String) throws -> Int? {
                try writer.commit([pay(1, key, value, to: 900)]).first?.outcome?.statusCode
            }
            #expect(try codes(other, 1, "60.00") == 201)
            #expect(try codes(bank.writer, 2, "60.00") == 201)
            #expect(try codes(other, 3, "60.00") == 402)
            #expect(try codes(other, 4, "40.00") == 201)
            #expect(try codes(bank.writer, 5, "0.01") == 402)
            behind.advance(seconds: 600)
            #expect(try codes(other, 6, "0.01") == 402)
            let row = try bank.reader.account(account(1), of: customer(1))
            #expect(row?.usageDay == UTCDays().day(of: midnight).number)
            #expect(row?.usedToday == 10_000)
            try bank.expectSound()

            bank.under.clock.advance(seconds: UTCDays.secondsPerDay)
            #expect(try codes(bank.writer, 7, "100.00") == 201)
            try bank.expectSound()
        }

        @Test("A customer's events have no gaps, whoever writes them", arguments: StoreKind.all)
        func events(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(10_000, 10_000)
            let other = try bank.under.another(
                seed: 9, clock: bank.under.clock, renderer: EchoRenderer()
            ).makeWriter()
            for round in 0..<5 {
                _ = try bank.commit(
                    pay(1, round * 4 + 1, "1.00"), pay(2, round * 4 + 1, "1.00", to: 1),
                    pay(1, round * 4 + 2, "9999.00"), pay(1, round * 4 + 3, "1.234"))
                _ = try other.commit([pay(1, round * 4 + 4, "1.00"), pay(1, round * 4 + 1, "1.00")])
                if round % 2 == 0 { _ = try bank.settle() }
            }
            let events = try #require(try bank.under.dump()["events"])
            for number in 1...2 {
                let sequences = events.filter { $0[0] == "'customer-\(number)'" }
                    .compactMap { Int($0[1]) }
                #expect(sequences == Array(1...sequences.count))
                #expect(sequences.count > 10)
            }
            try bank.expectSound()
        }

        @Test("An account is opened once, whoever asks", arguments: StoreKind.all)
        func opened(kind: StoreKind) throws {
            let bank = try ContractBank(kind)
            try bank.open(100)
            let before = try bank.under.dump()
            let again = Command.openAccount(
                OpenAccountCommand(
                    customer: customer(2), account: account(50), iban: iban(1),
                    opening: euros(cents: 7), perTransferLimit: nil, dailyLimit: nil))
            guard case .decided(.accountExists(let entry))? = try bank.commit(again).first else {
                Issue.record("opened twice")
                return
            }
            #expect(entry == DirectoryEntry(customer: customer(1), account: account(1)))
            #expect(try bank.under.dump() == before)
        }
    }
}
