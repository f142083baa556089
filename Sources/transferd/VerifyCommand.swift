import Bank
import Configuration
import JSON
import Store

/// `transferd verify`
enum VerifyCommand {
    static func run(_ invocation: Invocation) throws {
        let database = try invocation.database()
        let structure = invocation.has("structure")
        // PostgreSQL has its own for that.
        if structure { _ = try invocation.databaseFile() }
        try DatabaseFile.require(database)
        let report: VerificationReport
        do throws(StoreError) {
            report = try database.verify(
                structure: structure,
                progress: { Terminal.progress("\($0): \($1) rows …") })
            Terminal.progress("")
        } catch {
            Terminal.progress("")
            // A file that cannot even be read to its end is what this command is there to find.
            guard case .unusable(let text) = error else { throw error }
            throw CommandError(
                .damage, "The database \(database) is damaged: \(text). Restore it from a backup.")
        }
        try Terminal.out(invocation.has("json") ? json(report, database) : text(report, database))
        guard report.isSound else {
            throw CommandError(
                .damage,
                "\(report.damageCount == 1 ? "1 damage was" : "\(report.damageCount) damages were") "
                    + "found in \(database). Keep it as it is, stop "
                    + "every server, and restore a backup beside it to compare.")
        }
    }

    private static func text(_ report: VerificationReport, _ database: Database) -> String {
        let rows = report.checks.map { [$0.name, String($0.rows)] }
        var text = Terminal.table([["check", "rows"]] + rows, right: [1])
        for damage in report.damages { text += "damage: \(damage)\n" }
        if report.damageCount > report.damages.count {
            text += "and \(report.damageCount - report.damages.count) more\n"
        }
        if report.isSound {
            text += "\(database) is sound: \(report.checks.count) checks.\n"
        }
        return text
    }

    private static func json(_ report: VerificationReport, _ database: Database) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.member("database", database.description)
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
