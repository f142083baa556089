import CSQLite
import Glibc
package import Store

/// Copies of databases, made while others work on them, and proved.
package enum Backup {
    /// Copies the database at `source` into the new file `target`, as it is when the copy begins.
    ///
    /// The moment is held by one read transaction: without it every commit of another process
    /// would make SQLite begin the copy anew, and under load it would never end. Writers go on; the
    /// write-ahead log cannot begin anew until the copy is done. After each `stepPages` pages there
    /// is a pause for those who share the disk. `progress` gets the pages copied and all pages.
    /// Returns the pages. Leaves what it has written when it throws.
    package static func copy(
        _ source: String, to target: String, stepPages: Int32 = 256,
        pauseMicroseconds: UInt32 = 2000,
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(StoreError) -> Int {
        let pages = try read(source, to: target, stepPages, pauseMicroseconds, progress)
        // Where nobody else has it open, reading has left an empty log beside the source.
        try Administration.foldLog(path: source)
        return pages
    }

    private static func read(
        _ source: String, to target: String, _ stepPages: Int32, _ pauseMicroseconds: UInt32,
        _ progress: (Int, Int) -> Void
    ) throws(StoreError) -> Int {
        do throws(SQLiteError) {
            let connection = try Connection(path: source, mode: .readOnly)
            try connection.execute("BEGIN")
            // The transaction begins with the first read.
            _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
            let copy = try connection.copy(to: target)
            while try !copy.step(pages: stepPages) {
                progress(copy.pages - copy.remainingPages, copy.pages)
                usleep(pauseMicroseconds)
            }
            try connection.execute("COMMIT")
            return copy.pages
        } catch { throw error.storeError() }
    }

    /// What is wrong with the file at `path`: its pages by SQLite's quick check, its steps of the
    /// schema, and, where these are well, its rows by `Verifier`. Takes away the log that reading
    /// made beside it, if nobody else has the file open.
    package static func examine(
        _ path: String, progress: @escaping (String, Int) -> Void = { _, _ in }
    ) throws(StoreError) -> [String] {
        let faults = try faults(of: path, progress)
        do throws(StoreError) { try Administration.foldLog(path: path) } catch {
            // What is damaged need not be foldable, and is told already.
            if faults.isEmpty { throw error }
        }
        return faults
    }

    private static func faults(
        of path: String, _ progress: @escaping (String, Int) -> Void
    ) throws(StoreError) -> [String] {
        let faults = try quickCheck(path)
        guard faults.isEmpty else { return faults }
        try Migrator.check(path: path)
        return try Verifier.verify(path: path, progress: progress).damages
    }

    private static func quickCheck(_ path: String) throws(StoreError) -> [String] {
        do throws(SQLiteError) {
            let connection = try Connection(path: path, mode: .readOnly)
            var faults: [String] = []
            try connection.prepare("PRAGMA quick_check(20)").eachRow { row in
                let text = row.text(0)
                if text != "ok" { faults.append(text) }
            }
            return faults
        } catch {
            // A header that is damaged is told by the first statement, not as a row.
            guard error.isDamage else { throw error.storeError() }
            return [error.description]
        }
    }
}

extension SQLiteError {
    fileprivate var isDamage: Bool {
        primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB
    }
}
