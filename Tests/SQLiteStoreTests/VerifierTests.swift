import Ledger
import Platform
import SQLiteStore
import Store
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests {
    @Suite("Verification of a sound ledger")
    struct VerifierTests {
        @Test(
            "A ledger with every kind of row is sound, however small the ranges are",
            arguments: [2, 3, 4, 5, 7, 5000])
        func sound(rangeRows: Int) throws {
            let bank = try SQLiteBank()
            try BusyBank.fill(bank.store, bank.clock)
            let report = try Verifier.verify(
                path: bank.path, rangeRows: rangeRows, structure: true)
            #expect(report.damages == [])
            #expect(report.isSound)
            let rows = Dictionary(uniqueKeysWithValues: report.checks.map { ($0.name, $0.rows) })
            #expect(Set(rows.keys) == Set(VerificationCheck.allCases.map(\.rawValue)))
            #expect(rows["transfer outcomes"] == 9)
            #expect(rows["outcomes"] == 9)
            #expect(rows["fingerprints"] == 9)
            #expect(rows["account balances"] == 5)
            // Four openings, eight executions, one return, three credits.
            #expect(rows["posting entries"] == 16)
            #expect(rows["posting chains"] == 16)
            #expect(rows["outbox"] == 5)
            #expect(rows["credits"] == 4)
        }

        @Test("An empty ledger is sound")
        func empty() throws {
            let bank = try SQLiteBank()
            #expect(try Verifier.verify(path: bank.path).isSound)
        }

        @Test("The progress tells each check's rows as they grow")
        func progress() throws {
            let bank = try SQLiteBank()
            try BusyBank.fill(bank.store, bank.clock)
            var told: [String: [Int]] = [:]
            let report = try Verifier.verify(path: bank.path, rangeRows: 2) { name, rows in
                told[name, default: []].append(rows)
            }
            for (name, rows) in told {
                #expect(rows == rows.sorted())
                #expect(report.checks.first { $0.name == name }?.rows == rows.last)
            }
            #expect(told["posting pairs"]?.count ?? 0 > 10)
        }

        @Test("A file that is not there is an error, not a sound ledger")
        func missing() throws {
            let folder = try TemporaryFolder()
            #expect(throws: StoreError.self) {
                try Verifier.verify(path: folder.file("none.db"))
            }
        }

        @Test("A ledger that is being written is sound at every look", .timeLimit(.minutes(2)))
        func online() throws {
            let bank = try SQLiteBank()
            let traffic = try Traffic(bank)
            let writer = OnThread { traffic.run() }
            traffic.wait(forBatches: 5)
            for rangeRows in [2, 7, 50, 400, 3] {
                let before = traffic.batches
                let report = try Verifier.verify(path: bank.path, rangeRows: rangeRows)
                #expect(report.damages == [])
                traffic.wait(forBatches: before + 1)
            }
            traffic.stop()
            #expect(writer.value() == nil)
            let report = try Verifier.verify(path: bank.path)
            #expect(report.damages == [])
            #expect(report.checks.first { $0.name == "credits" }?.rows ?? 0 > 0)
        }
    }
}

/// Payments to and fro with their settlement, batch after batch.
final class Traffic: Sendable {
    private struct Progress {
        var batches = 0
        var stopped = false
        var failed = false
    }

    private let bank: SQLiteBank
    private let lock = Lock()
    private let changed = Condition()
    private nonisolated(unsafe) var progress = Progress()

    static let accounts = 8

    init(_ bank: SQLiteBank) throws {
        self.bank = bank
        let writer = try bank.store.makeWriter()
        _ = try writer.commit(
            (1...Self.accounts).map { open($0, of: $0 / 2, euros(cents: 1_000_000)) })
    }

    var batches: Int { lock.withLock { progress.batches } }

    func wait(forBatches count: Int) {
        lock.withLock { while progress.batches < count, !progress.failed { changed.wait(lock) } }
    }

    func stop() { lock.withLock { progress.stopped = true } }

    /// Until stopped; what went wrong, if anything.
    func run() -> String? {
        do {
            let writer = try bank.store.makeWriter()
            let reader = try bank.store.makeReader()
            var number = 0
            while !lock.withLock({ progress.stopped }) {
                number += 1
                bank.clock.advance(seconds: number % 50 == 0 ? 40_000 : 1)
                let from = number % Self.accounts + 1
                let status: AccountStatus = number % 7 == 0 ? .frozen : .active
                var commands: [Command] = [
                    .setAccountStatus(
                        SetAccountStatusCommand(
                            iban: iban((number / 7) % Self.accounts + 1), status: status))
                ]
                for step in 1...10 {
                    let to = (from + step * number) % (Self.accounts + 2) + 1
                    commands.append(
                        .transfer(
                            transfer(
                                customer(from / 2), key(number * 10 + step),
                                intent(from: iban(from), to: iban(to), "\(number % 90 + 1).5"))))
                }
                _ = try writer.commit(commands)
                let bookings = try reader.pendingBookings(after: 0, limit: number % 13)
                let credited = bookings.filter { $0.creditor != nil }
                for (booking, result) in zip(
                    credited, try writer.commit(credited.compactMap(credit)))
                {
                    if case .decided(.credit(let decision)) = result, number % 3 > 0 {
                        _ = try writer.commit([conclude(booking, decision)])
                    }
                }
                lock.withLock { progress.batches += 1 }
                changed.broadcast()
            }
            return nil
        } catch {
            // Nobody shall wait for batches that will not come.
            lock.withLock { progress.failed = true }
            changed.broadcast()
            return "\(error)"
        }
    }
}
