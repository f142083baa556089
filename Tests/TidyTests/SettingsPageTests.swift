import Configuration
import Foundation
import Testing

@Suite("The manual's table of settings is the program's")
struct SettingsPageTests {
    private static let page = "docs/operations.md"
    static let begin = "<!-- settings: written by `make docs` -->\n"
    static let end = "<!-- end of settings -->\n"

    @Test("docs/operations.md has every setting as `serve` takes it; `make docs` writes it")
    func settings() throws {
        let manual = try #require(Repository.text(Self.page))
        let start = try #require(manual.range(of: Self.begin)).upperBound
        let stop = try #require(manual.range(of: Self.end)).lowerBound
        try #require(start <= stop)
        if ProcessInfo.processInfo.environment["TRANSFERD_WRITE_DOCS"] != nil {
            var written = manual
            written.replaceSubrange(start..<stop, with: Self.table)
            try written.write(
                to: Repository.root.appendingPathComponent(Self.page), atomically: true,
                encoding: .utf8)
            return
        }
        #expect(manual[start..<stop] == Self.table, "run `make docs`")
    }

    private static var table: String {
        let heading = ["setting", "environment variable", "default", "values", "meaning"]
        let rows =
            [heading, heading.map { _ in "---" }]
            + SettingsTable.all.map { setting in
                [
                    "`\(setting.key)`", "`\(setting.environmentName)`",
                    "`\(setting.defaultValue.json5)`", values(of: setting), setting.doc,
                ]
            }
        return rows.map { row in
            let cells = row.map { $0.replacingOccurrences(of: "|", with: "\\|") }
            return "| " + cells.joined(separator: " | ") + " |\n"
        }.joined()
    }

    /// What it may be, short enough for a column: "1 to 64 threads".
    private static func values(of setting: Setting) -> String {
        let unit = setting.unit.map { " " + $0 } ?? ""
        switch setting.kind {
        case .integer(let range): return "\(range.lowerBound) to \(range.upperBound)\(unit)"
        case .amounts: return "texts by currency, in\(unit)"
        case .boolean, .text, .choice, .choices: return setting.demand
        }
    }
}
