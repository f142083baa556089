import CPostgres

/// Where a database is and who asks: a URL or libpq's `key=value` form. Its description is bland;
/// the password is only in the text itself.
package struct PostgresAddress: Sendable, CustomStringConvertible {
    package let text: String
    private let options: [String: String]

    /// Seconds for each host when the address does not say.
    private static let connectSeconds = 3

    /// Whether `text` is meant as an address of PostgreSQL and not as the path of a file.
    package static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// Why a text is no address.
    package struct Malformed: Error, CustomStringConvertible {
        package let description: String
    }

    package init(_ text: String) throws(Malformed) {
        self.text = text
        var message: UnsafeMutablePointer<CChar>?
        guard let parsed = PQconninfoParse(text, &message) else {
            let reason = message.map { Connection.oneLine($0) } ?? "out of memory"
            PQfreemem(message)
            throw Malformed(description: reason)
        }
        var options: [String: String] = [:]
        var option = parsed
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                options[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        PQconninfoFree(parsed)
        self.options = options
    }

    /// The URL without what is secret in it, to be shown and used again. What is no URL is only
    /// described.
    package var withoutPassword: String {
        guard Self.isAddress(text), let scheme = text.firstRange(of: "://") else {
            return description
        }
        let rest = text[scheme.upperBound...]
        let sides = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var place = sides.first ?? ""
        // As libpq reads it: a user and a password stand before the first @, if no slash does.
        let authority = place.prefix { $0 != "/" }
        if let at = authority.firstIndex(of: "@"),
            let colon = authority[..<at].firstIndex(of: ":")
        {
            place.removeSubrange(colon..<at)
        }
        guard sides.count == 2 else { return String(text[..<scheme.upperBound] + place) }
        // Names may be percent-encoded, so libpq says which they are.
        let kept = sides[1].split(separator: "&").filter { parameter in
            guard let read = try? PostgresAddress("postgresql://?" + parameter) else {
                return false
            }
            return read.options.keys.allSatisfy { !Self.secrets.contains($0) }
        }
        let query = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
        return String(text[..<scheme.upperBound] + place) + query
    }

    private static let secrets: Set<String> = ["password", "sslpassword", "oauth_client_secret"]

    /// The same server and role, another database.
    package func database(_ name: String) throws(Malformed) -> PostgresAddress {
        try with("dbname", name)
    }

    /// The same with one option of libpq's set.
    package func with(_ keyword: String, _ value: String) throws(Malformed) -> PostgresAddress {
        var changed = options
        changed[keyword] = value
        return try PostgresAddress(
            changed.sorted { $0.key < $1.key }.map { key, value in
                let quoted = value.split(separator: "\\", omittingEmptySubsequences: false)
                    .joined(separator: "\\\\").split(
                        separator: "'", omittingEmptySubsequences: false
                    )
                    .joined(separator: "\\'")
                return "\(key)='\(quoted)'"
            }.joined(separator: " "))
    }

    /// Without password and options: host, port, database, user.
    package var description: String {
        let host = options["host"] ?? options["hostaddr"] ?? "the default host"
        let port = options["port"].map { ":\($0)" } ?? ""
        let user = options["user"].map { " as \($0)" } ?? ""
        return "PostgreSQL \(options["dbname"] ?? options["user"] ?? "") on \(host)\(port)\(user)"
    }

    /// Opens a connection, good or bad; nil without memory. The caller owns it.
    func connect() -> OpaquePointer? {
        var given = options
        // What an address may say otherwise.
        for (keyword, value) in Self.usual where given[keyword] == nil { given[keyword] = value }
        if (given["connect_timeout"].flatMap { Int($0) } ?? 0) <= 0 {
            given["connect_timeout"] = String(Self.connectSeconds)
        }
        // What it may not: a standby takes no payments, and texts are UTF-8.
        given["target_session_attrs"] = "read-write"
        given["client_encoding"] = "UTF8"
        let pairs = given.sorted { $0.key < $1.key }
        return withCStrings(pairs.map(\.key)) { keywords in
            withCStrings(pairs.map(\.value)) { PQconnectdbParams(keywords, $0, 0) }
        }
    }

    /// Against black holes: half-open connections end within half a minute.
    private static let usual = [
        "application_name": "transferd", "gssencmode": "disable", "keepalives": "1",
        "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3",
        "tcp_user_timeout": "10000",
    ]
}

/// Calls `body` with pointers that end with nil.
private func withCStrings<Result>(
    _ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> Result
) -> Result {
    var bytes: [CChar] = []
    var starts: [Int] = []
    for text in texts {
        starts.append(bytes.count)
        bytes.append(contentsOf: text.utf8CString)
    }
    return bytes.withUnsafeBufferPointer { buffer in
        body(starts.map { start in buffer.baseAddress.map { $0 + start } } + [nil])
    }
}
