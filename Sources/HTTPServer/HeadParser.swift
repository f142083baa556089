/// Reads a request's head line by line as it arrives, and refuses what RFC 9112 does not allow
/// without guessing what was meant. Each byte is looked at once, however the head is cut up.
struct HeadParser {
    enum Progress: Equatable {
        case needsMore
        /// The head ends before that index of the input.
        case complete(end: Int)
        case refused(Refusal)
    }

    private var scanned = 0
    private var lineStart = 0
    private var emptyLines = 0
    private var hasRequestLine = false

    /// Goes on reading. `input` begins with the head's first byte at every call and is never
    /// shorter than at the call before.
    mutating func parse(
        _ input: Span<UInt8>, into head: inout RequestHead, _ limits: HTTPLimits
    ) -> Progress {
        var index = scanned
        let end = min(input.count, limits.headBytes)
        scanning: while index < end {
            let byte = input[index]
            if byte >= ByteClass.space, byte != ByteClass.delete {
                index += 1
                continue
            }
            switch byte {
            case ByteClass.lineFeed:
                guard index > lineStart, input[index - 1] == ByteClass.carriageReturn else {
                    return .refused(.malformed(.lineFeed))
                }
                let line = lineStart..<index - 1
                lineStart = index + 1
                if let progress = finish(line, input, &head, limits) { return progress }
            case ByteClass.carriageReturn:
                // Looked at again when its neighbour is there.
                if index + 1 == input.count { break scanning }
                if input[index + 1] != ByteClass.lineFeed {
                    return .refused(.malformed(.carriageReturn))
                }
            case ByteClass.tab:
                if !hasRequestLine { return .refused(.malformed(.requestLine)) }
            default:
                return .refused(.malformed(.controlByte))
            }
            index += 1
        }
        scanned = index
        if !hasRequestLine, index - lineStart > RequestLine.maximumBytes(limits) {
            return .refused(.targetTooLong)
        }
        return input.count >= limits.headBytes ? .refused(.headTooLarge) : .needsMore
    }

    /// Takes one whole line; nil while the head goes on.
    private mutating func finish(
        _ line: Range<Int>, _ input: Span<UInt8>, _ head: inout RequestHead, _ limits: HTTPLimits
    ) -> Progress? {
        if !hasRequestLine {
            if line.isEmpty {
                emptyLines += 1
                return emptyLines > limits.leadingEmptyLines
                    ? .refused(.malformed(.requestLine)) : nil
            }
            hasRequestLine = true
            return RequestLine.parse(line, input, &head, limits).map { .refused($0) }
        }
        if line.isEmpty {
            head.bytes.reserveCapacity(lineStart + 1)
            input.extracting(0..<lineStart).withUnsafeBufferPointer {
                head.bytes.append(contentsOf: $0)
            }
            // The path of an absolute-form target that has none.
            head.bytes.append(0x2F)
            if head.pathRange.isEmpty { head.pathRange = lineStart..<lineStart + 1 }
            return .complete(end: lineStart)
        }
        guard head.fields.count < limits.headFieldLines else { return .refused(.tooManyFields) }
        switch FieldLine.parse(line, input) {
        case .success(let field):
            head.fields.append(field)
            return nil
        case .failure(let fault): return .refused(.malformed(fault.malformation))
        }
    }
}

/// `field-name ":" OWS field-value OWS` (RFC 9112 section 5). Control bytes were refused before.
enum FieldLine {
    struct Fault: Error { let malformation: Malformation }

    static func parse(_ line: Range<Int>, _ input: Span<UInt8>) -> Result<RequestHead.Field, Fault>
    {
        let first = input[line.lowerBound]
        if first == ByteClass.space || first == ByteClass.tab {
            return .failure(Fault(malformation: .foldedField))
        }
        var colon = line.lowerBound
        while colon < line.upperBound, ByteClass.isToken(input[colon]) { colon += 1 }
        guard colon > line.lowerBound, colon < line.upperBound, input[colon] == 0x3A else {
            return .failure(Fault(malformation: .fieldName))
        }
        let value = input.trimmed(colon + 1..<line.upperBound)
        return .success(
            RequestHead.Field(
                name: UInt32(line.lowerBound)..<UInt32(colon),
                value: UInt32(value.lowerBound)..<UInt32(value.upperBound)))
    }
}
