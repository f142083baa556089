import HTTPServer
import Identity
import Ledger
import Platform
import Store

/// What is kept of a parked request.
struct Parked {
    var requestID = ""
    /// The `Prefer: wait` that was honoured.
    var waitSeconds: Int64?
    /// The tags of `If-None-Match`; nil without it.
    var tags: [String]?
    /// The token of one that waits, to be looked at again when the time is over, and when a look-up
    /// is answered; that of an attempt is looked at again with its command.
    var token: VerifiedToken?
    /// Set where a read is to decide between two contents of one key.
    var conflict: KeyConflict?
    /// The intent whose changes it waits for.
    var watched: IntentID?
    /// Whether it still waits; at the end of its time it takes what there is.
    var holds = true

    func applied(to response: Response) -> Response {
        guard let waitSeconds else { return response }
        var response = response
        response.setField("Preference-Applied", "wait=\(waitSeconds)")
        return response
    }
}

/// A request whose patience ends some time.
struct Wait {
    let ticket: Ticket
    let until: MonotonicTime
    /// The attempt in flight that it waits for; nil for a look-up.
    let attempt: IntentID?
    let watched: IntentID?
}

extension TransferAPI {
    /// Lets a request wait, at no cost but its entry.
    mutating func wait(for attempt: IntentID?, _ ticket: Ticket, _ request: Parked) {
        remember(request, for: ticket)
        let seconds = request.waitSeconds ?? 0
        waits.append(
            Wait(
                ticket: ticket,
                until: services.monotonic.now().advanced(milliseconds: seconds * 1000),
                attempt: attempt, watched: request.watched))
    }

    /// Ends the waits whose time is over.
    mutating func endWaits(_ now: MonotonicTime) {
        guard !waits.isEmpty else { return }
        var ended: [Wait] = []
        waits.removeAll { wait in
            guard wait.until <= now else { return false }
            ended.append(wait)
            return true
        }
        for wait in ended {
            if let attempt = wait.attempt {
                // Otherwise its answer is on the way, or it has become the attempt that runs.
                if services.inFlight.withdraw(attempt, wait.ticket) { sink.waitEnded(wait.ticket) }
            } else if let watched = wait.watched {
                services.changes.forget(watched, wait.ticket)
                sink.waitEnded(wait.ticket)
            }
        }
    }

    /// The request was answered before its time was over.
    mutating func forget(_ ticket: Ticket, _ request: Parked) {
        waits.removeAll { $0.ticket == ticket }
        if let watched = request.watched { services.changes.forget(watched, ticket) }
    }

    /// Looks at a watched intent once more; nil while the read is under way.
    mutating func look(again holds: Bool, _ ticket: Ticket, _ request: Parked) -> Response? {
        guard let intent = request.watched else { return nil }
        var request = request
        request.holds = request.holds && holds
        if request.holds { services.changes.watch(intent, ticket, sink) }
        let query = ReadQuery.intent(intent, inFlight: services.inFlight.contains(intent))
        guard case .respond(let response) = read(query, ticket, request) else { return nil }
        return response
    }
}
