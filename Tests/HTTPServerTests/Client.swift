import CLinux
import Glibc
import HTTPServer
import Platform

/// A blocking socket to a server under test. Reads give up after five seconds, so that a failing
/// test ends.
final class Client {
    private let socket: FileDescriptor
    private(set) var buffered: [UInt8] = []
    private(set) var hasEnded = false
    private(set) var wasReset = false

    init(port: UInt16, receiveBufferBytes: Int32? = nil) throws {
        let number = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard number >= 0 else { throw SystemError("socket") }
        socket = FileDescriptor(owning: number)
        if var size = receiveBufferBytes {
            setsockopt(number, SOL_SOCKET, SO_RCVBUF, &size, 4)
        }
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, 16)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw SystemError("connect") }
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { raw in
            var sent = 0
            while sent < raw.count {
                let count = Glibc.send(
                    socket.number, raw.baseAddress! + sent, raw.count - sent, Int32(MSG_NOSIGNAL))
                if count <= 0 { return }
                sent += count
            }
        }
    }

    func shutdownWrite() { _ = shutdown(socket.number, Int32(SHUT_WR)) }

    func close() { socket.close() }

    /// Closes with RST.
    func abort() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket.number, SOL_SOCKET, SO_LINGER, &option, 8)
        socket.close()
    }

    /// Reads more; false at the end, at a reset, or when five seconds have passed.
    @discardableResult func readMore() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = recv(socket.number, &chunk, chunk.count, 0)
        if count > 0 {
            buffered += chunk[..<count]
            return true
        }
        if count == 0 { hasEnded = true } else { wasReset = errno == ECONNRESET }
        return false
    }

    /// Whether there is something to read, or the end, before so many milliseconds have passed.
    func isReadable(within milliseconds: Int32) -> Bool {
        var poll = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, milliseconds) == 1
    }

    /// Reads so many bytes at most; false at the end or at a reset.
    func readLittle(_ count: Int) -> Bool {
        var chunk = [UInt8](repeating: 0, count: count)
        let count = recv(socket.number, &chunk, chunk.count, 0)
        if count < 0 { wasReset = errno == ECONNRESET }
        return count > 0
    }

    /// Everything until the server closes.
    func readToEnd() -> String {
        while readMore() {}
        defer { buffered = [] }
        return String(decoding: buffered, as: UTF8.self)
    }

    struct Answer {
        var status: Int
        var head: String
        var body: String

        func field(_ name: String) -> String? {
            for line in head.split(separator: "\r\n") {
                let sides = line.split(separator: ":", maxSplits: 1)
                if sides.count == 2, sides[0].lowercased() == name.lowercased() {
                    return sides[1].trimmingPrefix(" ").description
                }
            }
            return nil
        }
    }

    /// The next answer; nil if the connection ended before it was whole.
    func answer(hasBody: Bool = true) -> Answer? {
        while true {
            if let end = headEnd() {
                let head = String(decoding: buffered[..<end], as: UTF8.self)
                var answer = Answer(
                    status: head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0,
                    head: head, body: "")
                let length = hasBody ? answer.field("content-length").flatMap { Int($0) } ?? 0 : 0
                if buffered.count >= end + length {
                    answer.body = String(decoding: buffered[end..<end + length], as: UTF8.self)
                    buffered.removeFirst(end + length)
                    return answer
                }
            }
            guard readMore() else { return nil }
        }
    }

    private func headEnd() -> Int? {
        guard buffered.count >= 4 else { return nil }
        for index in 0...buffered.count - 4
        where buffered[index] == 13 && buffered[index + 1] == 10 && buffered[index + 2] == 13
            && buffered[index + 3] == 10
        { return index + 4 }
        return nil
    }
}

/// A server with the echo handler on a free port of the loopback, stopped by `stop`.
final class EchoServer {
    let server: HTTPServer<EchoHandler>
    let shared: EchoHandler.Shared
    let metrics = MetricsRegistry()

    init(
        bigBytes: Int = 4 << 20, _ change: (inout HTTPServerConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = HTTPServerConfiguration()
        change(&configuration)
        let shared = EchoHandler.Shared(bigBytes: bigBytes)
        self.shared = shared
        server = try HTTPServer(
            configuration: configuration, log: Log(level: .error), metrics: metrics
        ) { _, _ in EchoHandler(shared: shared) }
        server.start()
    }

    var port: UInt16 { server.port }

    func client() throws -> Client { try Client(port: port) }

    func stop() {
        server.beginDrain(gracePeriodMilliseconds: 0)
        server.waitUntilStopped()
    }

    var openConnections: Int? {
        metrics.render().split(separator: "\n").first { $0.hasPrefix("http_connections_open{") }
            .flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
    }

    /// Waits until `condition` holds for the shared state; false after five seconds.
    func wait(_ condition: (EchoHandler.Shared.State) -> Bool) -> Bool {
        let clock = SystemMonotonicClock()
        let end = clock.now().advanced(milliseconds: 5000)
        while clock.now() < end {
            if shared.state.withLock({ condition($0) }) { return true }
            sched_yield()
        }
        return false
    }
}
