import Platform

/// Writes answers as HTTP/1.1 messages (RFC 9112 sections 4 to 6).
enum ResponseSerializer {
    static let `continue`: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"

    enum Connection {
        /// HTTP/1.1 persists without a word.
        case silent
        case keepAlive
        case close
    }

    /// RFC 9110 section 6.4.1, of the statuses that a handler may choose.
    static func mayHaveBody(_ status: Int) -> Bool { status != 204 && status != 304 }

    /// Appends `response`. `date` is a whole Date field line. The head tells the body's length also
    /// where the body is left out.
    static func append(
        _ response: Response, date: [UInt8], connection: Connection, withBody: Bool,
        to output: inout [UInt8]
    ) {
        output.reserveCapacity(
            output.count + response.fields.count + (withBody ? response.body.count : 0) + 192)
        appendStatusLine(response.status, to: &output)
        output.append(contentsOf: date)
        output.append(contentsOf: response.fields)
        // RFC 9110 section 8.6: neither may carry what would be taken for the body's length.
        if mayHaveBody(response.status) {
            output.append(text: "Content-Length: ")
            output.append(decimal: UInt64(response.body.count))
            output.append(text: "\r\n")
        }
        switch connection {
        case .silent: break
        case .keepAlive: output.append(text: "Connection: keep-alive\r\n")
        case .close: output.append(text: "Connection: close\r\n")
        }
        output.append(text: "\r\n")
        if withBody { output.append(contentsOf: response.body) }
    }

    private static func appendStatusLine(_ status: Int, to output: inout [UInt8]) {
        switch status {
        case 200: output.append(text: "HTTP/1.1 200 OK\r\n")
        case 201: output.append(text: "HTTP/1.1 201 Created\r\n")
        default:
            output.append(text: "HTTP/1.1 ")
            output.append(decimal: UInt64(status))
            output.append(ByteClass.space)
            output.append(text: reason(status))
            output.append(text: "\r\n")
        }
    }

    private static func reason(_ status: Int) -> StaticString {
        switch status {
        case 202: "Accepted"
        case 204: "No Content"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 402: "Payment Required"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 422: "Unprocessable Content"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: ""
        }
    }
}

/// The Date field line (RFC 9110 section 5.6.7), made anew once a second.
struct DateLine {
    private(set) var bytes: [UInt8] = []
    private var second = Int64.min

    mutating func update(_ now: Instant) {
        guard now.seconds != second else { return }
        second = now.seconds
        let days = second >= 0 ? second / 86400 : (second - 86399) / 86400
        let date = CivilDate(daysSinceEpoch: days)
        let rest = Int(second - days * 86400)
        bytes.removeAll(keepingCapacity: true)
        bytes.append(text: "Date: ")
        bytes.append(text: Self.weekday(Int((days % 7 + 7) % 7)))
        bytes.append(text: ", ")
        appendTwoDigits(date.day)
        bytes.append(ByteClass.space)
        bytes.append(text: Self.month(date.month))
        bytes.append(ByteClass.space)
        bytes.append(decimal: UInt64(date.year))
        bytes.append(ByteClass.space)
        appendTwoDigits(rest / 3600)
        bytes.append(0x3A)
        appendTwoDigits(rest / 60 % 60)
        bytes.append(0x3A)
        appendTwoDigits(rest % 60)
        bytes.append(text: " GMT\r\n")
    }

    private mutating func appendTwoDigits(_ value: Int) {
        bytes.append(UInt8(0x30 + value / 10))
        bytes.append(UInt8(0x30 + value % 10))
    }

    /// Day 0, 1970-01-01, was a Thursday.
    private static func weekday(_ index: Int) -> StaticString {
        switch index {
        case 0: "Thu"
        case 1: "Fri"
        case 2: "Sat"
        case 3: "Sun"
        case 4: "Mon"
        case 5: "Tue"
        default: "Wed"
        }
    }

    private static func month(_ number: Int) -> StaticString {
        switch number {
        case 1: "Jan"
        case 2: "Feb"
        case 3: "Mar"
        case 4: "Apr"
        case 5: "May"
        case 6: "Jun"
        case 7: "Jul"
        case 8: "Aug"
        case 9: "Sep"
        case 10: "Oct"
        case 11: "Nov"
        default: "Dec"
        }
    }
}
