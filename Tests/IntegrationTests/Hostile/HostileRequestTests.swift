import Foundation
import TestSupport
import Testing

/// What a hostile request is made of: Latin-1 texts of the server's own customer.
struct RequestParts: Sendable {
    let token: String
    let key: String
    let otherKey: String
    let body: String

    var authorization: String { "Authorization: Bearer \(token)\r\n" }
    var idempotencyKey: String { "Idempotency-Key: \(key)\r\n" }
    static let contentType = "Content-Type: application/json\r\n"
    /// All that a payment needs but its framing.
    var fields: String { authorization + idempotencyKey + Self.contentType }

    func post(
        _ fields: String, _ body: String? = nil, target: String = "/api/transfers",
        method: String = "POST", version: String = "HTTP/1.1"
    ) -> String {
        let body = body ?? self.body
        // A character is a byte.
        return "\(method) \(target) \(version)\r\nHost: x\r\n" + fields
            + "Content-Length: \(body.unicodeScalars.count)\r\n\r\n" + body
    }

    /// In chunks of 50 bytes, with so much after the last.
    func chunked(_ fields: String, trailers: String = "") -> String {
        var text = "POST /api/transfers HTTP/1.1\r\nHost: x\r\n" + fields
        text += "Transfer-Encoding: chunked\r\n\r\n"
        var rest = body[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(50)
            text += String(chunk.utf8.count, radix: 16) + "\r\n" + chunk + "\r\n"
            rest = rest.dropFirst(50)
        }
        return text + "0\r\n" + trailers + "\r\n"
    }
}

/// A request that is well framed and hostile in what it says.
struct HostileRequest: Sendable, CustomTestStringConvertible {
    let name: String
    /// Status and code of each answer.
    let answers: [String]
    /// How many payments it makes.
    var payments = 0
    /// The client ends its side at once.
    var ends = false
    let message: @Sendable (RequestParts) -> String

    init(
        _ name: String, _ answers: String..., payments: Int = 0, ends: Bool = false,
        _ message: @escaping @Sendable (RequestParts) -> String
    ) {
        self.name = name
        self.answers = answers
        self.payments = payments
        self.ends = ends
        self.message = message
    }

    var testDescription: String { name }
}

extension DatabaseTests.IntegrationTests.Hostile {
    @Test(
        "A request that says a thing twice, elsewhere or in disguise does what it says, or nothing",
        arguments: HostileRequest.all)
    func disguised(_ request: HostileRequest) async throws {
        try await withBank(on: [.sqlite]) { bank in
            let server = bank.endpoint
            let parts = RequestParts(
                token: server.token, key: newKey(), otherKey: newKey(), body: server.payment.json)
            let (answers, isOver) = try await blocking {
                let client = try HTTPClient(port: server.port)
                client.send(latin1(request.message(parts)))
                if request.ends { client.finishSending() }
                var answers: [String] = []
                for _ in request.answers {
                    let answer = try client.receive()
                    answers.append(
                        answer.status < 400
                            ? "\(answer.status)" : "\(answer.status) \(answer.code ?? "")")
                }
                client.finishSending()
                return (answers, client.endsHere())
            }
            #expect(answers == request.answers)
            #expect(isOver)
            #expect(try bank.count("transfers") == request.payments)
            // Under the key that the head names, or not at all.
            #expect(try await server.byKey(parts.key).status == (request.payments > 0 ? 200 : 404))
            #expect(try await server.byKey(parts.otherKey).status == 404)
            let next = try await server.pay(key: parts.otherKey)
            #expect(next.status == 201)
        }
    }
}
