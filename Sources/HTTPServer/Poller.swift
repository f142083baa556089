import CLinux
import Glibc
import Platform

/// One epoll instance, level-triggered. Confined to the loop's thread.
final class Poller {
    private let descriptor: FileDescriptor
    private let events: UnsafeMutableBufferPointer<epoll_event>

    init(_ descriptor: FileDescriptor) {
        self.descriptor = descriptor
        events = .allocate(capacity: 256)
        events.initialize(repeating: epoll_event())
    }

    deinit { events.deallocate() }

    /// The tag of the mailbox's events; no connection has one so high.
    static let mailboxTag = UInt64.max - 1

    /// An epoll instance that watches `mailbox`.
    static func makeDescriptor(
        watching mailbox: EventDescriptor
    ) throws(SystemError) -> FileDescriptor {
        let number = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard number >= 0 else { throw SystemError("epoll_create1") }
        let descriptor = FileDescriptor(owning: number)
        guard cl_epoll_add(number, mailbox.descriptor.number, cl_epollin(), mailboxTag) == 0 else {
            throw SystemError("epoll_ctl add")
        }
        return descriptor
    }

    func add(_ number: Int32, events: UInt32, tag: UInt64) throws(SystemError) {
        guard cl_epoll_add(descriptor.number, number, events, tag) == 0 else {
            throw SystemError("epoll_ctl add")
        }
    }

    func modify(_ number: Int32, events: UInt32, tag: UInt64) throws(SystemError) {
        guard cl_epoll_modify(descriptor.number, number, events, tag) == 0 else {
            throw SystemError("epoll_ctl modify")
        }
    }

    func remove(_ number: Int32) throws(SystemError) {
        guard cl_epoll_remove(descriptor.number, number) == 0 else {
            throw SystemError("epoll_ctl remove")
        }
    }

    /// Waits at most that long; returns how many events there are.
    func wait(milliseconds: Int64) -> Int {
        let count = epoll_wait(
            descriptor.number, events.baseAddress, Int32(events.count),
            Int32(clamping: milliseconds))
        if count < 0 {
            precondition(errno == EINTR, "epoll_wait failed with errno \(errno)")
            return 0
        }
        return Int(count)
    }

    func event(_ index: Int) -> (events: UInt32, tag: UInt64) {
        (events[index].events, cl_epoll_tag(events.baseAddress! + index))
    }
}

/// Confined to its loop's thread.
@available(*, unavailable)
extension Poller: Sendable {}
