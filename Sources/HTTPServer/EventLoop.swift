import CLinux
import Glibc
import Platform

/// One thread, one epoll: accepts, waits, and has its connections driven. Everything in it is
/// confined to that thread.
final class EventLoop<Handler: RequestHandler> {
    private static var listenerTag: UInt64 { .max }

    private let limits: HTTPLimits
    private let log: Log
    private let metrics: HTTPMetrics
    private let clock: any MonotonicClock
    private let wallClock: any WallClock
    private let poller: Poller
    private let listener: Listener
    private let control: ServerControl
    private let mailbox: Mailbox<(Ticket, Handler.Completion)>

    private var slots: [Connection] = []
    private var freeSlots: [Int] = []
    private var openCount = 0
    private var deadlines: Deadlines
    private var due: [Deadlines.Entry] = []
    private var nextTick: MonotonicTime
    private var stage = ServerControl.Stage.serving
    private var listens = false
    private var hasLeftListener = false
    /// Not before then is the listener looked at again.
    private var acceptsAgain = MonotonicTime(nanoseconds: 0)
    /// Said once in the log, not at every attempt.
    private var acceptIsFailing = false
    private var inbox: [(Ticket, Handler.Completion)] = []
    private let driver: ConnectionDriver<Handler>

    init(_ parts: LoopParts, _ mailbox: Mailbox<(Ticket, Handler.Completion)>, _ handler: Handler) {
        limits = parts.limits
        log = parts.log
        metrics = HTTPMetrics(parts.registry, server: parts.name)
        clock = parts.clock
        wallClock = parts.wallClock
        poller = Poller(parts.epoll)
        listener = parts.listener
        control = parts.control
        self.mailbox = mailbox
        let now = parts.clock.now()
        deadlines = Deadlines(now: now)
        nextTick = now
        driver = ConnectionDriver(
            loop: parts.index, limits: parts.limits, metrics: metrics, clock: parts.clock,
            handler: handler)
    }

    /// Returns when a drain has ended.
    func run() {
        resumeListening()
        var now = clock.now()
        tick(now)
        while !isFinished(now) {
            let count = poller.wait(
                milliseconds: driver.hasPostponed ? 0 : now.milliseconds(until: nextTick))
            now = clock.now()
            driver.beginTurn()
            if driver.hasPostponed { offerPostponed(now) }
            for index in 0..<count {
                let (events, tag) = poller.event(index)
                switch tag {
                case Self.listenerTag: accept(now)
                case Poller.mailboxTag: receive(now)
                default: ready(tag, events, now)
                }
            }
            if now >= nextTick { tick(now) }
        }
        finish()
    }

    private func isFinished(_ now: MonotonicTime) -> Bool {
        guard stage == .draining, hasLeftListener else { return false }
        return openCount == 0 || now >= control.graceDeadline
    }

    private func finish() {
        if openCount > 0 {
            log.warning("http.drain.cut", ["connections": openCount])
        }
        for connection in slots where connection.isOpen { end(connection) }
        mailbox.takeAll(into: &inbox)
        for (_, completion) in inbox { driver.abandon(completion) }
        inbox.removeAll()
    }

    // MARK: Connections

    private func ready(_ tag: UInt64, _ events: UInt32, _ now: MonotonicTime) {
        let connection = slots[Int(tag >> 32)]
        guard connection.isOpen, connection.generation == UInt32(truncatingIfNeeded: tag) else {
            return
        }
        let hungUp = events & (cl_epollhup() | cl_epollerr()) != 0
        if hungUp, connection.state.readRoom == 0 {
            end(connection)
            return
        }
        let alive = driver.ready(
            connection, readable: hungUp || events & cl_epollin() != 0,
            writable: hungUp || events & cl_epollout() != 0, now)
        settle(connection, alive)
    }

    /// The oldest first, before what is new. Bounded, so that new requests have their share.
    private func offerPostponed(_ now: MonotonicTime) {
        for _ in 0..<256 {
            guard let (connection, alive) = driver.offerPostponed(now) else { return }
            settle(connection, alive)
        }
    }

    /// After a connection was driven: watches what it waits for and its deadline.
    private func settle(_ connection: Connection, _ alive: Bool) {
        guard alive else {
            end(connection)
            return
        }
        let wanted = connection.wantedEvents
        if wanted != connection.registeredEvents, case .socket(let socket) = connection.transport {
            do {
                try poller.modify(socket.number, events: wanted, tag: tag(connection))
                connection.registeredEvents = wanted
            } catch {
                log.error("http.epoll.failed", ["error": error])
                end(connection)
                return
            }
        }
        schedule(connection)
    }

    private func schedule(_ connection: Connection) {
        let deadline = connection.state.deadline
        guard deadline != .distantFuture else { return }
        let tick = deadlines.tick(of: deadline)
        guard tick < connection.scheduledTick else { return }
        connection.scheduledTick = deadlines.insert(
            Deadlines.Entry(slot: connection.slot, generation: connection.generation), at: tick)
    }

    private func end(_ connection: Connection) {
        connection.close(reset: false)
        driver.recycle(connection)
        freeSlots.append(Int(connection.slot))
        openCount -= 1
        metrics.open.set(openCount)
        control.giveBack()
        if !listens { resumeListening() }
    }

