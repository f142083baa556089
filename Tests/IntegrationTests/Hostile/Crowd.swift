import Glibc
import Platform
import TestSupport

/// Many connections at once, which do little but be there.
final class Crowd: @unchecked Sendable {
    // Sendable: used by one thread at a time, which a test hands it to.
    private var sockets: [FileDescriptor] = []

    /// Connects so many clients. The system must have been asked for as many open files.
    init(_ count: Int, port: UInt16) throws {
        sockets.reserveCapacity(count)
        for index in 0..<count {
            let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(O_CLOEXEC), 0)
            guard number >= 0 else { throw SystemError("socket") }
            sockets.append(FileDescriptor(owning: number))
            var patience = timeval(tv_sec: 30, tv_usec: 0)
            setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, 16)
            // From several addresses: one has ports for about 28,000 connections to one server, and
            // those of clients that have left are not free again for a minute.
            let host = UInt32(0x7F00_0001) + UInt32(index / 4000)
            guard call(bind, number, host, 0) == 0 else { throw SystemError("bind") }
            guard call(connect, number, 0x7F00_0001, port) == 0 else {
                throw SystemError("connect")
            }
        }
    }

    private func call(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ number: Int32,
        _ host: UInt32, _ port: UInt16
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = host.bigEndian
        address.sin_port = port.bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    var count: Int { sockets.count }

    /// Each sends `text`, which must fit into an empty socket.
    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        for socket in sockets {
            let sent = Glibc.send(socket.number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            guard sent == bytes.count else { throw SystemError("send") }
        }
    }

    /// What each is answered with next: a status, or 0 where the server ended without one. Of short
    /// answers without a body.
    func receive() throws -> [Int] {
        try sockets.map { socket in
            var text: [UInt8] = []
            while !text.suffix(4).elementsEqual([13, 10, 13, 10]) {
                guard let more = try Self.read(socket) else { return 0 }
                text += more
            }
            return Self.status(text)
        }
    }

    /// What each gets until the server ends its connection: a status, 0 for nothing.
    func receiveToEnd() throws -> [Int] {
        try sockets.map { socket in
            var text: [UInt8] = []
            while let more = try Self.read(socket) { text += more }
            return Self.status(text)
        }
    }

    /// The first `count` close their connections.
    func leave(_ count: Int) {
        for socket in sockets.prefix(count) { socket.close() }
        sockets.removeFirst(min(count, sockets.count))
    }

    /// All go: every other as a client that closes, the rest as one that has crashed.
    func leave() {
        for (index, socket) in sockets.enumerated() {
            if index % 2 == 1 {
                var option = linger(l_onoff: 1, l_linger: 0)
                setsockopt(socket.number, SOL_SOCKET, SO_LINGER, &option, 8)
            }
            socket.close()
        }
        sockets.removeAll()
    }

    /// Nil at the end or a reset.
    private static func read(_ socket: FileDescriptor) throws -> ArraySlice<UInt8>? {
        var chunk = [UInt8](repeating: 0, count: 1024)
        while true {
            let count = recv(socket.number, &chunk, chunk.count, 0)
            if count > 0 { return chunk[..<count] }
            if count == 0 || errno == ECONNRESET { return nil }
            guard errno == EINTR else { throw SystemError("recv") }
        }
    }

    private static func status(_ text: [UInt8]) -> Int {
        String(decoding: text.dropFirst(9).prefix(3), as: UTF8.self).wholeMatch(of: #/\d{3}/#)
            .flatMap { Int($0.0) } ?? 0
    }
}
