import CLinux
import Glibc
import Platform

/// What a transport waits for. With TLS a write may have to wait for bytes to read, and a read for
/// room to write.
enum Readiness: Equatable {
    case readable
    case writable
}

enum TransferResult: Equatable {
    /// That many bytes moved; at least one.
    case bytes(Int)
    case wouldBlock(Readiness)
    /// The other side sends no more. Only from `read`.
    case ended
    /// The connection is of no use any more.
    case failed(code: Int32)
}

/// Bytes to and from one client, never blocking.
protocol ByteTransport: AnyObject {
    func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferResult
    func write(_ bytes: UnsafeRawBufferPointer) -> TransferResult
    /// Ends our direction, after everything written.
    func shutdownWrite()
    /// Closes; with `reset` so that the client sees an error instead of an end.
    func close(reset: Bool)
}

/// A plain socket, or anything else that moves bytes. A closed set first, so that the common case
/// is a direct call.
enum Transport {
    case socket(FileDescriptor)
    case other(any ByteTransport)

    func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferResult {
        switch self {
        case .socket(let descriptor): Self.read(descriptor.number, buffer)
        case .other(let transport): transport.read(into: buffer)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> TransferResult {
        switch self {
        case .socket(let descriptor): Self.write(descriptor.number, bytes)
        case .other(let transport): transport.write(bytes)
        }
    }

    func shutdownWrite() {
        switch self {
        case .socket(let descriptor): _ = shutdown(descriptor.number, Int32(SHUT_WR))
        case .other(let transport): transport.shutdownWrite()
        }
    }

    func close(reset: Bool) {
        switch self {
        case .socket(let descriptor):
            if reset {
                var option = linger(l_onoff: 1, l_linger: 0)
                setsockopt(
                    descriptor.number, SOL_SOCKET, SO_LINGER, &option,
                    socklen_t(MemoryLayout<linger>.size))
            }
            descriptor.close()
        case .other(let transport): transport.close(reset: reset)
        }
    }

    private static func read(
        _ number: Int32, _ buffer: UnsafeMutableRawBufferPointer
    ) -> TransferResult {
        while true {
            let count = recv(number, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            // errno says nothing after 0.
            if count == 0 { return .ended }
            let code = errno
            switch code {
            case EINTR: continue
            case EAGAIN: return .wouldBlock(.readable)
            default: return .failed(code: code)
            }
        }
    }

    private static func write(_ number: Int32, _ bytes: UnsafeRawBufferPointer) -> TransferResult {
        while true {
            let count = send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count > 0 { return .bytes(count) }
            let code = count == 0 ? EPIPE : errno
            switch code {
            case EINTR: continue
            case EAGAIN: return .wouldBlock(.writable)
            default: return .failed(code: code)
            }
        }
    }
}
