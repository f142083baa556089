package import Platform

/// A handler's decision on a request's head alone.
package enum Admission: Sendable {
    /// Read the body, if there is one, then call `handle`.
    case read
    /// Answer now. If a body was announced and has not arrived whole, the connection is closed after
    /// the answer, because what follows could not be told from the next request.
    case respond(Response)
}

/// What a handler says to a whole request.
package enum HandlerAnswer: Sendable {
    case respond(Response)
    /// The answer will come as a completion for the request's ticket.
    case parked
    /// Too much work for this turn of the loop, and nothing was done: the same request is offered
    /// again at the next turn, before those that were postponed after it.
    case postponed
}

/// Answers requests. Each event loop has an instance of its own, made and called on its thread
/// only, so it needs neither locks nor `Sendable`. Every call must be quick: the loop's other
/// connections wait meanwhile.
package protocol RequestHandler: SendableMetatype {
    /// What another thread sends back for a parked request.
    associatedtype Completion: Sendable

    /// Called when the head is complete, before the body is read and before `100 Continue`. The
    /// place for answers that need no body: 404, 405, 413, 415.
    mutating func admit(_ head: borrowing RequestHead) -> Admission

    /// Called with a whole request: `body` is decoded and empty where there was none. Head and body
    /// are valid during the call. For HEAD answer as for GET: the server leaves the body out.
    mutating func handle(
        _ head: borrowing RequestHead, _ body: Span<UInt8>, _ ticket: Ticket
    ) -> HandlerAnswer

    /// A completion for a parked request whose client still waits; nil leaves it parked.
    mutating func complete(_ completion: Completion, _ ticket: Ticket) -> Response?

    /// A completion whose request no longer waits (the client has gone, or it was answered before).
    mutating func abandoned(_ completion: Completion)

    /// The answer to a message that the server refuses; its status should be `reason.status`. The
    /// head is given if it was read whole. The connection is closed after it.
    mutating func refusal(_ reason: Refusal, _ head: RequestHead?) -> Response

    /// A turn of the loop begins: what is ready now is handled before the next. The place to say
    /// how much work a turn may be.
    mutating func beginTurn()

    /// About every 100 ms, on the loop's thread.
    mutating func tick(_ now: MonotonicTime)

    /// The server is about to stop: answers from now on are their connections' last. Once, on the
    /// loop's thread.
    mutating func drain()
}

extension RequestHandler {
    /// For handlers that postpone nothing.
    package mutating func beginTurn() {}

    /// For handlers that keep nobody waiting.
    package mutating func drain() {}
}
