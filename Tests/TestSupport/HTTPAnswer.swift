package import JSON

/// An answer as it came over the wire.
package struct HTTPAnswer: Sendable {
    package let status: Int
    package let fields: [(name: String, value: String)]
    package let body: [UInt8]
    /// Statuses of the interim answers before it.
    package var interim: [Int] = []

    package init(status: Int, fields: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The value of the only field of that name; nil if there is none or more than one.
    package subscript(_ name: String) -> String? {
        let found = fields.filter { $0.name.lowercased() == name.lowercased() }
        return found.count == 1 ? found[0].value : nil
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as strict JSON; nil if it is none.
    package var json: JSONValue? { try? JSONDocument(body, maximumDepth: 16).root }

    /// The member `code` of a problem.
    package var code: String? { json?["code"]?.string }

    /// Names of the body's members in their order.
    package var memberNames: [String] { json.map { $0.members.map(\.name) } ?? [] }
}

extension HTTPAnswer: CustomStringConvertible {
    package var description: String {
        "\(status) " + fields.map { "\($0.name): \($0.value)" }.joined(separator: "; ") + " "
            + text.prefix(600)
    }
}
