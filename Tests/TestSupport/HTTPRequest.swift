/// A request as a client writes it: nothing is added but what its framing needs, nothing is checked.
package struct HTTPRequest: Sendable {
    package enum Framing: Sendable {
        /// `Content-Length`
        case length
        /// `Transfer-Encoding: chunked`, in chunks of so many bytes.
        case chunked(bytes: Int)
        /// The fields say how long the body is, or lie about it.
        case asWritten
    }

    package var method: String
    package var target: String
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]?
    package var framing = Framing.length

    package init(
        _ method: String, _ target: String, fields: [(name: String, value: String)] = [],
        body: [UInt8]? = nil
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }

    /// Replaces the fields of that name by one, or by none for nil.
    package func with(_ name: String, _ value: String?) -> HTTPRequest {
        var request = self
        request.fields.removeAll { $0.name.lowercased() == name.lowercased() }
        if let value { request.fields.append((name, value)) }
        return request
    }

    /// Adds a field line, whatever is there already.
    package func adding(_ name: String, _ value: String) -> HTTPRequest {
        var request = self
        request.fields.append((name, value))
        return request
    }

    package func with(body: String) -> HTTPRequest { with(body: Array(body.utf8)) }

    package func with(body: [UInt8]) -> HTTPRequest {
        var request = self
        request.body = body
        return request
    }

    package func with(framing: Framing) -> HTTPRequest {
        var request = self
        request.framing = framing
        return request
    }

    package func with(method: String) -> HTTPRequest {
        var request = self
        request.method = method
        return request
    }

    package func with(target: String) -> HTTPRequest {
        var request = self
        request.target = target
        return request
    }

    /// The first field of that name, as written.
    package subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The message on the wire.
    package var bytes: [UInt8] {
        var text = "\(method) \(target) HTTP/1.1\r\n"
        if !fields.contains(where: { $0.name.lowercased() == "host" }) { text += "Host: test\r\n" }
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        switch (framing, body) {
        case (.length, let body?): text += "Content-Length: \(body.count)\r\n\r\n"
        case (.chunked, .some): text += "Transfer-Encoding: chunked\r\n\r\n"
        default: text += "\r\n"
        }
        var bytes = Array(text.utf8)
        guard let body else { return bytes }
        guard case .chunked(let size) = framing else { return bytes + body }
        var start = 0
        while start < body.count {
            let end = min(start + size, body.count)
            bytes += Array("\(String(end - start, radix: 16))\r\n".utf8)
            bytes += body[start..<end]
            bytes += [0x0D, 0x0A]
            start = end
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }
}
