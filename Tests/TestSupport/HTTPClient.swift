import CLinux
import Glibc
import Platform

/// A blocking HTTP/1.1 client on one socket, for tests that look at what is on the wire.
///
/// Sends bytes as they are given and reads answers that carry a `Content-Length`. Every wait ends.
package final class HTTPClient: @unchecked Sendable {
    // Sendable: used by one thread at a time, which a test hands it to.
    package enum Failure: Error, Equatable, CustomStringConvertible {
        /// Nothing came within the patience.
        case timedOut
        /// The server closed; so many bytes of an answer had come.
        case ended(bytes: Int)
        case reset
        case malformed(String)
        case refused(code: Int32)

        package var description: String {
            switch self {
            case .timedOut: "no answer in time"
            case .ended(let bytes): "closed after \(bytes) bytes of an answer"
            case .reset: "the connection was reset"
            case .malformed(let text): "not an answer: \(text.prefix(200))"
            case .refused(let code): "not connected (errno \(code))"
            }
        }
    }

    private let socket: FileDescriptor
    private var buffered: [UInt8] = []

    /// Connects to an IPv4 address.
    package init(
        address: String = "127.0.0.1", port: UInt16, patienceMilliseconds: Int = 30_000
    ) throws(Failure) {
        let number = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(O_CLOEXEC), 0)
        guard number >= 0 else { throw .refused(code: errno) }
        socket = FileDescriptor(owning: number)
        var patience = timeval(
            tv_sec: patienceMilliseconds / 1000, tv_usec: patienceMilliseconds % 1000 * 1000)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, 16)
        setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &patience, 16)
        var one: Int32 = 1
        setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = port.bigEndian
        guard inet_pton(AF_INET, address, &target.sin_addr) == 1 else {
            throw .malformed("\(address) is not an IPv4 address")
        }
        let code = withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw .refused(code: errno) }
    }

    /// Sends all bytes; an error of the connection shows when the answer is read.
    package func send(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { raw in
            var sent = 0
            while sent < raw.count {
                let count = Glibc.send(
                    socket.number, raw.baseAddress! + sent, raw.count - sent, Int32(MSG_NOSIGNAL))
                if count < 0, errno == EINTR { continue }
                if count <= 0 { return }
                sent += count
            }
        }
    }

    package func send(_ text: String) { send(Array(text.utf8)) }
    package func send(_ request: HTTPRequest) { send(request.bytes) }

    /// Sends a request and reads its answer.
    package func exchange(_ request: HTTPRequest) throws(Failure) -> HTTPAnswer {
        send(request)
        return try receive(toHEAD: request.method == "HEAD")
    }

    /// The next answer that is not an interim one.
    package func receive(toHEAD: Bool = false) throws(Failure) -> HTTPAnswer {
        var interim: [Int] = []
        while true {
            var answer = try receiveOne(toHEAD: toHEAD)
            if (100..<200).contains(answer.status) {
                interim.append(answer.status)
                continue
            }
            answer.interim = interim
            return answer
        }
    }

    /// The status of the next answer, which must be an interim one or has no body.
    package func receiveInterim() throws(Failure) -> Int {
        try receiveOne(toHEAD: true).status
    }

    /// Whether the server closes without another byte.
    package func endsHere() -> Bool {
        guard buffered.isEmpty else { return false }
        do throws(Failure) {
            try readMore()
            return false
        } catch {
            return error == .ended(bytes: 0) || error == .reset
        }
    }

    package func close() { socket.close() }

    package func finishSending() { _ = shutdown(socket.number, Int32(SHUT_WR)) }

    /// Closes with RST, as a phone that lost its network is seen through some middle boxes.
    package func abort() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket.number, SOL_SOCKET, SO_LINGER, &option, 8)
        socket.close()
    }

    private func receiveOne(toHEAD: Bool) throws(Failure) -> HTTPAnswer {
        var end = headEnd()
        while end == nil {
            try readMore()
            end = headEnd()
        }
        let head = String(decoding: buffered[..<end!], as: UTF8.self)
        // One grapheme: "\r\n" is a single Character.
        var lines = head.split(separator: "\r\n", omittingEmptySubsequences: true)
        let words = lines.removeFirst().split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
            throw .malformed(head)
        }
        var fields: [(name: String, value: String)] = []
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { throw .malformed(head) }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            fields.append((String(line[..<colon]), String(value)))
        }
        var length = 0
        if !toHEAD, status >= 200, status != 204, status != 304 {
            let lengths = fields.filter { $0.name.lowercased() == "content-length" }
            guard lengths.count == 1, let count = Int(lengths[0].value) else {
                throw .malformed(head)
            }
            length = count
        }
        while buffered.count < end! + length { try readMore() }
        let body = Array(buffered[end!..<end! + length])
        buffered.removeFirst(end! + length)
        return HTTPAnswer(status: status, fields: fields, body: body)
    }

    private func headEnd() -> Int? {
        guard buffered.count >= 4 else { return nil }
        for index in 0...buffered.count - 4
        where buffered[index] == 13 && buffered[index + 1] == 10 && buffered[index + 2] == 13
            && buffered[index + 3] == 10
        { return index + 4 }
        return nil
    }

    private func readMore() throws(Failure) {
        var chunk = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = recv(socket.number, &chunk, chunk.count, 0)
            if count > 0 {
                buffered += chunk[..<count]
                return
            }
            if count == 0 { throw .ended(bytes: buffered.count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: throw .timedOut
            default: throw .reset
            }
        }
    }
}
