import CLinux
import Glibc
package import Platform
import Synchronization

/// A look at a port before it is needed.
package enum ListeningPort {
    /// Throws what opening the port for a server would throw now. Leaves it closed.
    package static func check(_ configuration: HTTPServerConfiguration) throws(SystemError) {
        _ = try Listener(configuration)
    }
}

/// The listening socket that all loops of a server share; closed when the last loop leaves it.
final class Listener: Sendable {
    let descriptor: FileDescriptor
    let port: UInt16
    private let users: Atomic<Int>

    /// Binds and listens. An address in use is refused: there is no SO_REUSEPORT, so that a second
    /// server started by mistake does not share the port.
    init(_ configuration: HTTPServerConfiguration) throws(SystemError) {
        var (storage, length, family) = try Self.socketAddress(configuration)
        let number = socket(
            family,
            Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw SystemError("socket") }
        descriptor = FileDescriptor(owning: number)
        try Self.set(number, SOL_SOCKET, SO_REUSEADDR, 1, "setsockopt SO_REUSEADDR")
        // Accepted sockets inherit the rest.
        let tcp = Int32(IPPROTO_TCP)
        try Self.set(number, tcp, TCP_NODELAY, 1, "setsockopt TCP_NODELAY")
        try Self.set(
            number, tcp, TCP_NOTSENT_LOWAT, Int32(clamping: configuration.limits.unsentBytes),
            "setsockopt TCP_NOTSENT_LOWAT")
        let bound = withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, length) }
        }
        guard bound == 0 else { throw SystemError("bind") }
        guard listen(number, configuration.backlog) == 0 else { throw SystemError("listen") }
        var actual = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let named = withUnsafeMutablePointer(to: &actual) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &size) }
        }
        guard named == 0 else { throw SystemError("getsockname") }
        port = withUnsafeBytes(of: &actual) {
            // sin_port and sin6_port are at the same place.
            UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self))
        }
        users = Atomic(configuration.loops)
    }

    func leave() {
        if users.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { descriptor.close() }
    }

    private static func set(
        _ number: Int32, _ level: Int32, _ option: Int32, _ value: Int32, _ operation: String
    ) throws(SystemError) {
        var value = value
        guard setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
        else { throw SystemError(operation) }
    }

    private static func socketAddress(
        _ configuration: HTTPServerConfiguration
    ) throws(SystemError) -> (sockaddr_storage, socklen_t, Int32) {
        var storage = sockaddr_storage()
        var four = sockaddr_in()
        if inet_pton(AF_INET, configuration.address, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = configuration.port.bigEndian
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: four, as: sockaddr_in.self) }
            return (storage, socklen_t(MemoryLayout<sockaddr_in>.size), AF_INET)
        }
        var six = sockaddr_in6()
        guard inet_pton(AF_INET6, configuration.address, &six.sin6_addr) == 1 else {
            throw SystemError("inet_pton", code: EINVAL)
        }
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = configuration.port.bigEndian
        withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: six, as: sockaddr_in6.self) }
        return (storage, socklen_t(MemoryLayout<sockaddr_in6>.size), AF_INET6)
    }
}
