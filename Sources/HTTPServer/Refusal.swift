/// What made a message malformed; the text is fit for the client's eyes.
package enum Malformation: String, Sendable, CaseIterable {
    case requestLine = "The request line is not `method SP target SP HTTP/x.y`."
    case requestTarget = "The request-target is not valid for this method."
    case connect = "CONNECT is not served."
    case lineFeed = "A line feed stands without a carriage return before it."
    case carriageReturn = "A carriage return stands without a line feed after it."
    case controlByte = "The head holds a control byte."
    case foldedField = "A field line begins with white space."
    case fieldName = "A field name is empty or not a token, or white space stands before the colon."
    case hostMissing = "The Host field is missing."
    case hostRepeated = "There is more than one Host field."
    case hostInvalid = "The host is not valid."
    case contentLength = "Content-Length is not one decimal number."
    case contentLengthRepeated = "There is more than one Content-Length field."
    case lengthAndCoding = "Content-Length and Transfer-Encoding exclude each other."
    case codingInHTTP10 = "Transfer-Encoding does not exist in HTTP/1.0."
    case chunkSize = "A chunk's size is not valid."
    case chunkEnd = "A chunk's data is not followed by CRLF."
    case trailer = "The trailer section is not valid."
}

/// Why the server refuses a message before a handler sees it whole. After one the connection is
/// closed. The handler renders it, so that every answer looks like the API's.
package enum Refusal: Error, Hashable {
    case malformed(Malformation)
    case headTooLarge
    case tooManyFields
    case targetTooLong
    case bodyTooLarge
    case trailersTooLarge
    case headTimeout
    case bodyTimeout
    case unsupportedTransferCoding
    case versionNotSupported
    case expectationFailed

    /// The status code that the answer shall carry (RFC 9110 section 15).
    package var status: Int {
        switch self {
        case .malformed: 400
        case .headTimeout, .bodyTimeout: 408
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .expectationFailed: 417
        case .headTooLarge, .tooManyFields, .trailersTooLarge: 431
        case .unsupportedTransferCoding: 501
        case .versionNotSupported: 505
        }
    }

    /// A stable name for metrics and logs.
    package var name: String {
        switch self {
        case .malformed(let what): "malformed_\(what)"
        default: "\(self)"
        }
    }

    /// One sentence for the client.
    package var detail: String {
        switch self {
        case .malformed(let what): what.rawValue
        case .headTooLarge: "The request's head is too large."
        case .tooManyFields: "The request has too many header fields."
        case .targetTooLong: "The request-target is too long."
        case .bodyTooLarge: "The request's body is too large."
        case .trailersTooLarge: "The trailer section is too large."
        case .headTimeout: "The request's head did not arrive in time."
        case .bodyTimeout: "The request's body did not arrive in time."
        case .unsupportedTransferCoding: "The only transfer coding served is chunked."
        case .versionNotSupported: "Only HTTP/1.1 and HTTP/1.0 are served."
        case .expectationFailed: "The only expectation served is 100-continue."
        }
    }

    /// Every refusal there is.
    package static let all: [Refusal] =
        Malformation.allCases.map { .malformed($0) } + [
            .headTooLarge, .tooManyFields, .targetTooLong, .bodyTooLarge, .trailersTooLarge,
            .headTimeout, .bodyTimeout, .unsupportedTransferCoding, .versionNotSupported,
            .expectationFailed,
        ]
}
