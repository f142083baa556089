/// Decodes the chunked transfer coding (RFC 9112 section 7.1) byte by byte, however it is cut up.
/// Extensions and trailers are checked, bounded and dropped.
struct ChunkedDecoder {
    enum Progress: Equatable {
        case needsMore
        case complete
        case refused(Refusal)
    }

    private enum Expected {
        case sizeDigit
        case extensionByte
        case sizeLineFeed
        case data
        case dataCarriageReturn
        case dataLineFeed
        case trailerStart
        case trailerName
        case trailerValue
        case trailerLineFeed
        case endLineFeed
    }

    /// Enough for any body that a limit in `Int` allows to be told from a large one.
    private static let sizeDigits = 8

    private var expected = Expected.sizeDigit
    private var digits = 0
    private var remaining = 0
    private var extensionBytes = 0
    private var trailerBytes = 0
    private var trailerLines = 0

    init() {}

    /// Decodes `input` from its beginning, appends data to `body`, and tells how many bytes it
    /// took: all of them unless the body ended or was refused before.
    mutating func decode(
        _ input: Span<UInt8>, into body: inout [UInt8], _ limits: HTTPLimits
    ) -> (consumed: Int, progress: Progress) {
        var index = 0
        while index < input.count {
            if expected == .data {
                let count = min(remaining, input.count - index)
                input.extracting(index..<index + count).withUnsafeBufferPointer {
                    body.append(contentsOf: $0)
                }
                index += count
                remaining -= count
                if remaining == 0 { expected = .dataCarriageReturn }
                continue
            }
            let progress = take(input[index], body.count, limits)
            index += 1
            if progress != .needsMore { return (index, progress) }
        }
        return (index, .needsMore)
    }

    private mutating func take(
        _ byte: UInt8, _ decoded: Int, _ limits: HTTPLimits
    ) -> Progress {
        switch expected {
        case .sizeDigit, .extensionByte, .sizeLineFeed:
            return takeSizeLine(byte, decoded, limits)
        case .data: return .needsMore
        case .dataCarriageReturn:
            guard byte == ByteClass.carriageReturn else { return .refused(.malformed(.chunkEnd)) }
            expected = .dataLineFeed
        case .dataLineFeed:
            guard byte == ByteClass.lineFeed else { return .refused(.malformed(.chunkEnd)) }
            expected = .sizeDigit
        default: return takeTrailer(byte, limits)
        }
        return .needsMore
    }

    private mutating func takeSizeLine(
        _ byte: UInt8, _ decoded: Int, _ limits: HTTPLimits
    ) -> Progress {
        switch expected {
        case .sizeDigit:
            if let digit = ByteClass.hexadecimal(byte) {
                digits += 1
                remaining = remaining << 4 | digit
                if digits > Self.sizeDigits { return .refused(.malformed(.chunkSize)) }
                return .needsMore
            }
            guard digits > 0 else { return .refused(.malformed(.chunkSize)) }
            if decoded + remaining > limits.bodyBytes { return .refused(.bodyTooLarge) }
            switch byte {
            case ByteClass.carriageReturn: expected = .sizeLineFeed
            case 0x3B: expected = .extensionByte
            default: return .refused(.malformed(.chunkSize))
            }
        case .extensionByte:
            extensionBytes += 1
            if extensionBytes > limits.chunkExtensionBytes { return .refused(.bodyTooLarge) }
            if byte == ByteClass.carriageReturn {
                expected = .sizeLineFeed
            } else if !ByteClass.isFieldValue(byte) {
                return .refused(.malformed(.chunkSize))
            }
        default:
            guard byte == ByteClass.lineFeed else { return .refused(.malformed(.chunkSize)) }
            expected = remaining == 0 ? .trailerStart : .data
            digits = 0
        }
        return .needsMore
    }

    private mutating func takeTrailer(_ byte: UInt8, _ limits: HTTPLimits) -> Progress {
        trailerBytes += 1
        // The section's own empty line is not counted against it.
        if trailerBytes > limits.trailerBytes + 2 { return .refused(.trailersTooLarge) }
        switch expected {
        case .trailerStart:
            if byte == ByteClass.carriageReturn {
                expected = .endLineFeed
                return .needsMore
            }
            trailerLines += 1
            if trailerLines > limits.headFieldLines { return .refused(.trailersTooLarge) }
            guard ByteClass.isToken(byte) else { return .refused(.malformed(.trailer)) }
            expected = .trailerName
        case .trailerName:
            if byte == 0x3A {
                expected = .trailerValue
            } else if !ByteClass.isToken(byte) {
                return .refused(.malformed(.trailer))
            }
        case .trailerValue:
            if byte == ByteClass.carriageReturn {
                expected = .trailerLineFeed
            } else if !ByteClass.isFieldValue(byte) {
                return .refused(.malformed(.trailer))
            }
        case .trailerLineFeed:
            guard byte == ByteClass.lineFeed else { return .refused(.malformed(.trailer)) }
            expected = .trailerStart
        default:
            return byte == ByteClass.lineFeed ? .complete : .refused(.malformed(.trailer))
        }
        return .needsMore
    }
}
