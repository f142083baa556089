/// The request methods that this server knows by name (RFC 9110 section 9).
package enum Method: Int, Sendable, CaseIterable {
    case get
    case head
    case post
    case put
    case delete
    case options
    case patch
    case other

    /// The metric label; `other` for every method without a case.
    package var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .patch: "PATCH"
        case .other: "other"
        }
    }
}

/// The versions that are served (RFC 9112 section 2.3).
package enum HTTPVersion: Sendable {
    case http10
    case http11
}

/// A request line and its field lines, already validated (RFC 9112 sections 2, 3 and 5).
///
/// Its storage is used again for the connection's next request; a handler reads it during the call
/// and copies what it keeps.
package struct RequestHead: Sendable {
    struct Field: Sendable {
        var name: Range<UInt32>
        var value: Range<UInt32>
    }

    package internal(set) var method = Method.other
    package internal(set) var version = HTTPVersion.http11

    var bytes: [UInt8] = []
    var fields: [Field] = []
    var pathRange = 0..<0
    var queryRange: Range<Int>?
    var methodRange = 0..<0

    init() {}

    /// Reads a whole head, the empty line included, as the server does; for tests of handlers.
    package init(_ bytes: [UInt8], limits: HTTPLimits = HTTPLimits()) throws(Refusal) {
        var parser = HeadParser()
        switch parser.parse(bytes.span, into: &self, limits) {
        case .complete: _ = try MessageFraming(self)
        case .refused(let refusal): throw refusal
        case .needsMore: throw .malformed(.requestLine)
        }
    }

    mutating func reset() {
        method = .other
        version = .http11
        bytes.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        pathRange = 0..<0
        queryRange = nil
        methodRange = 0..<0
    }

    /// The target's path as it was sent, percent-encodings included: `/…`, or `*` for `OPTIONS *`.
    package var path: Span<UInt8> {
        @_lifetime(borrow self) get { bytes.span.extracting(pathRange) }
    }

    /// What follows the path's `?`; nil without a `?`.
    package var query: Span<UInt8>? {
        @_lifetime(borrow self) get {
            guard let queryRange else { return nil }
            return bytes.span.extracting(queryRange)
        }
    }

    /// The method's own bytes, which matter where `method` is `other`.
    package var methodName: Span<UInt8> {
        @_lifetime(borrow self) get { bytes.span.extracting(methodRange) }
    }

    /// The value of the first field line of that name without the white space around it; nil if
    /// there is none. Names are compared without regard to case.
    @_lifetime(borrow self)
    package func value(of name: StaticString) -> Span<UInt8>? {
        guard let index = index(of: name, from: 0) else { return nil }
        return value(at: index)
    }

    /// How many field lines have that name.
    package func count(of name: StaticString) -> Int {
        var count = 0
        var next = index(of: name, from: 0)
        while let index = next {
            count += 1
            next = self.index(of: name, from: index + 1)
        }
        return count
    }

    /// Calls `body` with the value of every field line of that name, in order.
    package func forEachValue(of name: StaticString, _ body: (Span<UInt8>) -> Void) {
        var next = index(of: name, from: 0)
        while let index = next {
            body(value(at: index))
            next = self.index(of: name, from: index + 1)
        }
    }

    /// How many field lines there are.
    package var fieldCount: Int { fields.count }

    /// The name of a field line as it was sent; `index` is below `fieldCount`.
    @_lifetime(borrow self)
    package func name(at index: Int) -> Span<UInt8> {
        let range = fields[index].name
        return bytes.span.extracting(Int(range.lowerBound)..<Int(range.upperBound))
    }

    /// The value of a field line; `index` is below `fieldCount`.
    @_lifetime(borrow self)
    package func value(at index: Int) -> Span<UInt8> {
        let range = fields[index].value
        return bytes.span.extracting(Int(range.lowerBound)..<Int(range.upperBound))
    }

    private func index(of name: StaticString, from start: Int) -> Int? {
        let length = name.utf8CodeUnitCount
        for index in start..<fields.count
        where fields[index].name.count == length && self.name(at: index).equalsIgnoringCase(name) {
            return index
        }
        return nil
    }
}
