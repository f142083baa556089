import Configuration
import JSON
import SQLiteStore
import Store

/// `transferd verify`
enum VerifyCommand {
    static func run(_ invocation: Invocation) throws {
        let path = invocation["database"] ?? ""
        try DatabaseFile.require(path)
        let report: VerificationReport
        do throws(StoreError) {
            report = try Verifier.verify(
                path: path, structure: invocation.has("structure"),
                progress: { Terminal.progress("\($0): \($1) rows …") })
            Terminal.progress("")
        } catch {
            Terminal.progress("")
            // A file that cannot even be read to its end is what this command is there to find.
            guard case .unusable(let text) = error else { throw error }
            throw CommandError(
                .damage, "The database \(path) is damaged: \(text). Restore it from a backup.")
        }
        try Terminal.out(invocation.has("json") ? json(report, path) : text(report, path))
        guard report.isSound else {
            throw CommandError(
                .damage,
                "\(report.damageCount) damages were found in \(path). Keep the file as it is, stop "
                    + "the server, and restore a backup beside it to compare.")
        }
    }

    private static func text(_ report: VerificationReport, _ path: String) -> String {
        let rows = report.checks.map { [$0.name, String($0.rows)] }
        var text = Terminal.table([["check", "rows"]] + rows, right: [1])
        for damage in report.damages { text += "damage: \(damage)\n" }
        if report.damageCount > report.damages.count {
            text += "and \(report.damageCount - report.damages.count) more\n"
        }
        if report.isSound {
            text += "\(path) is sound: \(report.checks.count) checks.\n"
        }
        return text
    }

    private static func json(_ report: VerificationReport, _ path: String) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.member("database", path)
        json.member("sound", report.isSound)
        json.beginArray("checks")
        for check in report.checks {
            json.beginObject()
            json.member("check", check.name)
            json.member("rows", Int64(check.rows))
            json.endObject()
        }
        json.endArray()
        json.member("damageCount", Int64(report.damageCount))
        json.beginArray("damages")
        for damage in report.damages { json.string(damage) }
        json.endArray()
        json.endObject()
        return String(decoding: json.finish(), as: UTF8.self) + "\n"
    }
}
