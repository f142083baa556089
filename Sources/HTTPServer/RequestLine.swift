/// `method SP request-target SP HTTP-version` (RFC 9112 section 3).
enum RequestLine {
    /// Fills the head's method, target and version; a refusal if the line is not valid.
    static func parse(
        _ line: Range<Int>, _ input: Span<UInt8>, _ head: inout RequestHead, _ limits: HTTPLimits
    ) -> Refusal? {
        if line.count > maximumBytes(limits) { return .targetTooLong }
        var index = line.lowerBound
        while index < line.upperBound, ByteClass.isToken(input[index]) { index += 1 }
        guard index > line.lowerBound, index < line.upperBound, input[index] == ByteClass.space
        else { return .malformed(.requestLine) }
        let method = line.lowerBound..<index
        let targetStart = index + 1
        index = targetStart
        while index < line.upperBound, input[index] != ByteClass.space { index += 1 }
        guard index > targetStart, index < line.upperBound else { return .malformed(.requestLine) }
        let target = targetStart..<index
        if let refusal = parseVersion(index + 1..<line.upperBound, input, &head) { return refusal }
        if target.count > limits.requestTargetBytes { return .targetTooLong }
        head.methodRange = method
        head.method = self.method(input.extracting(method))
        if input.extracting(method).equals("CONNECT") { return .malformed(.connect) }
        return parseTarget(target, input, &head)
    }

    /// A line this long has a target beyond the limit, or a method that none is.
    static func maximumBytes(_ limits: HTTPLimits) -> Int { limits.requestTargetBytes + 48 }

    private static func method(_ name: Span<UInt8>) -> Method {
        switch name.count {
        case 3 where name.equals("GET"): .get
        case 3 where name.equals("PUT"): .put
        case 4 where name.equals("POST"): .post
        case 4 where name.equals("HEAD"): .head
        case 5 where name.equals("PATCH"): .patch
        case 6 where name.equals("DELETE"): .delete
        case 7 where name.equals("OPTIONS"): .options
        default: .other
        }
    }

    private static func parseVersion(
        _ range: Range<Int>, _ input: Span<UInt8>, _ head: inout RequestHead
    ) -> Refusal? {
        let version = input.extracting(range)
        guard version.count == 8, version.extracting(0..<5).equals("HTTP/"),
            ByteClass.isDigit(version[5]), version[6] == 0x2E, ByteClass.isDigit(version[7])
        else { return .malformed(.requestLine) }
        guard version[5] == 0x31, version[7] <= 0x31 else { return .versionNotSupported }
        head.version = version[7] == 0x30 ? .http10 : .http11
        return nil
    }

    /// The four forms of RFC 9112 section 3.2, without the authority form.
    private static func parseTarget(
        _ target: Range<Int>, _ input: Span<UInt8>, _ head: inout RequestHead
    ) -> Refusal? {
        if input[target.lowerBound] == 0x2A, target.count == 1, head.method == .options {
            head.pathRange = target
            return nil
        }
        var pathStart = target.lowerBound
        if input[pathStart] != 0x2F {
            let text = input.extracting(target)
            let scheme =
                text.count > 7 && text.extracting(0..<7).equalsIgnoringCase("http://")
                ? 7
                : text.count > 8 && text.extracting(0..<8).equalsIgnoringCase("https://") ? 8 : 0
            guard scheme > 0 else { return .malformed(.requestTarget) }
            let hostStart = target.lowerBound + scheme
            pathStart = hostStart
            while pathStart < target.upperBound, input[pathStart] != 0x2F, input[pathStart] != 0x3F
            {
                pathStart += 1
            }
            guard HostName.isValid(input.extracting(hostStart..<pathStart)) else {
                return .malformed(.hostInvalid)
            }
        }
        return parsePath(pathStart..<target.upperBound, input, &head)
            ? nil : .malformed(.requestTarget)
    }

    /// Path and query: only what RFC 3986 lets stand there, and whole percent-encodings.
    private static func parsePath(
        _ range: Range<Int>, _ input: Span<UInt8>, _ head: inout RequestHead
    ) -> Bool {
        var question: Int?
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = input[index]
            guard ByteClass.isTarget(byte) else { return false }
            if byte == 0x3F, question == nil { question = index }
            if byte == 0x25 {
                guard index + 2 < range.upperBound,
                    ByteClass.hexadecimal(input[index + 1]) != nil,
                    ByteClass.hexadecimal(input[index + 2]) != nil
                else { return false }
            }
            index += 1
        }
        head.pathRange = range.lowerBound..<(question ?? range.upperBound)
        head.queryRange = question.map { $0 + 1..<range.upperBound }
        return true
    }
}

/// `uri-host [ ":" port ]` (RFC 9110 section 7.2).
enum HostName {
    static func isValid(_ text: Span<UInt8>) -> Bool {
        var index = 0
        if text.count > 0, text[0] == 0x5B {
            index = 1
            while index < text.count,
                ByteClass.hexadecimal(text[index]) != nil || text[index] == 0x3A
                    || text[index] == 0x2E
            { index += 1 }
            guard index > 3, index < text.count, text[index] == 0x5D else { return false }
            index += 1
        } else {
            while index < text.count, ByteClass.isHostName(text[index]) { index += 1 }
            guard index > 0 else { return false }
        }
        guard index < text.count else { return true }
        guard text[index] == 0x3A else { return false }
        var port = 0
        for digit in index + 1..<text.count {
            guard ByteClass.isDigit(text[digit]), port < 65_536 else { return false }
            port = port * 10 + Int(text[digit] - 0x30)
        }
        return port < 65_536
    }
}
