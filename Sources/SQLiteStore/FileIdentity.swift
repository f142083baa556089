import CLinux
import CSQLite
import Glibc

/// A file, whatever its name.
struct FileIdentity: Hashable {
    let device: UInt64
    let inode: UInt64
    /// Hard links: names that lead to it.
    let names: UInt64

    init(path: String) throws(SQLiteError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw SQLiteError(
                operation: "open \(path)", code: SQLITE_CANTOPEN, message: "there is no such file")
        }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        names = UInt64(status.st_nlink)
    }

    static func == (a: Self, b: Self) -> Bool { a.device == b.device && a.inode == b.inode }

    func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(inode)
    }
}
