import CSQLite

/// A layer over SQLite's own file system that gathers what a commit appends to the write-ahead log
/// and hands it to the system in few large writes.
///
/// By itself SQLite makes two system calls for each page of a commit, one of them for 24 bytes.
/// Durability is the same: a sync first writes what is gathered, and with `synchronous = FULL`
/// nothing of a commit is told to other connections before its sync. An error of a gathered write
/// comes out of the sync, or of an earlier call, so it fails the commit in either case. Only for a
/// connection that commits, because a log that is read must not lag behind.
enum GatheredLog {
    /// The name to open a connection with.
    static let fileSystem: String = {
        let name = "gathered-log"
        precondition(register(name) == SQLITE_OK, "SQLite takes no file system")
        return name
    }()

    /// Bytes gathered at most: 31 pages with their frames' heads. SQLite's file system for Unix
    /// writes less than 128 KiB at a time, and takes more for a full disk.
    fileprivate static let capacity = 31 * (4096 + 24)

    /// SQLite's own; lives as long as the process.
    nonisolated(unsafe) fileprivate static let base = sqlite3_vfs_find(nil)!
    nonisolated(unsafe) fileprivate static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: makeMethods())
        return methods
    }()

    private static func register(_ name: String) -> Int32 {
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        // Everything but opening is the base's, which finds its own data in the copy.
        layer.initialize(to: base.pointee)
        let text = UnsafeMutableBufferPointer<CChar>.allocate(capacity: name.utf8.count + 1)
        _ = text.initialize(from: name.utf8CString)
        layer.pointee.zName = UnsafePointer(text.baseAddress)
        layer.pointee.pNext = nil
        layer.pointee.szOsFile = Int32(LogFile.innerOffset) + base.pointee.szOsFile
        layer.pointee.xOpen = { _, name, file, flags, chosen in
            guard flags & SQLITE_OPEN_WAL != 0 else {
                return GatheredLog.base.pointee.xOpen(
                    GatheredLog.base, name, file, flags, chosen)
            }
            return LogFile.open(name, in: file!, flags, chosen)
        }
        return sqlite3_vfs_register(layer, 0)
    }

    private static func makeMethods() -> sqlite3_io_methods {
        var methods = sqlite3_io_methods()
        methods.iVersion = 1
        methods.xClose = { LogFile.at($0).pointee.close() }
        methods.xRead = { file, into, count, offset in
            let file = LogFile.at(file)
            let code = file.pointee.flush()
            guard code == SQLITE_OK else { return code }
            return file.pointee.inner.pointee.pMethods.pointee.xRead(
                file.pointee.inner, into, count, offset)
        }
        methods.xWrite = { LogFile.at($0).pointee.write($1!, Int($2), $3) }
        methods.xTruncate = { file, size in
            LogFile.flushed(file) { $0.pointee.pMethods.pointee.xTruncate($0, size) }
        }
        methods.xSync = { file, flags in
            LogFile.flushed(file) { $0.pointee.pMethods.pointee.xSync($0, flags) }
        }
        methods.xFileSize = { file, size in
            LogFile.flushed(file) { $0.pointee.pMethods.pointee.xFileSize($0, size) }
        }
        methods.xLock = { file, level in
            LogFile.flushed(file) { $0.pointee.pMethods.pointee.xLock($0, level) }
        }
        methods.xUnlock = { file, level in
            LogFile.flushed(file) { $0.pointee.pMethods.pointee.xUnlock($0, level) }
        }
        methods.xCheckReservedLock = { file, held in
            LogFile.flushed(file) { $0.pointee.pMethods.pointee.xCheckReservedLock($0, held) }
        }
        methods.xFileControl = { file, operation, argument in
            LogFile.flushed(file) {
                $0.pointee.pMethods.pointee.xFileControl($0, operation, argument)
            }
        }
        methods.xSectorSize = { file in
            let inner = LogFile.at(file).pointee.inner
            return inner.pointee.pMethods.pointee.xSectorSize(inner)
        }
        methods.xDeviceCharacteristics = { file in
            let inner = LogFile.at(file).pointee.inner
            return inner.pointee.pMethods.pointee.xDeviceCharacteristics(inner)
        }
        return methods
    }
}

/// An open log in the memory that SQLite gives to a file; the base's file follows it there.
struct LogFile {
    /// What SQLite sees; must come first.
    private var file: sqlite3_file
    let inner: UnsafeMutablePointer<sqlite3_file>
    private let gathered: UnsafeMutableRawPointer
    /// Where in the log the gathered bytes begin, and how many there are.
    private var start: Int64 = 0
    private var count = 0

    static let innerOffset = (MemoryLayout<LogFile>.size + 15) & ~15

    static func at(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<LogFile> {
        UnsafeMutableRawPointer(file!).assumingMemoryBound(to: LogFile.self)
    }

    /// Opens the log `name` and leaves a file in the memory at `place`, or none.
    static func open(
        _ name: UnsafePointer<CChar>?, in place: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
        _ chosen: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        let memory = UnsafeMutableRawPointer(place)
        let inner = (memory + innerOffset).assumingMemoryBound(to: sqlite3_file.self)
        let base = GatheredLog.base
        let code = base.pointee.xOpen(base, name, inner, flags, chosen)
        guard code == SQLITE_OK else {
            place.pointee.pMethods = nil
            return code
        }
        memory.bindMemory(to: LogFile.self, capacity: 1).initialize(
            to: LogFile(
                file: sqlite3_file(pMethods: GatheredLog.methods), inner: inner,
                gathered: .allocate(byteCount: GatheredLog.capacity, alignment: 4096)))
        return SQLITE_OK
    }

    /// Calls `body` with the base's file once it holds everything.
    static func flushed(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ body: (UnsafeMutablePointer<sqlite3_file>) -> Int32
    ) -> Int32 {
        let file = at(file)
        let code = file.pointee.flush()
        return code == SQLITE_OK ? body(file.pointee.inner) : code
    }

    mutating func write(_ bytes: UnsafeRawPointer, _ length: Int, _ offset: Int64) -> Int32 {
        if count > 0, offset != start + Int64(count) || length > GatheredLog.capacity - count {
            let code = flush()
            guard code == SQLITE_OK else { return code }
        }
        guard length <= GatheredLog.capacity else {
            return inner.pointee.pMethods.pointee.xWrite(inner, bytes, Int32(length), offset)
        }
        if count == 0 { start = offset }
        (gathered + count).copyMemory(from: bytes, byteCount: length)
        count += length
        return SQLITE_OK
    }

    /// Writes what is gathered. Where that fails it is dropped: the commit fails, and the next one
    /// writes its own pages to the same place.
    mutating func flush() -> Int32 {
        guard count > 0 else { return SQLITE_OK }
        let length = Int32(count)
        count = 0
        return inner.pointee.pMethods.pointee.xWrite(inner, gathered, length, start)
    }

    mutating func close() -> Int32 {
        let written = flush()
        let closed = inner.pointee.pMethods.pointee.xClose(inner)
        gathered.deallocate()
        return written == SQLITE_OK ? closed : written
    }
}
