import Platform
import TestSupport
import Testing

@Suite("Threads, locks and mailboxes")
struct ThreadTests {
    @Test("A lock lets one thread in at a time")
    func lock() {
        let lock = Lock()
        let sum = Guarded(0)
        nonisolated(unsafe) var plain = 0
        let threads = (0..<4).map { index in
            Thread(name: "adder-\(index)") {
                for _ in 0..<5000 {
                    lock.withLock { plain += 1 }
                    sum.withLock { $0 += 1 }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(lock.withLock { plain } == 20_000)
        #expect(sum.withLock { $0 } == 20_000)
    }

    @Test("A thread can be joined more than once")
    func join() {
        let ran = Guarded(false)
        let thread = Thread(name: "a name longer than Linux shows") { ran.withLock { $0 = true } }
        thread.join()
        thread.join()
        #expect(ran.withLock { $0 })
    }

    @Test("A wait with a deadline ends without a signal, and not before its time")
    func deadline() {
        let (lock, condition, clock) = (Lock(), Condition(), SystemMonotonicClock())
        let until = clock.now().advanced(milliseconds: 20)
        lock.withLock { while clock.now() < until { condition.wait(lock, until: until) } }
        #expect(clock.now() >= until)
    }

    @Test("Everything that is sent to a mailbox arrives once, in each sender's order")
    func mailbox() throws {
        let mailbox = try Mailbox<(sender: Int, number: Int)>()
        let senders = (0..<4).map { sender in
            Thread(name: "sender-\(sender)") {
                for number in 0..<2000 {
                    if number % 3 == 0 {
                        mailbox.send((sender, number))
                    } else {
                        mailbox.send(contentsOf: [(sender, number)])
                    }
                }
            }
        }
        var next = [0, 0, 0, 0]
        var batch: [(sender: Int, number: Int)] = []
        while next.contains(where: { $0 < 2000 }) {
            mailbox.takeAll(into: &batch)
            for message in batch {
                #expect(next[message.sender] == message.number)
                next[message.sender] += 1
            }
            batch.removeAll(keepingCapacity: true)
        }
        for sender in senders { sender.join() }
        mailbox.takeAll(into: &batch)
        #expect(batch.isEmpty)
    }

    @Test("The wall clock of a process never goes back")
    func wallClock() {
        let clock = SystemWallClock()
        var previous = clock.now()
        for _ in 0..<1000 {
            let now = clock.now()
            #expect(now >= previous)
            previous = now
        }
    }
}
