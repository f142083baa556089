import Testing

/// A message meant to confuse a server or a proxy before it. It must get exactly one answer, with
/// `status`, and end its connection; neither it nor what follows it may be executed.
package struct HostileMessage: Sendable, CustomTestStringConvertible {
    /// What a message is aimed at.
    package struct Target: Sendable {
        /// A request-target that the server serves.
        package var path: String
        /// Field lines that make a request to it complete, each with its CRLF; without Host.
        package var fields: String
        /// A whole request that must never be executed.
        package var smuggled: String

        package init(path: String, fields: String, smuggled: String) {
            (self.path, self.fields, self.smuggled) = (path, fields, smuggled)
        }
    }

    package let status: Int
    package let name: String
    private let template: String

    /// `template` is in Latin-1, one byte each character. `{path}`, `{fields}` and `{smuggled}` are
    /// the target's.
    init(_ status: Int, _ name: String, _ template: String) {
        (self.status, self.name, self.template) = (status, name, template)
    }

    package var testDescription: String { "\(status) \(name)" }

    /// The bytes to send; the smuggled request follows in any case.
    package func bytes(_ target: Target) -> [UInt8] {
        latin1(
            template.replacing("{path}", with: target.path)
                .replacing("{fields}", with: target.fields)
                .replacing("{smuggled}", with: target.smuggled) + target.smuggled)
    }

    /// Every message by the part of the protocol that it abuses.
    package static let sections: [(name: String, messages: [HostileMessage])] = [
        ("Content-Length", lengths), ("Transfer-Encoding", codings), ("chunks", chunks),
        ("trailers", trailers), ("line ends", lineEnds), ("control bytes", controlBytes),
        ("field names", fieldNames), ("Host", hosts), ("expectations", expectations),
        ("sizes", sizes), ("request lines", requestLines), ("request-targets", requestTargets),
        ("other protocols", otherProtocols),
    ]

    /// Every message there is.
    package static let all = sections.flatMap(\.messages)

    /// A message of each row: its name, and what `message` makes of its text.
    static func table(
        _ status: Int, _ kind: String = "", _ rows: KeyValuePairs<String, String>,
        _ message: (String) -> String
    ) -> [HostileMessage] {
        rows.map { name, text in
            HostileMessage(status, kind.isEmpty ? name : "\(kind): \(name)", message(text))
        }
    }

    static func get(_ fields: String) -> String {
        "GET {path} HTTP/1.1\r\nHost: x\r\n{fields}" + fields + "\r\n"
    }

    static func post(_ fields: String, _ body: String = "") -> String {
        "POST {path} HTTP/1.1\r\nHost: x\r\n{fields}" + fields + "\r\n" + body
    }

    static func chunked(_ body: String) -> String {
        post("Transfer-Encoding: chunked\r\n", body)
    }
}

/// The bytes of a text in Latin-1, which has one for each character; others are a programming error.
package func latin1(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8($0.value) }
}
