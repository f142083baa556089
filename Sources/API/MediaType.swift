import HTTPServer

/// The one request media type: `application/json`, optionally with `charset=utf-8` (RFC 9110
/// section 8.3.1; types, parameter names and this charset compare without regard to case).
enum MediaType {
    static func isJSON(_ head: borrowing RequestHead) -> Bool {
        guard head.count(of: "content-type") == 1, let value = head.value(of: "content-type")
        else { return false }
        guard head.count(of: "content-encoding") == 0 else { return false }
        // As nearly every client writes it.
        if value.equals("application/json") { return true }
        let text = value.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        let parts = text.lowercased().split(separator: ";", omittingEmptySubsequences: false).map {
            part in
            // Optional white space may stand around a parameter, and nowhere else.
            var part = part.drop { $0 == " " || $0 == "\t" }
            while part.last == " " || part.last == "\t" { part.removeLast() }
            return part
        }
        switch parts.count {
        case 1: return parts[0] == "application/json"
        case 2:
            return parts[0] == "application/json"
                && (parts[1] == "charset=utf-8" || parts[1] == "charset=\"utf-8\"")
        default: return false
        }
    }
}
