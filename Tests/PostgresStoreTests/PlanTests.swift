import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStore

extension DatabaseTests {
    @Suite("Plans of PostgreSQL")
    struct PostgresPlanTests {
        /// Tables that stay small, and are read whole.
        private static let small = ["write_proof", "revocations"]

        @Test(
            "A plan that was made when the tables were empty looks up what it needs, and no more",
            arguments: Statements.lookUps + WriteStatements.all + ReadStatements.all)
        func plan(_ statement: PreparedStatement) throws {
            let database = try PostgresDatabase()
            let raw = try database.raw()
            try raw.run("ANALYZE")
            try raw.run(
                """
                SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;
                SET enable_hashjoin = off; SET enable_mergejoin = off
                """)
            let types = try statement.types.map { type in
                try #require(raw.rows("SELECT format_type(\(type), NULL)").first?.first)
                    .filter { $0 != "'" }
            }
            let list = types.isEmpty ? "" : "(" + types.joined(separator: ", ") + ")"
            let values =
                types.isEmpty ? "" : "(" + types.map { _ in "NULL" }.joined(separator: ", ") + ")"
            try raw.run("PREPARE tried \(list) AS \(statement.sql)")
            let plan = try raw.rows("EXPLAIN (COSTS OFF) EXECUTE tried \(values)").map { $0[0] }
            for (index, line) in plan.enumerated() where line.contains(" Scan") {
                if line.contains("Function Scan") || line.contains("Subquery Scan")
                    || line.contains("CTE Scan") || line.contains("WorkTable Scan")
                    || line.contains("Values Scan")
                    || Self.small.contains(where: { line.contains("on \($0)") })
                {
                    continue
                }
                let below = plan.dropFirst(index + 1).prefix(3)
                #expect(
                    !line.contains("Seq Scan")
                        && (line.contains("Bitmap Heap")
                            || below.contains { $0.contains("Cond:") }),
                    "\(line) reads everything:\n\(plan.joined(separator: "\n"))")
            }
        }
    }
}
