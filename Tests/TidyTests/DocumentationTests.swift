import Foundation
import Testing

@Suite("What is written about the code is there, and true")
struct DocumentationTests {
    /// Names whose meaning their protocol tells.
    private static let witnesses: Set<String> = {
        var names: Set<String> = [
            "description", "debugDescription", "hash", "==", "<", "rawValue", "init",
        ]
        for file in Repository.sources {
            var depth = 0
            for line in file.code {
                if depth == 0,
                    !line.has("protocol") || !line.contains(#/^\s*(?:\w+\s+)*protocol\s/#)
                {
                    continue
                }
                if depth > 0, let name = line.firstMatch(of: #/\b(?:func|var)\s+(\w+)/#) {
                    names.insert(String(name.1))
                }
                for character in line {
                    if character == "{" { depth += 1 }
                    if character == "}" { depth -= 1 }
                }
            }
        }
        return names
    }()

    @Test("Every type and function that other rooms see has a doc comment")
    func docComments() {
        var missing: [String] = []
        var seen = 0
        for file in Repository.sources {
            var documented: Set<String> = []
            for index in file.code.indices {
                guard let (keyword, name) = Self.declaration(file.code[index]) else { continue }
                seen += 1
                // Members that hold a value: the type's comment and their names may say it all.
                if ["var", "let", "case"].contains(keyword) { continue }
                // Operators mean what they always mean, and overloads share a comment.
                if name.isEmpty || documented.contains(name) { continue }
                if Self.isDocumented(file, index) || Self.witnesses.contains(name) {
                    documented.insert(name)
                    continue
                }
                missing.append("\(file.path):\(index + 1) \(name)")
            }
        }
        #expect(missing.isEmpty)
        #expect(seen > 300, "declarations are not found any more")
    }

    @Test("README and the pages of docs link to files, lines and headings that exist")
    func links() {
        let pages = ["README.md"] + Repository.files(in: ["docs"]).filter { $0.hasSuffix(".md") }
        var broken: [String] = []
        for page in pages {
            guard let text = Repository.text(page) else {
                broken.append("\(page) is not there")
                continue
            }
            for match in text.matches(of: #/\]\(([^)\s]+)\)/#) {
                let link = String(match.1)
                if let fault = Self.fault(of: link, on: page) {
                    broken.append("\(page): \(link) \(fault)")
                }
            }
        }
        #expect(broken.isEmpty)
    }

    @Test("Every row of the threat model names a test that there is")
    func threatModel() throws {
        let model = try #require(Repository.text("docs/threat-model.md"))
        let tests = Repository.files(in: ["Tests"]).filter { $0.hasSuffix(".swift") }
            .compactMap { Repository.text($0) }.joined(separator: "\n")
        let rows = model.matches(of: #/\n\| [a-z ]+ \| [^\n]*\| "([^"\n]+)" \|/#)
        let missing = rows.map { String($0.1) }.filter { !tests.contains("\"\($0)\"") }
        #expect(missing.isEmpty)
        #expect(rows.count == 29)
    }

    @Test("README tells each code's status and advice as the API does")
    func problemCodes() throws {
        let source = try #require(Repository.text("Sources/API/ProblemCode.swift"))
        let readme = try #require(Repository.text("README.md"))
        var names: [Substring: String] = [:]
        for match in source.matches(of: #/case (\w+)(?: = "([^"]+)")?\n/#) {
            names[match.1] = String(match.2 ?? match.1)
        }
        var told: Set<String> = []
        for row in readme.matches(of: #/\n\| (\d{3}) \| ([^|]+) \| ([a-z-]+) \|/#) {
            for code in row.2.matches(of: #/`([a-z_]+)`/#) {
                told.insert("\(row.1) \(code.1) \(row.3)")
            }
        }
        var meant: Set<String> = []
        for entry in source.matches(of: #/case \.(\w+):\s*\((\d+), \.(\w+),/#) {
            let advice = names[entry.3] ?? String(entry.3)
            meant.insert("\(entry.2) \(names[entry.1] ?? "?") \(advice)")
        }
        #expect(told == meant)
        #expect(meant.count > 20)
    }

    @Test("The operations manual lists every metric and every log event, and no others")
    func operationsManual() throws {
        var manual = try #require(Repository.text("docs/operations.md"))
        let start = try #require(manual.range(of: SettingsPageTests.begin)).lowerBound
        // The settings have a test of their own.
        manual.removeSubrange(
            start..<(try #require(manual.range(of: SettingsPageTests.end))).upperBound)
        var used: Set<String> = []
        for file in Repository.sources where file.path.hasPrefix("Sources/") {
            let text = file.lines.joined(separator: "\n")
            for match in text.matches(of: #/"((?:transferd|http)_[a-z_]+)"/#) {
                used.insert(String(match.1))
            }
            let event = #/log\.(?:debug|info|notice|warning|error)\(\s*"([a-z_.]+)"/#
            for match in text.matches(of: event) { used.insert(String(match.1)) }
        }
        let rows = manual.matches(of: #/\n\| `([a-z]+[_.][a-z_.]+)` \|/#)
        let listed = Set(rows.map { String($0.1) }.filter { !$0.hasPrefix("bank.db") })
        #expect(listed == used)
        #expect(used.count > 20)
    }

    @Test(
        "A link that leads nowhere is found",
        arguments: [
            "Sources/None.swift", "Package.swift#L100000", "Package.swift#L0", "#no-such-heading",
        ])
    func brokenLink(link: String) {
        #expect(Self.fault(of: link, on: "README.md") != nil)
    }

    /// What a line declares for other rooms; nil for none, for imports and for what only widens an
    /// access level.
    private static func declaration(_ line: String) -> (keyword: String, name: String)? {
        guard line.has("package ") || line.has("public "),
            let match = line.firstMatch(
                of:
                    #/^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:package|public)\s+(?:[a-z]+(?:\([a-z]+\))?\s+)*?(func|var|let|struct|class|enum|protocol|actor|typealias|init|subscript|case)\b\s*([^\s(:<{=]*)/#
            )
        else { return nil }
        return (String(match.1), match.1 == "init" ? "init" : String(match.2))
    }

    /// A doc comment stands right above, or above and covers its neighbours ("This and the next").
    private static func isDocumented(_ file: SourceFile, _ index: Int) -> Bool {
        var above = index - 1
        while above >= 0 {
            let line = file.lines[above].trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("///") { return true }
            // Attributes and conditions may stand between.
            guard line.hasPrefix("@") || line.hasPrefix("#if") else { break }
            above -= 1
        }
        return isCovered(file, index)
    }

    private static func isCovered(_ file: SourceFile, _ index: Int) -> Bool {
        var above = index - 1
        while above >= 0, index - above < 12 {
            let line = file.lines[above].trimmingCharacters(in: .whitespaces)
            if line.isEmpty { return false }
            if line.hasPrefix("///") {
                return line.has("This ") && line.has(" and the next")
            }
            above -= 1
        }
        return false
    }

    private static func fault(of link: String, on page: String) -> String? {
        let sides = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let folder = page.split(separator: "/").dropLast().map(String.init)
        var parts = folder
        for part in sides[0].split(separator: "/") {
            if part == ".." { _ = parts.popLast() } else { parts.append(String(part)) }
        }
        let target = sides[0].isEmpty ? page : parts.joined(separator: "/")
        guard Repository.exists(target) else { return "is not there" }
        guard sides.count == 2 else { return nil }
        guard let text = Repository.text(target) else { return "has no text to point into" }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if let numbers = sides[1].wholeMatch(of: #/L(\d+)(?:-L(\d+))?/#) {
            let first = Int(numbers.1) ?? 0
            let last = numbers.2.flatMap { Int($0) } ?? first
            return 1 <= first && first <= last && last < lines.count ? nil : "has no such line"
        }
        let headings = lines.filter { $0.hasPrefix("#") }.map { heading in
            heading.drop { $0 == "#" || $0 == " " }.lowercased()
                .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
                .replacingOccurrences(of: " ", with: "-")
        }
        return headings.contains(String(sides[1])) ? nil : "has no such heading"
    }
}
