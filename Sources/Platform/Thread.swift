import CLinux
import Glibc

/// A pthread that this process owns: named, started at once, joined by its owner,
/// or let go when nobody has it any more.
///
/// Sockets and databases block; they never run on Swift's cooperative pool.
package final class Thread: @unchecked Sendable {
    // Sendable: `handle` is written once in `init`, `joined` only under `lock`.
    private let handle: pthread_t
    private let lock = Lock()
    private var joined = false

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread. `name` is cut to the 15 bytes that Linux shows.
    package init(name: String, _ body: @escaping @Sendable () -> Void) {
        var handle = pthread_t()
        let box = Unmanaged.passRetained(Body(body))
        let code = pthread_create(
            &handle, nil,
            { raw in
                let body = Unmanaged<Body>.fromOpaque(raw!).takeRetainedValue()
                body.run()
                return nil
            }, box.toOpaque())
        precondition(code == 0, "pthread_create failed with \(code)")
        self.handle = handle
        _ = cl_thread_name(handle, String(decoding: name.utf8.prefix(15), as: UTF8.self))
    }

    deinit {
        // Nobody can wait for it any more: the kernel frees it when it ends.
        if !joined { pthread_detach(handle) }
    }

    /// Waits until the thread's body has returned. Later calls return at once.
    package func join() {
        lock.withLock {
            guard !joined else { return }
            joined = true
            pthread_join(handle, nil)
        }
    }
}
