import Glibc
import Ledger
import Platform
import Store
import StoreTestSupport
import TestSupport
import Testing

@testable import SQLiteStore

extension DatabaseTests {
    @Suite("Copies of a database that is written to")
    struct BackupCopyTests {
        private func pay(_ number: Int) -> Command {
            .transfer(
                transfer(customer(1), key(number), intent(from: iban(1), to: iban(2), "0.01")))
        }

        @Test("A copy ends although somebody commits between all its steps, and holds one moment")
        func underLoad() throws {
            let bank = try SQLiteBank()
            let writer = try bank.store.makeWriter()
            _ = try writer.commit([
                open(1, of: 1, euros(cents: 1_000_000)), open(2, of: 2, euros(cents: 0)),
            ])
            _ = try writer.commit((1...300).map(pay))
            let before = try bank.raw().dump()

            let target = bank.folder.file("copy.db")
            var steps = 0
            var failure: (any Error)?
            let pages = try Backup.copy(
                bank.path, to: target, stepPages: 1, pauseMicroseconds: 0
            ) { copied, all in
                #expect(copied <= all)
                steps += 1
                // A copy that is begun anew at each commit would come here for ever.
                guard steps < 2000, failure == nil else { return }
                do { _ = try writer.commit([pay(1000 + steps)]) } catch { failure = error }
            }
            #expect(failure == nil)
            #expect(steps == pages - 1)
            #expect(steps > 20)
            #expect(try Backup.examine(target) == [])
            #expect(try RawDatabase(target).dump() == before)
            // The writer was not refused anything.
            #expect(
                try bank.raw().dump()["outcomes"]?.count
                    == (before["outcomes"]?.count ?? 0) + steps)
            #expect(try Verifier.verify(path: bank.path).damages == [])
        }

        @Test("A copy that is cut short is told as damaged")
        func truncated() throws {
            let bank = try SQLiteBank()
            try BusyBank.fill(bank.store, bank.clock)
            let target = bank.folder.file("copy.db")
            let pages = try Backup.copy(bank.path, to: target)
            #expect(truncate(target, (pages - 2) * 4096) == 0)
            #expect(try !Backup.examine(target).isEmpty)
        }
    }
}
