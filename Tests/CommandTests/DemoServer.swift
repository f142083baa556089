import CLinux
import Foundation
import Glibc
import Platform
import Testing

/// A `transferd demo --json` that is ready.
final class DemoServer {
    struct Ready: Decodable {
        struct Customer: Decodable {
            let customer: String
            let token: String
            let accounts: [Account]
        }

        struct Account: Decodable {
            let accountId: String
            let iban: String
            let currency: String
            let balance: String
        }

        let baseUrl: String
        let operationsUrl: String
        let customers: [Customer]
    }

    let program: Program
    let ready: Ready

    init(database: String, _ more: String...) throws {
        program = try Program(["demo", "--port", "0", "--json", "--database", database] + more)
        guard let line = program.line() else {
            throw UnexpectedEnd(message: program.wait().err)
        }
        ready = try JSONDecoder().decode(Ready.self, from: Data(line.utf8))
    }

    struct UnexpectedEnd: Error {
        let message: String
    }

    var port: Int { URL(string: ready.baseUrl)?.port ?? 0 }

    func token(_ customer: String) -> String {
        ready.customers.first { $0.customer == customer }?.token ?? ""
    }

    func stop() -> Ending {
        program.signal(SIGTERM)
        return program.wait()
    }

    /// POSTs a transfer in euros, of alice if nobody else is named.
    func transfer(
        key: String, amount: String = "50.00", token: String? = nil,
        from debtor: String = "DE89370400440532013000",
        to creditor: String = "FR1420041010050500013M02606"
    ) throws -> Answer {
        let body = """
            {"debtorAccount":{"iban":"\(debtor)"},\
            "instructedAmount":{"currency":"EUR","amount":"\(amount)"},\
            "creditorAccount":{"iban":"\(creditor)"},"creditorName":"Bob"}
            """
        return try request(
            "POST /api/transfers", token: token ?? self.token("alice"),
            "Idempotency-Key: \(key)\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n", body)
    }

    func request(
        _ line: String, token: String, _ fields: String = "", _ body: String = ""
    ) throws -> Answer {
        try Answer.to(
            "\(line) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                + "Authorization: Bearer \(token)\r\n\(fields)\r\n\(body)", port: port)
    }
}

/// An HTTP answer, read to the end of its connection.
struct Answer {
    let status: Int
    let head: String
    let body: String

    static func to(_ request: String, port: Int) throws -> Answer {
        let descriptor = FileDescriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw SystemError("connect") }
        let bytes = Array(request.utf8)
        guard
            send(descriptor.number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        else { throw SystemError("send") }
        var taken: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(descriptor.number, &part, part.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError("recv") }
            if count == 0 { break }
            taken += part[..<count]
        }
        let text = String(decoding: taken, as: UTF8.self)
        let parts = text.components(separatedBy: "\r\n\r\n")
        return Answer(
            status: Int(text.dropFirst(9).prefix(3)) ?? 0, head: parts[0],
            body: parts.dropFirst().joined(separator: "\r\n\r\n"))
    }
}
