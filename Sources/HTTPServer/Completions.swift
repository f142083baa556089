package import Platform

/// The way back from other threads to the event loops: a mailbox per loop.
package final class Completions<Completion: Sendable>: Sendable {
    let mailboxes: [Mailbox<(Ticket, Completion)>]

    /// For a server with that many loops. Throws if the system has no descriptors left.
    package init(loops: Int) throws(SystemError) {
        var mailboxes: [Mailbox<(Ticket, Completion)>] = []
        for _ in 0..<loops { mailboxes.append(try Mailbox()) }
        self.mailboxes = mailboxes
    }

    /// Hands `completion` to the loop of `ticket`; from any thread. A ticket of a loop that does
    /// not exist is a programming error.
    package func complete(_ ticket: Ticket, _ completion: Completion) {
        mailboxes[Int(ticket.loop)].send((ticket, completion))
    }

    /// As `complete` for each, with one wake-up for each loop.
    package func complete(batch: [(Ticket, Completion)]) {
        guard mailboxes.count > 1 else {
            mailboxes[0].send(contentsOf: batch)
            return
        }
        for index in mailboxes.indices {
            mailboxes[index].send(contentsOf: batch.filter { $0.0.loop == UInt32(index) })
        }
    }
}
