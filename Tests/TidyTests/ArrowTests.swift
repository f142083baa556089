import Testing

@Suite("Rooms know only what stands below them")
struct ArrowTests {
    /// What each room may import. The web wing (HTTPServer, Identity) and the money wing (Store,
    /// Ledger) meet only in API, and in what assembles a bank.
    static let allowed: [String: Set<String>] = [
        "Platform": ["CLinux", "Glibc", "Synchronization"],
        "Crypto": ["COpenSSL", "Platform"],
        "JSON": [],
        "Ledger": ["Crypto", "Platform", "Swift"],
        "HTTPServer": ["CLinux", "Glibc", "Platform", "Synchronization"],
        "Identity": ["Crypto", "Glibc", "JSON", "Platform"],
        "Migrations": [],
        "Documents": [],
        "Store": ["Crypto", "Ledger", "Migrations", "Platform"],
        "SQLiteStore": [
            "CLinux", "CSQLite", "Crypto", "Glibc", "Ledger", "Migrations", "Platform", "Store",
        ],
        "PostgresStore": [
            "CPostgres", "Crypto", "Glibc", "Ledger", "Migrations", "Platform", "Store",
        ],
        "Settlement": ["Ledger", "Platform", "Store"],
        "API": [
            "Crypto", "Documents", "HTTPServer", "Identity", "JSON", "Ledger", "Platform", "Store",
        ],
        "Bank": [
            "API", "Crypto", "Foundation", "HTTPServer", "Identity", "Ledger", "Platform",
            "PostgresStore", "SQLiteStore", "Settlement", "Store",
        ],
        "Configuration": [
            "API", "Bank", "Foundation", "Glibc", "HTTPServer", "Identity", "Ledger", "Platform",
            "Store",
        ],
        "transferd": [
            "API", "Bank", "CLinux", "Configuration", "Crypto", "Foundation", "Glibc", "HTTPServer",
            "Identity",
            "JSON", "Ledger", "Platform", "PostgresStore", "SQLiteStore", "Store",
        ],
    ]

    @Test("No room imports what is not below it")
    func imports() {
        var wrong: [String] = []
        var rooms: Set<String> = []
        for file in Repository.sources {
            let room = file.path.hasPrefix("Migrations/") ? "Migrations" : file.room
            rooms.insert(room)
            for (index, line) in file.code.enumerated() {
                guard line.has("import"),
                    let match = line.firstMatch(of: #/^\s*(?:[@\w()]+\s+)*import\s+(\w+)/#)
                else {
                    continue
                }
                if Self.allowed[room]?.contains(String(match.1)) != true {
                    wrong.append("\(file.path):\(index + 1) imports \(match.1)")
                }
            }
        }
        #expect(wrong.isEmpty)
        #expect(rooms == Set(Self.allowed.keys), "a room is not in the list, or no longer there")
    }

    @Test(
        "The pure rooms do without Foundation",
        arguments: [
            "Platform", "JSON", "HTTPServer", "Ledger", "Crypto",
        ])
    func foundation(room: String) {
        #expect(Self.allowed[room]?.contains { $0.hasPrefix("Foundation") } == false)
    }

    @Test("Only the stores speak SQL")
    func sql() {
        let statement =
            #/"?\b(SELECT\s+\S+.*\bFROM|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+TABLE|PRAGMA\s+\w+|BEGIN\s+IMMEDIATE)\b/#
        let words = ["SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "PRAGMA", "BEGIN"]
        let found = offences(statement, in: \.lines, near: words) {
            !$0.room.hasSuffix("Store") || $0.room == "Store"
        }
        #expect(found.isEmpty)
        // The same words are found where they belong.
        #expect(!offences(statement, in: \.lines, near: words) { $0.room == "SQLiteStore" }.isEmpty)
    }

    @Test("Only API and HTTPServer know status codes")
    func statusCodes() {
        let status = #/(?i)status(?:code)?\s*(?::|==|!=|=|<|>=)\s*[1-5]\d\d\b/#
        let found = offences(status, in: \.code, near: ["tatus"]) {
            // A health check is a client: it reads the one status that means well.
            !["API", "HTTPServer"].contains($0.room)
                && $0.path != "Sources/transferd/HealthcheckCommand.swift"
        }
        #expect(found.isEmpty)
        #expect(!offences(status, in: \.code, near: ["tatus"]) { $0.room == "API" }.isEmpty)
    }

    /// `near`: words of which a line has one before the pattern, which is slow, is tried.
    private func offences(
        _ pattern: some RegexComponent, in view: KeyPath<SourceFile, [String]>, near: [String],
        where applies: (SourceFile) -> Bool
    ) -> [String] {
        var found: [String] = []
        for file in Repository.sources where file.path.hasPrefix("Sources/") && applies(file) {
            for (index, line) in file[keyPath: view].enumerated()
            where near.contains(where: { line.has($0) }) && line.firstMatch(of: pattern) != nil {
                let isComment = file.lines[index].trimmingPrefix(while: \.isWhitespace)
                    .hasPrefix("//")
                if !isComment { found.append("\(file.path):\(index + 1) \(file.lines[index])") }
            }
        }
        return found
    }
}
