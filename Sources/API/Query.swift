import HTTPServer

/// The query parameters of a request, percent-decoded (RFC 3986 section 2.1).
struct Query {
    private var values: [(name: String, value: String)] = []

    /// Why a query was refused, for the problem's detail.
    struct Refusal: Error {
        let detail: String
    }

    /// Refuses parameters that `known` does not name, and any that stands twice.
    init(_ query: Span<UInt8>?, known: [String]) throws(Refusal) {
        guard let query, !query.isEmpty else { return }
        let allowed =
            known.isEmpty
            ? "This endpoint has no query parameters. Leave them out."
            : "The query parameters of this endpoint are \(known.joined(separator: ", "))."
        var start = 0
        while start <= query.count {
            var end = start
            while end < query.count, query[end] != 0x26 { end += 1 }
            var split = start
            while split < end, query[split] != 0x3D { split += 1 }
            guard split < end, let name = Self.decode(query.extracting(start..<split)),
                let value = Self.decode(query.extracting(split + 1..<end))
            else { throw Refusal(detail: "Write the query as name=value pairs. " + allowed) }
            guard known.contains(name) else { throw Refusal(detail: allowed) }
            guard self[name] == nil else {
                throw Refusal(detail: "The parameter \(name) stands twice. Send it once.")
            }
            values.append((name, value))
            start = end + 1
        }
    }

    subscript(name: String) -> String? { values.first { $0.name == name }?.value }

    private static func decode(_ text: Span<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var index = 0
        while index < text.count {
            if text[index] == 0x25 {
                guard index + 2 < text.count, let high = digit(text[index + 1]),
                    let low = digit(text[index + 2])
                else { return nil }
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(text[index])
                index += 1
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
