import StoreTestSupport
import TestSupport
import Testing

@testable import SQLiteStore

extension DatabaseTests {
    @Suite("Gathered writes of the log")
    struct GatheredLogTests {
        /// Pages that do not fit the cache go into the log before the commit and are read from it.
        @Test(
            "Transactions far larger than the cache are read back, rolled back and committed",
            arguments: [1, 7, 31, 100, 700])
        func large(rows: Int) throws {
            let folder = try TemporaryFolder()
            let path = folder.file("log.db")
            _ = try Connection(path: path, mode: .create)
            let writer = try Connection(path: path, mode: .writer)
            try writer.execute("PRAGMA cache_size = 5; CREATE TABLE t (id INTEGER PRIMARY KEY, b)")
            let insert = "INSERT INTO t SELECT value, randomblob(2000 + value * 37 % 5000) FROM n"
            let numbers =
                "WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n"
                + " WHERE value < \(rows)) "
            let digest = "SELECT sum(id * length(b)) || ' ' || count(DISTINCT b) FROM t"
            let raw = try RawDatabase(path)

            try writer.execute("BEGIN IMMEDIATE; \(numbers) \(insert)")
            #expect(try writer.integer("SELECT count(*) FROM t") == Int64(rows))
            #expect(try raw.integer("SELECT count(*) FROM t") == 0)
            try writer.execute("ROLLBACK")
            #expect(try writer.integer("SELECT count(*) FROM t") == 0)

            try writer.execute("BEGIN IMMEDIATE; \(numbers) \(insert)")
            try writer.execute("UPDATE t SET b = b || b WHERE id % 3 = 0")
            let inside = try writer.text(digest)
            try writer.execute("COMMIT")
            #expect(try raw.rows(digest) == [["'\(inside ?? "")'"]])
            #expect(try raw.rows("PRAGMA integrity_check") == [["'ok'"]])

            // The log begins anew, and what is written then is what is read.
            _ = try raw.rows("PRAGMA wal_checkpoint(RESTART)")
            try writer.execute("DELETE FROM t WHERE id % 2 = 0")
            #expect(try raw.integer("SELECT count(*) FROM t") == (rows + 1) / 2)
            #expect(try raw.rows("PRAGMA integrity_check") == [["'ok'"]])
        }
    }
}
