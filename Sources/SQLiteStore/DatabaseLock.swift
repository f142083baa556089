import CLinux
import Glibc
import Platform

/// Holds a database for one server: an exclusive flock(2) on a file beside it, for as long as the
/// value lives. The kernel frees it when the process dies, however it dies.
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

    private let descriptor: FileDescriptor

    /// Throws `Held` when another process has it, `SystemError` when the file cannot be made.
    package init(databasePath path: String, role: String) throws {
        let file = path + ".lock"
        let number = cl_open(file, O_RDWR | O_CREAT, 0o600)
        guard number >= 0 else { throw SystemError("open \(file)") }
        descriptor = FileDescriptor(owning: number)
        guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw SystemError("flock \(file)") }
            var bytes = [UInt8](repeating: 0, count: 200)
            let count = max(0, read(number, &bytes, bytes.count))
            let holder = String(decoding: bytes[..<count], as: UTF8.self)
            throw Held(path: path, holder: holder.isEmpty ? "unknown" : holder)
        }
        let text = Array("\(role), process \(getpid())".utf8)
        guard ftruncate(number, 0) == 0, write(number, text, text.count) == text.count else {
            throw SystemError("write \(file)")
        }
    }
}
