import CLinux
import Glibc

/// A system call that failed: which one, and the `errno` that it left.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    package let operation: String
    package let code: Int32

    package init(_ operation: String, code: Int32 = errno) {
        self.operation = operation
        self.code = code
    }

    package var description: String {
        "\(operation): \(String(cString: strerror(code))) (errno \(code))"
    }
}

/// The one owner of a file descriptor; closed in `deinit` or by `close`, never twice.
///
/// Confined to one thread at a time; the number is never used as an identity.
package final class FileDescriptor: @unchecked Sendable {
    // Sendable: the number changes only in `close`, which the owning thread calls.
    package private(set) var number: Int32

    package init(owning number: Int32) { self.number = number }

    deinit { close() }

    package func close() {
        guard number >= 0 else { return }
        Glibc.close(number)
        number = -1
    }
}

/// Wakes a thread that waits in `epoll_wait` (eventfd(2)).
package final class EventDescriptor: Sendable {
    package let descriptor: FileDescriptor

    package init() throws(SystemError) {
        let number = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard number >= 0 else { throw SystemError("eventfd") }
        descriptor = FileDescriptor(owning: number)
    }

    /// Wakes whoever waits for the descriptor. From any thread.
    package func signal() {
        var one: UInt64 = 1
        while write(descriptor.number, &one, 8) < 0, errno == EINTR {}
    }

    /// Makes the descriptor unreadable again. Call before taking the messages it announced.
    package func drain() {
        var count: UInt64 = 0
        while read(descriptor.number, &count, 8) < 0, errno == EINTR {}
    }
}
