import Configuration
import Glibc
import JSON
import Platform
import SQLiteStore
import Store

/// `transferd backup`
enum BackupCommand {
    static func run(_ invocation: Invocation) throws {
        let path = try invocation.databaseFile()
        let target = BackupPlacement.resolved(invocation["to"] ?? "")
        // Nobody else shall read a bank's books.
        umask(0o077)
        try DatabaseFile.require(path)
        try DatabaseCopying.refuseSame(path, target)
        let replacing = BackupPlacement.exists(target)
        guard !replacing || invocation.has("force") else { throw exists(target) }
        let guardian = replacing ? try prepare(target) : nil

        let pages = try DatabaseCopying.copy(path, to: target) { partial in
            do throws(SystemError) {
                try BackupPlacement.place(partial, at: target, replacing: replacing)
            } catch {
                guard error.code != EEXIST else { throw exists(target) }
                throw DatabaseCopying.unwritable(target, error)
            }
        }
        try DatabaseCopying.report(
            invocation, "\(target) holds \(path): \(pages) pages, verified.", path, target, pages)
        withExtendedLifetime(guardian) {}
    }

    private static func exists(_ target: String) -> CommandError {
        CommandError(
            .damage,
            "There is \(target) already; nothing was changed. Name another file with --to, or "
                + "replace it with --force.")
    }

    /// Sees to it that nobody works on the file that will be replaced, and that no log stands beside
    /// it, which would be taken for the new file's.
    private static func prepare(_ target: String) throws -> DatabaseLock? {
        var lock: DatabaseLock?
        if BackupPlacement.exists(target + ".lock") {
            lock = try DatabaseCopying.lock(target, role: "transferd backup")
        }
        guard BackupPlacement.exists(target + "-wal") else { return lock }
        try Administration.foldLog(path: target)
        guard !BackupPlacement.exists(target + "-wal") else {
            throw DatabaseCopying.open(target)
        }
        return lock
    }
}

/// What `backup` and `restore` do alike.
enum DatabaseCopying {
    /// Copies `source` to a partial file beside `target`, proves it, and lets `place` give it its
    /// name. Returns its pages. Takes the partial file away again if anything fails.
    static func copy(
        _ source: String, to target: String, place: (String) throws -> Void
    ) throws -> Int {
        let partial = BackupPlacement.partialName(of: target, random: SystemRandomBytes())
        defer { Terminal.progress("") }
        do {
            let pages = try make(partial, of: source, target)
            let faults = try Backup.examine(
                partial, progress: { Terminal.progress("verifying: \($0): \($1) rows …") })
            guard faults.isEmpty else {
                throw CommandError(
                    .damage,
                    "The copy of \(source) was verified and is damaged: \(faults[0]). \(target) was "
                        + "not written. Run `transferd verify --structure --database "
                        + "\(shellQuoted(source))`.")
            }
            try place(partial)
            return pages
        } catch {
            BackupPlacement.remove(partial)
            throw error
        }
    }

    private static func make(
        _ partial: String, of source: String, _ target: String
    ) throws -> Int {
        do throws(StoreError) {
            return try Backup.copy(source, to: partial) { copied, all in
                Terminal.progress("copying: \(copied * 100 / max(1, all)) % of \(all) pages …")
            }
        } catch {
            guard case .unavailable(let text) = error, text.hasPrefix("open \(partial)") else {
                throw error
            }
            throw CommandError(
                .noInput,
                "Cannot write beside \(target): \(text). Check that the folder exists and that this "
                    + "user may write in it.")
        }
    }

    static func refuseSame(_ source: String, _ target: String) throws {
        guard !BackupPlacement.isSame(source, target) else {
            throw CommandError(
                .damage, "\(source) and \(target) are one file. Name another with --to.")
        }
    }

    static func lock(_ target: String, role: String) throws -> DatabaseLock {
        do { return try ServerProcess.takeLock(target, role: role) } catch let held
            as DatabaseLock.Held
        {
            throw CommandError(
                .unavailable,
                "The database \(target) is in use (\(held.holder)). End that process first, or name "
                    + "another file with --to.")
        }
    }

    static func open(_ target: String) -> CommandError {
        CommandError(
            .unavailable,
            "The database \(target) is open in another process. End that one first, or name another "
                + "file with --to.")
    }

    static func unwritable(_ target: String, _ error: SystemError) -> CommandError {
        CommandError(
            .noInput,
            "Cannot write \(target): \(error.description). Check that this user may write in the "
                + "folder.")
    }

    static func report(
        _ invocation: Invocation, _ text: String, _ source: String, _ target: String, _ pages: Int,
        kept: String? = nil
    ) throws {
        Terminal.progress("")
        guard invocation.has("json") else { return try Terminal.out(text + "\n") }
        var json = JSONWriter()
        json.beginObject()
        json.member("from", source)
        json.member("to", target)
        json.member("pages", Int64(pages))
        json.member("verified", true)
        if let kept { json.member("kept", kept) } else { json.nullMember("kept") }
        json.endObject()
        try Terminal.out(json: json.finish())
    }
}
