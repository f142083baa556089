import CLinux
import Configuration
import Glibc
import Platform
import SQLiteStore
import Store

/// `transferd restore`
enum RestoreCommand {
    static func run(_ invocation: Invocation) throws {
        let (source, named) = (invocation["from"] ?? "", invocation["to"] ?? "")
        let target = BackupPlacement.resolved(named)
        umask(0o077)
        let descriptor = FileDescriptor(owning: cl_open(source, O_RDONLY, 0))
        guard descriptor.number >= 0 else {
            throw CommandError.unreadable(
                "the backup", source, SystemError("open \(source)"))
        }
        try requireDatabase(descriptor, source)
        descriptor.close()
        try DatabaseCopying.refuseSame(source, target)
        // By whatever name a server knows the database.
        let lock = try DatabaseCopying.lock(target, role: "transferd restore")
        let exists = BackupPlacement.exists(target)
        guard !exists || invocation.has("force") else {
            throw CommandError(
                .damage,
                "There is \(target) already; nothing was changed. --force takes its place and keeps "
                    + "it beside, or name another file with --to.")
        }
        guard exists || !BackupPlacement.exists(target + "-wal") else {
            throw CommandError(
                .damage,
                "There is \(target)-wal without its database. Move it to the file that it belongs "
                    + "to, or away, before another file gets that name.")
        }
        try verify(source)
        var kept: String?
        let pages = try DatabaseCopying.copy(source, to: target) { partial in
            if exists {
                let name = keptName(target)
                try keep(target, as: name)
                kept = name
            }
            do throws(SystemError) {
                try BackupPlacement.place(partial, at: target, replacing: exists)
            } catch { throw DatabaseCopying.unwritable(target, error) }
        }
        var text = "\(target) holds \(source): \(pages) pages, verified."
        if let kept { text += "\nThe file that was there is kept as \(kept)." }
        try DatabaseCopying.report(invocation, text, source, target, pages, kept: kept)
        withExtendedLifetime(lock) {}
    }

    /// As `verify` says it. Before anything is made beside the target.
    private static func requireDatabase(
        _ descriptor: FileDescriptor, _ source: String
    ) throws(CommandError) {
        let magic = Array("SQLite format 3\0".utf8)
        var start = [UInt8](repeating: 0, count: magic.count)
        guard read(descriptor.number, &start, start.count) == magic.count, start == magic else {
            throw CommandError(
                .unusableData, "\(source) is not an SQLite database. Name another file.")
        }
    }

    private static func verify(_ source: String) throws {
        defer { Terminal.progress("") }
        let faults = try Backup.examine(
            source, progress: { Terminal.progress("verifying \(source): \($0): \($1) rows …") })
        guard faults.isEmpty else {
            throw CommandError(
                .damage,
                "The backup \(source) is damaged: \(faults[0]). Nothing was changed; restore another "
                    + "one.")
        }
    }

    /// "bank.db.before-restore-20261130T140211345Z"
    private static func keptName(_ target: String) -> String {
        let time = SystemWallClock().now().rfc3339.filter { !"-:.".contains($0) }
        return target + ".before-restore-" + time
    }

    private static func keep(_ target: String, as name: String) throws {
        // A file that is damaged is what a backup is restored for: it is kept with its log.
        if try isFolded(target), BackupPlacement.exists(target + "-wal") {
            throw DatabaseCopying.open(target)
        }
        do throws(SystemError) { try BackupPlacement.keep(target, as: name) } catch {
            throw DatabaseCopying.unwritable(name, error)
        }
    }
    /// Whether the log could be moved into the database; false for a file that is damaged.
    private static func isFolded(_ target: String) throws(StoreError) -> Bool {
        do throws(StoreError) {
            try Administration.foldLog(path: target)
            return true
        } catch .unusable { return false }
    }
}
