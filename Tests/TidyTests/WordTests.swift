import Testing

@Suite("Words that do not belong here")
struct WordTests {
    /// Swift code, with comments and strings blanked out.
    private static let forbidden: [(word: String, why: String)] = [
        ("try!", "an error is handled or passed on"),
        ("as!", "a cast that cannot fail is written as one"),
        ("-Ounchecked", "arithmetic on money traps"),
    ]

    @Test("No forced try and no forced cast", arguments: forbidden)
    func forcedCode(word: String, why: String) {
        let found = lines(of: Repository.sources, \.code) { $0.has(word) }
        #expect(found.isEmpty, "\(why)")
    }

    @Test("Nothing is put off in a comment")
    func postponedWork() {
        // The third is also the currency code for no currency: only where a comment begins with it.
        let marks = ["TO" + "DO", "FIX" + "ME", "// " + "XXX"]
        let found = lines(of: Repository.sources + Repository.tests, \.lines) { line in
            marks.contains { line.has($0) }
        }
        #expect(found.isEmpty)
    }

    @Test("Every unchecked Sendable says why, within three lines")
    func uncheckedSendable() {
        var silent: [String] = []
        for file in Repository.sources {
            for (index, line) in file.code.enumerated() where line.has("@unchecked Sendable") {
                let near = max(0, index - 3)...min(file.lines.count - 1, index + 3)
                let says = file.lines[near].contains {
                    $0.contains("// Sendable:") || $0.contains("/// Sendable:")
                }
                if !says { silent.append("\(file.path):\(index + 1)") }
            }
        }
        #expect(silent.isEmpty, "write `// Sendable:` and the reason")
    }

    @Test("No file has top-level code")
    func topLevelCode() {
        let found = (Repository.sources + Repository.tests).map(\.path)
            .filter { $0.hasSuffix("/main.swift") }
        #expect(found.isEmpty)
    }

    @Test("No file names a machine's folders or a host of the outside")
    func placesOutside() {
        let folders = ["work", "root", "home", "Users", "opt"].map { "/\($0)/" }
        let domains = [".org", ".com", ".io", ".dev", ".net", ".internal"]
        let host = #/\b(?:[a-z0-9-]+\.)+(?:org|com|io|dev|net|internal)\b/#
        var found: [String] = []
        for path in Repository.files(in: [
            "Sources", "Tests", "Migrations", "Benchmarks", "config", "docs", ".ci", "README.md",
            "Makefile", "Dockerfile", "Package.swift", ".dockerignore", ".gitignore",
        ]) {
            guard !path.hasPrefix("Tests/TidyTests/"), let text = Repository.text(path) else {
                continue
            }
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
                .enumerated()
            {
                let line = String(line)
                guard (domains + folders).contains(where: { line.has($0) }) else { continue }
                let hosts = line.matches(of: host).filter { match in
                    // Names that RFC 2606 keeps for examples, the name of SVG's namespace, and calls
                    // such as `x.io(`.
                    !match.0.contains("example") && match.0 != "www.w3.org"
                        && !line[match.range.upperBound...].hasPrefix("(")
                }
                if !hosts.isEmpty || folders.contains(where: { line.has($0) }) {
                    found.append("\(path):\(index + 1) \(line)")
                }
            }
        }
        #expect(found.isEmpty)
    }

    private func lines(
        of files: [SourceFile], _ view: KeyPath<SourceFile, [String]>,
        where offends: (String) -> Bool
    ) -> [String] {
        files.flatMap { file in
            file[keyPath: view].enumerated().filter { offends($0.element) }
                .map { "\(file.path):\($0.offset + 1) \(file.lines[$0.offset])" }
        }
    }
}
