import CLinux
import Glibc
import Platform

/// Holds a database for one server, for as long as the value lives: an exclusive flock(2) on a file
/// beside it, which tells who the holder is, and one on the database itself, which holds whatever
/// name the file is reached by. The kernel frees both when the process dies, however it dies.
package final class DatabaseLock: Sendable {
    /// Another process has the database.
    package struct Held: Error, CustomStringConvertible {
        package let path: String
        /// What the holder wrote about itself.
        package let holder: String

        package var description: String {
            "the database \(path) is served by another process (\(holder)). End that one first, "
                + "or name another file with --database."
        }
    }

    /// The database has names in more than one place.
    package struct Linked: Error, CustomStringConvertible {
        package let path: String

        package var description: String {
            "the database \(path) has more than one hard link, and each name would have a log of "
                + "its own. Remove the other names first."
        }
    }

    private let descriptor: FileDescriptor
    /// Stays open until the process ends: closing any descriptor of the file would free the locks
    /// that SQLite holds on it.
    private let database = Guarded<FileDescriptor?>(nil)

    /// Throws `Held` when another process has it, `Linked` for a file of several names,
    /// `SystemError` when a file cannot be made.
    package init(databasePath path: String, role: String) throws {
        // A link has no lock of its own: whoever comes through it is to find the holder's.
        let file = BackupPlacement.resolved(path) + ".lock"
        let number = cl_open(file, O_RDWR | O_CREAT, 0o600)
        guard number >= 0 else { throw SystemError("open \(file)") }
        descriptor = FileDescriptor(owning: number)
        guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw SystemError("flock \(file)") }
            throw Held(path: path, holder: Self.holder(number))
        }
        try holdFile(path)
        let text = Array("\(role), process \(getpid())".utf8)
        guard ftruncate(number, 0) == 0, write(number, text, text.count) == text.count else {
            throw SystemError("write \(file)")
        }
    }

    /// Holds the database itself, if it is there. To be called again by whoever makes it; does nothing
    /// when it is held already. Call before SQLite has the file open.
    package func holdFile(_ path: String) throws {
        try database.withLock { held in
            guard held == nil else { return }
            let inode = cl_open(path, O_RDWR, 0)
            guard inode >= 0 else {
                guard errno == ENOENT else { throw SystemError("open \(path)") }
                return
            }
            let descriptor = FileDescriptor(owning: inode)
            var status = stat()
            guard fstat(inode, &status) == 0 else { throw SystemError("fstat \(path)") }
            guard status.st_nlink == 1 else { throw Linked(path: path) }
            guard flock(inode, LOCK_EX | LOCK_NB) == 0 else {
                guard errno == EWOULDBLOCK else { throw SystemError("flock \(path)") }
                // Reached by another name, a link or a mount: the holder's note is elsewhere.
                throw Held(path: path, holder: "unknown, under another name of the file")
            }
            held = descriptor
        }
    }

    private static func holder(_ number: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 200)
        let count = max(0, read(number, &bytes, bytes.count))
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : "unknown"
    }
}