    private func tag(_ connection: Connection) -> UInt64 {
        UInt64(connection.slot) << 32 | UInt64(connection.generation)
    }

    // MARK: Accepting

    private func accept(_ now: MonotonicTime) {
        // Bounded, so that a flood of new clients does not starve the old ones.
        for _ in 0..<64 {
            guard acceptOne(now) else { return }
        }
    }

    /// False when there is nothing more to accept now.
    private func acceptOne(_ now: MonotonicTime) -> Bool {
        guard control.take(evenIfFull: stage == .draining) else {
            metrics.limitReached.add()
            pauseListening()
            return false
        }
        let number = cl_accept4(listener.descriptor.number)
        guard number < 0 else {
            acceptIsFailing = false
            open(FileDescriptor(owning: number), now)
            return true
        }
        let code = errno
        control.giveBack()
        switch code {
        case EAGAIN: return false
        // The client gave up, or the network did, before we came (accept(2)).
        case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH,
            EOPNOTSUPP, ENETUNREACH, EPERM:
            return true
        default:
            metrics.acceptFailures.add()
            if !acceptIsFailing {
                log.warning("http.accept.failed", ["error": SystemError("accept4", code: code)])
            }
            acceptIsFailing = true
            acceptsAgain = now.advanced(milliseconds: limits.acceptPauseMilliseconds)
            pauseListening()
            return false
        }
    }

    private func open(_ socket: FileDescriptor, _ now: MonotonicTime) {
        let slot = freeSlots.popLast() ?? slots.count
        if slot == slots.count { slots.append(Connection(slot: UInt32(slot), limits: limits)) }
        let connection = slots[slot]
        connection.open(.socket(socket), limits: limits, now: now)
        openCount += 1
        metrics.open.set(openCount)
        metrics.accepted.add()
        if stage != .serving { connection.state.drain() }
        if stage == .draining { connection.state.drainIdle(now) }
        do {
            try poller.add(socket.number, events: cl_epollin(), tag: tag(connection))
            connection.registeredEvents = cl_epollin()
            schedule(connection)
        } catch {
            log.error("http.epoll.failed", ["error": error])
            end(connection)
        }
    }

    /// A level-triggered listener that is not accepted from would wake the loop for ever.
    private func pauseListening() {
        guard listens else { return }
        do {
            try poller.remove(listener.descriptor.number)
            listens = false
        } catch {
            log.error("http.epoll.failed", ["error": error])
        }
    }

    private func resumeListening() {
        guard !listens, !hasLeftListener, control.hasRoom, clock.now() >= acceptsAgain else {
            return
        }
        do {
            try poller.add(
                listener.descriptor.number, events: cl_epollin() | cl_epollexclusive(),
                tag: Self.listenerTag)
            listens = true
        } catch {
            log.error("http.epoll.failed", ["error": error])
        }
    }

    // MARK: Completions, time and the end

    private func receive(_ now: MonotonicTime) {
        mailbox.takeAll(into: &inbox)
        for (ticket, completion) in inbox {
            guard ticket.slot < slots.count else {
                driver.abandon(completion)
                continue
            }
            let connection = slots[Int(ticket.slot)]
            let alive = driver.complete(completion, ticket, connection, now)
            if connection.isOpen || !alive { settle(connection, alive) }
        }
        inbox.removeAll(keepingCapacity: true)
        observeStage(now)
    }

    private func tick(_ now: MonotonicTime) {
        nextTick = now.advanced(milliseconds: Deadlines.tickMilliseconds)
        driver.setDate(wallClock.now())
        observeStage(now)
        while let tick = deadlines.takeDue(now, into: &due) {
            for entry in due {
                let connection = slots[Int(entry.slot)]
                guard connection.isOpen, connection.generation == entry.generation,
                    connection.scheduledTick == tick
                else { continue }
                connection.scheduledTick = .max
                if connection.state.deadline <= now {
                    connection.state.deadlineReached()
                    settle(connection, driver.drive(connection, now))
                } else {
                    schedule(connection)
                }
            }
        }
        if !listens { resumeListening() }
        driver.tick(now)
    }

    private func observeStage(_ now: MonotonicTime) {
        let seen = control.stage
        guard seen != stage else { return }
        if stage == .serving { driver.drain() }
        stage = seen
        for connection in slots where connection.isOpen { connection.state.drain() }
        guard seen == .draining else { return }
        while acceptOne(now) {}
        pauseListening()
        hasLeftListener = true
        listener.leave()
        for connection in slots where connection.isOpen {
            connection.state.drainIdle(now)
            schedule(connection)
        }
    }
}

/// Confined to its loop's thread.
@available(*, unavailable)
extension EventLoop: Sendable {}

/// What a loop is made of; safe to carry to its thread.
struct LoopParts: Sendable {
    let index: UInt32
    let name: String
    let limits: HTTPLimits
    let log: Log
    let registry: MetricsRegistry
    let clock: any MonotonicClock
    let wallClock: any WallClock
    let epoll: FileDescriptor
    let listener: Listener
    let control: ServerControl
}
