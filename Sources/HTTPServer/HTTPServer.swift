package import Platform

/// An HTTP/1.1 server (RFC 9112): event loops that share one listening socket, each with a handler
/// of its own. TCP connections are completed by the kernel from `init` on and served from `start` on.
package final class HTTPServer<Handler: RequestHandler>: Sendable {
    /// The way for other threads to answer parked requests.
    package let completions: Completions<Handler.Completion>
    private let parts: [LoopParts]
    private let listener: Listener
    private let control: ServerControl
    private let clock: any MonotonicClock
    private let makeHandler: @Sendable (Int, Completions<Handler.Completion>) -> Handler
    private let threads = Guarded<[Thread]>([])

    /// Binds and listens; throws the system call that failed, such as `bind` with `EADDRINUSE`.
    ///
    /// `completions`, if given, has as many loops as the configuration. `makeHandler` is called once
    /// for each loop, on its thread, with the loop's index.
    package init(
        configuration: HTTPServerConfiguration,
        log: Log,
        metrics: MetricsRegistry,
        clock: any MonotonicClock = SystemMonotonicClock(),
        wallClock: any WallClock = SystemWallClock(),
        completions: Completions<Handler.Completion>? = nil,
        makeHandler:
            @escaping @Sendable (_ loop: Int, _ completions: Completions<Handler.Completion>) ->
            Handler
    ) throws(SystemError) {
        precondition((1...64).contains(configuration.loops))
        if let completions {
            precondition(completions.mailboxes.count == configuration.loops)
            self.completions = completions
        } else {
            self.completions = try Completions(loops: configuration.loops)
        }
        self.clock = clock
        self.makeHandler = makeHandler
        listener = try Listener(configuration)
        control = ServerControl(connectionLimit: configuration.limits.connections)
        var parts: [LoopParts] = []
        for index in 0..<configuration.loops {
            parts.append(
                LoopParts(
                    index: UInt32(index), name: configuration.name, limits: configuration.limits,
                    log: log, registry: metrics, clock: clock, wallClock: wallClock,
                    epoll: try Poller.makeDescriptor(
                        watching: self.completions.mailboxes[index].event), listener: listener,
                    control: control))
        }
        self.parts = parts
    }

    /// The port that is listened on.
    package var port: UInt16 { listener.port }

    /// Starts the loops' threads. Once only.
    package func start() {
        threads.withLock { threads in
            precondition(threads.isEmpty, "started twice")
            threads = parts.map { parts in
                let mailbox = completions.mailboxes[Int(parts.index)]
                let (makeHandler, completions) = (makeHandler, completions)
                return Thread(name: "\(parts.name)-\(parts.index)") {
                    let handler = makeHandler(Int(parts.index), completions)
                    EventLoop<Handler>(parts, mailbox, handler).run()
                }
            }
        }
    }

    /// Goes on accepting and answering, but every answer ends its connection (`Connection: close`),
    /// so that clients move to another server before this one stops accepting. Optional.
    package func announceDrain() {
        control.advance(to: .announced)
        wake()
    }

    /// Stops accepting: takes in what the kernel has completed, closes the listener, finishes every
    /// request of which a byte has come, closes the rest, and ends the loops; connections that
    /// are left when the grace period ends are cut off. Returns at once. A later call can only
    /// shorten the period.
    package func beginDrain(gracePeriodMilliseconds: Int64) {
        control.limitGrace(clock.now().advanced(milliseconds: gracePeriodMilliseconds))
        control.advance(to: .draining)
        wake()
    }

    /// Returns when all loops have ended; blocks its thread, so not for Swift's cooperative pool.
    package func waitUntilStopped() {
        let threads = self.threads.withLock { $0 }
        for thread in threads { thread.join() }
    }

    private func wake() {
        for mailbox in completions.mailboxes { mailbox.event.signal() }
    }
}
