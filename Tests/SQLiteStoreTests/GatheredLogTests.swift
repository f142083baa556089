import CSQLite
import StoreTestSupport
import TestSupport
import Testing

@testable import SQLiteStore

extension DatabaseTests {
    @Suite("Gathered writes of the log")
    struct GatheredLogTests {
        /// What reached the file beneath the layer. One test at a time uses it.
        private enum Beneath {
            nonisolated(unsafe) static var calls: [String] = []
            nonisolated(unsafe) static var code = SQLITE_OK
        }

        @Test("A sync first writes what is gathered, and fails without a sync if that fails")
        func order() throws {
            let folder = try TemporaryFolder()
            _ = try Connection(path: folder.file("log.db"), mode: .create)
            let layer = try #require(sqlite3_vfs_find(GatheredLog.fileSystem))
            let memory = UnsafeMutableRawPointer.allocate(
                byteCount: Int(layer.pointee.szOsFile), alignment: 16)
            defer { memory.deallocate() }
            let file = memory.bindMemory(to: sqlite3_file.self, capacity: 1)
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_WAL
            let name = folder.file("log.db-wal")
            #expect(layer.pointee.xOpen(layer, name, file, flags, nil) == SQLITE_OK)
            let inner = LogFile.at(file).pointee.inner
            let own = try #require(inner.pointee.pMethods)
            var recording = own.pointee
            recording.xWrite = { _, _, count, offset in
                Beneath.calls.append("write \(count) at \(offset)")
                return Beneath.code
            }
            recording.xSync = { _, _ in
                Beneath.calls.append("sync")
                return SQLITE_OK
            }
            try withUnsafePointer(to: recording) { recording in
                inner.pointee.pMethods = recording
                defer { inner.pointee.pMethods = own }
                let methods = try #require(file.pointee.pMethods).pointee
                let page = [UInt8](repeating: 1, count: 4096)
                func append(at offset: Int64) {
                    #expect(methods.xWrite(file, page, 24, offset) == SQLITE_OK)
                    #expect(methods.xWrite(file, page, 4096, offset + 24) == SQLITE_OK)
                }
                (Beneath.calls, Beneath.code) = ([], SQLITE_OK)
                append(at: 32)
                append(at: 32 + 4120)
                #expect(Beneath.calls == [])
                #expect(methods.xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK)
                #expect(Beneath.calls == ["write 8240 at 32", "sync"])
                (Beneath.calls, Beneath.code) = ([], SQLITE_FULL)
                append(at: 32 + 8240)
                #expect(methods.xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_FULL)
                #expect(Beneath.calls == ["write 4120 at 8272"])
            }
            #expect(file.pointee.pMethods.pointee.xClose(file) == SQLITE_OK)
        }

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
