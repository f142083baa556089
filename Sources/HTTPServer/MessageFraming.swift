/// What a complete head says about its message: how the body is delimited and whether the
/// connection outlives it (RFC 9112 sections 6, 7 and 9).
struct MessageFraming: Equatable {
    enum Body: Equatable {
        case none
        /// Declared by Content-Length; saturated at `Int.max`.
        case length(Int)
        case chunked
    }

    var body = Body.none
    /// The client lets the connection live on.
    var isPersistent = true
    /// The client waits for `100 Continue` before it sends the body (RFC 9110 section 10.1.1).
    var expectsContinue = false

    init() {}

    init(_ head: RequestHead) throws(Refusal) {
        try Self.checkHost(head)
        body = try Self.body(head)
        isPersistent = Self.persistence(head)
        guard head.version == .http11, let expectation = head.value(of: "expect") else { return }
        guard expectation.equalsIgnoringCase("100-continue"), head.count(of: "expect") == 1 else {
            throw .expectationFailed
        }
        expectsContinue = body != .none && body != .length(0)
    }

    private static func checkHost(_ head: RequestHead) throws(Refusal) {
        guard let host = head.value(of: "host") else {
            if head.version == .http11 { throw .malformed(.hostMissing) }
            return
        }
        guard head.count(of: "host") == 1 else { throw .malformed(.hostRepeated) }
        guard HostName.isValid(host) else { throw .malformed(.hostInvalid) }
    }

    private static func body(_ head: RequestHead) throws(Refusal) -> Body {
        let length = head.value(of: "content-length")
        if let coding = head.value(of: "transfer-encoding") {
            guard head.version == .http11 else { throw .malformed(.codingInHTTP10) }
            guard length == nil else { throw .malformed(.lengthAndCoding) }
            guard coding.equalsIgnoringCase("chunked"), head.count(of: "transfer-encoding") == 1
            else { throw .unsupportedTransferCoding }
            return .chunked
        }
        guard let length else { return .none }
        guard head.count(of: "content-length") == 1 else {
            throw .malformed(.contentLengthRepeated)
        }
        // No honest number is longer; the bound keeps a 16 KiB "number" from being one.
        guard length.count > 0, length.count <= 32 else { throw .malformed(.contentLength) }
        var value = 0
        for index in 0..<length.count {
            guard ByteClass.isDigit(length[index]) else { throw .malformed(.contentLength) }
            let (tenfold, overflow1) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow2) = tenfold.addingReportingOverflow(Int(length[index] - 0x30))
            value = overflow1 || overflow2 ? .max : sum
        }
        return .length(value)
    }

    /// HTTP/1.1 persists unless told to close, HTTP/1.0 only when asked to (RFC 9112 section 9.3).
    private static func persistence(_ head: RequestHead) -> Bool {
        var persistent = head.version == .http11
        var closes = false
        head.forEachValue(of: "connection") { value in
            var start = 0
            while start <= value.count {
                var end = start
                while end < value.count, value[end] != 0x2C { end += 1 }
                let option = value.extracting(value.trimmed(start..<end))
                if option.equalsIgnoringCase("close") { closes = true }
                if option.equalsIgnoringCase("keep-alive") { persistent = true }
                start = end + 1
            }
        }
        return persistent && !closes
    }
}
