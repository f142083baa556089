import API
import Bank
import Glibc
import HTTPServer
import Platform

/// The API's listener with one event loop.
final class Server {
    private let server: HTTPServer<TransferAPI>

    init(_ services: APIServices, _ parts: Bank.Parts) throws {
        server = try HTTPServer(
            configuration: HTTPServerConfiguration(), log: parts.log, metrics: parts.metrics,
            clock: parts.monotonic, wallClock: parts.clock
        ) { _, completions in TransferAPI(services: services, completions: completions) }
        server.start()
    }

    func connect() throws -> Client { try Client(port: server.port) }

    /// After every client has closed.
    func stop() {
        server.beginDrain(gracePeriodMilliseconds: 1000)
        server.waitUntilStopped()
    }
}

/// A connection that sends one request at a time and waits for the answer.
final class Client {
    /// An answer as far as it is looked at.
    struct Answer {
        let isReplay: Bool
        let body: [UInt8]
    }

    private let socket: FileDescriptor
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

    init(port: UInt16) throws {
        socket = FileDescriptor(owning: Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        guard socket.number >= 0 else { throw SystemError("socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw SystemError("connect") }
    }

    func close() { socket.close() }

    /// Sends a request; ends the program unless the whole answer has this status.
    @discardableResult
    func expect(_ status: Int, _ request: [UInt8]) -> Answer {
        guard send(socket.number, request, request.count, 0) == request.count else {
            fail("send: errno \(errno)")
        }
        var count = 0
        while true {
            let room = buffer.count - count
            let received = buffer.withUnsafeMutableBytes {
                recv(socket.number, $0.baseAddress! + count, room, 0)
            }
            guard received > 0 else { fail("the connection ended within an answer") }
            count += received
            if let answer = answer(count, status) { return answer }
        }
    }

    /// Nil while more is to come.
    private func answer(_ count: Int, _ status: Int) -> Answer? {
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        let head = text[..<end.lowerBound]
        guard head.hasPrefix("HTTP/1.1 \(status) ") else {
            fail("not the expected \(status):\n\(text)")
        }
        guard let field = head.firstRange(of: "\r\nContent-Length: "),
            let length = Int(head[field.upperBound...].prefix { $0.isNumber })
        else { fail("an answer without a length:\n\(text)") }
        let body = buffer[(count - text[end.upperBound...].utf8.count)..<count]
        guard body.count >= length else { return nil }
        guard body.count == length else { fail("bytes after the answer:\n\(text)") }
        return Answer(
            isReplay: head.contains("\r\nIdempotent-Replayed: true"), body: Array(body))
    }
}

/// Ends the program with what was wrong.
func fail(_ what: String) -> Never {
    let line = Array("Instructions: \(what)\n".utf8)
    // The program ends here, whether or not the line comes out.
    _ = write(STDERR_FILENO, line, line.count)
    exit(1)
}
