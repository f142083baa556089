import Ledger
import SQLiteStore
import Store
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests {
    @Suite("Verification of a damaged ledger")
    struct VerifierDamageTests {
        /// Filled once; each test damages a copy.
        private static let original = Result {
            let bank = try SQLiteBank()
            try BusyBank.fill(bank.store, bank.clock)
            return bank
        }

        private static let transfers = [
            "$settled": BusyBank.settled, "$returned": BusyBank.returned,
            "$credited": BusyBank.credited, "$pending": BusyBank.pending,
            "$scheme": BusyBank.scheme, "$rejected": BusyBank.rejected,
            "$tomorrow": BusyBank.tomorrow,
        ]

        @Test(
            "Each kind of damage is told by exactly the checks that it breaks",
            arguments: Damage.all)
        func damage(_ damage: Damage) throws {
            let bank = try Self.original.get()
            let folder = try TemporaryFolder()
            let path = folder.file("copy.db")
            try bank.raw().run("VACUUM INTO '\(path)'")
            let raw = try RawDatabase(path)
            #expect(try Verifier.verify(path: path).damages == [])

            var sql = damage.sql
            for (name, key) in Self.transfers where sql.contains(name) {
                let id = try raw.rows(
                    """
                    SELECT transfer_id FROM transfers WHERE customer_id = 'customer-1'
                    AND hex(idempotency_key) = '\(key.description.filter { $0 != "-" }.uppercased())'
                    """)
                sql = sql.replacing(name, with: try #require(id.first?.first))
            }
            for number in 1...5 { sql = sql.replacing("$iban\(number)", with: iban(number).text) }
            let before = try raw.dump()
            try raw.run("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
            try raw.run(sql)
            #expect(try raw.dump() != before, "nothing was damaged")

            for rangeRows in [2, 5000] {
                let report = try Verifier.verify(path: path, rangeRows: rangeRows)
                let complaining = Set(report.damages.map { $0.prefix(while: { $0 != ":" }) })
                #expect(
                    complaining == Set(damage.checks.map { $0.rawValue[...] }),
                    "\(report.damages)")
                #expect(!report.isSound)
            }
        }

        @Test("Every check is seen to complain")
        func allChecks() {
            let complaining = Damage.all.reduce(into: Set()) { $0.formUnion($1.checks) }
            #expect(complaining == Set(VerificationCheck.allCases).subtracting([.fileStructure]))
        }

        @Test("Only a hundred damages are described, and all are counted")
        func bounded() {
            var report = VerificationReport()
            for number in 1...150 { report.add(.outbox, "row \(number)") }
            #expect(report.damages.count == 100)
            #expect(report.damages.last == "outbox: row 100")
            #expect(report.damageCount == 150)
        }
    }
}
