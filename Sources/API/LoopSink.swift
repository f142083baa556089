import HTTPServer
import Platform
package import Store

/// What comes back to an event loop from the store's threads.
package enum StoreAnswer: Sendable {
    case command(CommandAnswer)
    case read(ReadAnswer)
    /// What the request watches may have changed.
    case changed
    /// The time that the client wanted to wait is over.
    case waitEnded
}

/// Carries store answers to the loop that waits for them.
final class LoopSink: StoreSink {
    private let completions: Completions<StoreAnswer>

    init(_ completions: Completions<StoreAnswer>) { self.completions = completions }

    func completed(_ batch: [(Ticket, CommandAnswer)]) {
        completions.complete(batch: batch.map { ($0.0, .command($0.1)) })
    }

    func completed(_ ticket: Ticket, _ answer: ReadAnswer) {
        completions.complete(ticket, .read(answer))
    }

    func changed(_ ticket: Ticket) { completions.complete(ticket, .changed) }

    func waitEnded(_ ticket: Ticket) { completions.complete(ticket, .waitEnded) }
}
