import Ledger
import PostgresStore
import Store
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests {
    @Suite("Verification on PostgreSQL")
    struct PostgresVerifierTests {
        @Test("A busy bank is sound, and every check but that of files has looked at rows")
        func sound() throws {
            let bank = try PostgresBank()
            try BusyBank.fill(bank.store, bank.clock)
            let report = try PostgresVerifier.verify(bank.database.administrator)
            #expect(report.damages == [])
            let looked = Set(report.checks.filter { $0.rows > 0 }.map(\.name))
            let all = Set(VerificationCheck.allCases.map(\.rawValue))
            #expect(looked == all.subtracting([VerificationCheck.fileStructure.rawValue]))
        }

        @Test(
            "Each kind of damage is told by exactly the checks that it breaks",
            arguments: Damage.all)
        func damage(_ damage: Damage) throws {
            let bank = try PostgresBank()
            try BusyBank.fill(bank.store, bank.clock)
            let raw = try bank.raw()
            var sql = damage.sql
            for (name, key) in Damage.transfers where sql.contains(name) {
                let id = try raw.rows(
                    """
                    SELECT transfer_id FROM transferd.transfers
                    WHERE customer_id = 'customer-1' AND idempotency_key = '\(key)'
                    """)
                sql = sql.replacing(name, with: try #require(id.first?.first))
            }
            for number in 1...5 { sql = sql.replacing("$iban\(number)", with: iban(number).text) }
            let before = try raw.dump()
            // What the schema itself refuses is broken in a copy without its checks.
            try raw.run("BEGIN; SET LOCAL search_path = transferd")
            for constraint in damage.constraints {
                try raw.run("ALTER TABLE \(constraint.table) DROP CONSTRAINT \(constraint.name)")
            }
            try raw.run(sql + "; COMMIT")
            #expect(try raw.dump() != before, "nothing was damaged")
            let report = try PostgresVerifier.verify(bank.database.administrator)
            let complaining = Set(report.damages.map { $0.prefix(while: { $0 != ":" }) })
            #expect(
                complaining == Set(damage.checks.map { $0.rawValue[...] }), "\(report.damages)")
            if !damage.constraints.isEmpty { bank.database.discard() }
        }

        @Test("Every check is seen to complain")
        func allChecks() {
            let complaining = Damage.all.reduce(into: Set()) { $0.formUnion($1.checks) }
            #expect(complaining == Set(VerificationCheck.allCases).subtracting([.fileStructure]))
        }
    }
}
