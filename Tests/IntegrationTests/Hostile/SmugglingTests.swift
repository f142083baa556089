import Foundation
import TestSupport
import Testing

extension DatabaseTests.IntegrationTests {
    @Suite("Hostile clients")
    struct Hostile {
        @Test(
            "No hostile message moves money, and nothing does that is smuggled behind it",
            arguments: HostileMessage.sections.map(\.name))
        func smuggling(section: String) async throws {
            let messages = try #require(
                HostileMessage.sections.first { $0.name == section }?.messages)
            try await withBank(on: [.sqlite]) { bank in
                let server = bank.endpoint
                let faults = try await blocking {
                    try messages.compactMap { message in
                        try Self.fault(of: message, server, bank).map { "\(message.name): \($0)" }
                    }
                }
                #expect(faults == [])
                #expect(try await server.pay(key: newKey()).status == 201)
                #expect(try bank.count("outcomes") == 1)
                #expect(try bank.count("transfers") == 1)
            }
        }

        /// Sends a message whose request and smuggled request are valid payments but for what is
        /// hostile about it. What went wrong; nil if nothing did.
        private static func fault(
            of message: HostileMessage, _ server: Endpoint, _ bank: TestBank
        ) throws -> String? {
            let body = server.payment.json
            let fields =
                "Authorization: Bearer \(server.token)\r\nContent-Type: application/json\r\n"
            let target = HostileMessage.Target(
                path: "/api/transfers", fields: fields + "Idempotency-Key: \(newKey())\r\n",
                smuggled: "POST /api/transfers HTTP/1.1\r\nHost: x\r\n" + fields
                    + "Idempotency-Key: \(newKey())\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                    + body)
            let client = try HTTPClient(port: server.port)
            defer { client.close() }
            client.send(message.bytes(target))
            let answer = try client.receive()
            client.finishSending()
            guard answer.status == message.status else { return "\(answer)" }
            guard answer["Connection"] == "close" else { return "not the last: \(answer)" }
            guard answer["Content-Type"] == "application/problem+json" else { return "\(answer)" }
            guard client.endsHere() else { return "more than one answer" }
            guard try bank.count("outcomes") == 0 else { return "something was executed" }
            let next = try server.exchange(.get("/api/accounts", token: server.token))
            return next.status == 200 ? nil : "afterwards \(next)"
        }
    }
}
