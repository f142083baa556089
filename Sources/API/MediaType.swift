import HTTPServer

/// The one request media type: `application/json`, optionally with `charset=utf-8` (RFC 9110
/// section 8.3.1; types, parameter names and this charset compare without regard to case).
enum MediaType {
    static func isJSON(_ head: borrowing RequestHead) -> Bool {
        guard head.count(of: "content-type") == 1, let value = head.value(of: "content-type")
        else { return false }
        var text = value.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            .lowercased()
        guard head.count(of: "content-encoding") == 0 else { return false }
        if text == "application/json" { return true }
        text.removeAll { $0 == " " || $0 == "\t" }
        return text == "application/json;charset=utf-8"
            || text == "application/json;charset=\"utf-8\""
    }
}
