import HTTPServer

/// `Prefer: wait=n` (RFC 7240 section 4.3): how long the client would rather wait than be told to
/// come back.
enum Preference {
    /// Longer waits are cut to this.
    static let maximumWaitSeconds: Int64 = 30

    /// Seconds from 1 to 30; nil without the preference. What is not understood is ignored, as the
    /// RFC demands.
    static func wait(_ head: borrowing RequestHead) -> Int64? {
        guard head.count(of: "prefer") > 0 else { return nil }
        var found: Int64?
        head.forEachValue(of: "prefer") { value in
            let text = value.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            for preference in text.split(separator: ",") where found == nil {
                // Parameters after a semicolon say nothing that we know.
                let words = preference.prefix { $0 != ";" }.split(
                    separator: "=", maxSplits: 1
                ).map { $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" } }
                guard words.count == 2, words[0].lowercased() == "wait",
                    words[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                    let seconds = Int64(words[1].prefix(9)), seconds > 0
                else { continue }
                found = min(seconds, maximumWaitSeconds)
            }
        }
        return found
    }
}

/// `If-None-Match` (RFC 9110 section 13.1.2), compared weakly.
enum EntityTag {
    /// The tags that the client has; nil without the field.
    static func list(_ head: borrowing RequestHead) -> [String]? {
        guard head.count(of: "if-none-match") > 0 else { return nil }
        var tags: [String] = []
        head.forEachValue(of: "if-none-match") { value in
            let text = value.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            for candidate in text.split(separator: ",") {
                var candidate = candidate.drop { $0 == " " || $0 == "\t" }
                while candidate.last == " " || candidate.last == "\t" { candidate.removeLast() }
                if candidate.hasPrefix("W/") { candidate.removeFirst(2) }
                tags.append(String(candidate))
            }
        }
        return tags
    }

    static func matches(_ tags: [String]?, _ tag: String) -> Bool {
        tags.map { $0.contains(tag) || $0.contains("*") } ?? false
    }
}
