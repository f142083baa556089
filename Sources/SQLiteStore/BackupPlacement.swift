import CLinux
import Glibc
package import Platform

/// Gives finished database files their names. What is at a name is at every moment either whole or
/// absent.
package enum BackupPlacement {
    /// A name beside `path` that nobody has.
    package static func partialName(of path: String, random: any RandomBytes) -> String {
        let suffix = random.bytes(4).map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0" + text : text
        }.joined()
        return path + ".partial-" + suffix
    }

    /// Whether anything has that name, a dangling link included.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Where a symbolic link leads to, so that the file is replaced and not the link; any other
    /// name as it is.
    package static func resolved(_ path: String) -> String {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK,
            let found = realpath(path, nil)
        else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    /// Whether both names lead to one file.
    package static func isSame(_ a: String, _ b: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(a, &first) == 0, stat(b, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// Gives the synced file `partial` the name `path`. Without `replacing` a file that has that
    /// name stays, and the error is EEXIST.
    package static func place(
        _ partial: String, at path: String, replacing: Bool
    ) throws(SystemError) {
        if replacing {
            guard rename(partial, path) == 0 else { throw SystemError("rename to \(path)") }
        } else {
            // rename(2) would replace; link(2) does not.
            try link(partial, to: path)
            guard unlink(partial) == 0 || errno == ENOENT else {
                throw SystemError("unlink \(partial)")
            }
        }
        try syncFolder(of: path)
    }

    /// Moves the database at `path`, with a log that could not be folded into it, to `kept`.
    ///
    /// Without a log both names lead to it until `place` replaces `path`, so that there is always a
    /// database. With one, `path` is free afterwards: the log must never stand beside another file.
    package static func keep(_ path: String, as kept: String) throws(SystemError) {
        guard exists(path + "-wal") else {
            try link(path, to: kept)
            return try syncFolder(of: path)
        }
        for ending in ["", "-wal", "-shm"] where exists(path + ending) {
            guard !exists(kept + ending) else {
                throw SystemError("rename to \(kept + ending)", code: EEXIST)
            }
            guard rename(path + ending, kept + ending) == 0 else {
                throw SystemError("rename to \(kept + ending)")
            }
        }
        try syncFolder(of: path)
    }

    /// Takes away a file that was not finished, and what SQLite has put beside it.
    package static func remove(_ partial: String) {
        for ending in ["", "-wal", "-shm", "-journal"] { unlink(partial + ending) }
    }

    private static func link(_ path: String, to name: String) throws(SystemError) {
        guard Glibc.link(path, name) != 0 else { return }
        let code = errno
        // File systems without hard links: not as safe against two at once, and all there is.
        guard [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(code), !exists(name) else {
            throw SystemError("link \(name)", code: code)
        }
        guard rename(path, name) == 0 else { throw SystemError("rename to \(name)") }
    }

    private static func syncFolder(of path: String) throws(SystemError) {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let name = folder.isEmpty ? "." : folder == [""] ? "/" : folder.joined(separator: "/")
        let descriptor = FileDescriptor(owning: cl_open(name, O_RDONLY | O_DIRECTORY, 0))
        guard descriptor.number >= 0, fsync(descriptor.number) == 0 else {
            throw SystemError("fsync \(name)")
        }
    }
}
