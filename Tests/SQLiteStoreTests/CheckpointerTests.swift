import Foundation
import Ledger
import Platform
import SQLiteStore
import Store
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests {
    @Suite("Checkpoints", .timeLimit(.minutes(2)))
    struct CheckpointerTests {
        /// How often the write-ahead log has begun anew: a number of its header.
        private func restarts(_ bank: SQLiteBank) throws -> UInt32 {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: bank.path + "-wal"))
            let header = try file.read(upToCount: 16) ?? Data()
            try file.close()
            return header.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
        }

        private func commands(_ batch: Int) -> [Command] {
            (0..<60).map { step in
                let number = batch * 60 + step
                return .transfer(
                    transfer(
                        customer(number % 40 + 1), key(number + 1),
                        intent(from: iban(number % 40 + 1), to: iban(1), "0.01")))
            }
        }

        private func makeBank() throws -> (SQLiteBank, any StoreWriter, Checkpointer) {
            let bank = try SQLiteBank()
            let checkpointer = Checkpointer(
                store: bank.store, log: Log(level: .error), metrics: MetricsRegistry())
            bank.store.attach(checkpointer)
            let writer = try bank.store.makeWriter()
            _ = try writer.commit((1...40).map { open($0, of: $0, euros(cents: 100_000)) })
            return (bank, writer, checkpointer)
        }

        @Test("The log begins anew again and again under steady writes and reads")
        func steady() throws {
            let (bank, writer, checkpointer) = try makeBank()
            checkpointer.start()
            let stop = Guarded(false)
            let store = bank.store
            let reading = OnThread { () -> String? in
                do {
                    let reader = try store.makeReader()
                    while !stop.withLock({ $0 }) { _ = try reader.accounts(of: customer(1)) }
                    return nil
                } catch { return "\(error)" }
            }
            let start = try restarts(bank)
            var batches = 0
            while try restarts(bank) < start + 3, batches < 3000 {
                batches += 1
                _ = try writer.commit(commands(batches))
            }
            stop.withLock { $0 = true }
            #expect(reading.value() == nil)
            checkpointer.close()
            #expect(try restarts(bank) >= start + 3)
            #expect(try Verifier.verify(path: bank.path, structure: true).damages == [])
        }

        @Test("A reader of an old state holds the log back only for as long as it reads")
        func oldReader() throws {
            let (bank, writer, checkpointer) = try makeBank()
            let old = try bank.raw()
            try old.run("BEGIN")
            let seen = try old.integer("SELECT count(*) FROM transfers")
            checkpointer.start()
            let start = try restarts(bank)
            for batch in 1...60 { _ = try writer.commit(commands(batch)) }
            #expect(try restarts(bank) == start)
            #expect(try old.integer("SELECT count(*) FROM transfers") == seen)
            try old.run("COMMIT")
            var batches = 60
            while try restarts(bank) == start, batches < 3000 {
                batches += 1
                _ = try writer.commit(commands(batches))
            }
            checkpointer.close()
            #expect(try restarts(bank) > start)
        }
    }
}
