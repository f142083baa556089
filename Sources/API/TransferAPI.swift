package import HTTPServer
import Identity
import Ledger
package import Platform
package import Store

/// The customer-facing API: one instance on each event loop, confined to it.
///
/// A request passes in the order of the contract: method, path, media type and size (`admit`), token
/// and scope (`Gate`), and then its use case, which has a file of its own.
package struct TransferAPI: RequestHandler {
    package typealias Completion = StoreAnswer

    let services: APIServices
    let metrics: APIMetrics
    let sink: LoopSink
    var gate: Gate
    var outcomes: OutcomeCache
    /// What is needed to answer parked reads, by connection slot.
    private var parked: [ParkedRead] = []

    package init(services: APIServices, completions: Completions<StoreAnswer>) {
        self.services = services
        metrics = APIMetrics(services.metrics)
        sink = LoopSink(completions)
        gate = Gate(services.verifier)
        outcomes = OutcomeCache(maximumBytes: services.settings.outcomeCacheBytes)
    }

    package mutating func admit(_ head: borrowing RequestHead) -> Admission {
        // About the server as a whole, not about a path (RFC 9110 section 9.3.7).
        if head.method == .options, head.path.equals("*") {
            return .respond(Response(status: 204).withCommonFields(requestID(head)))
        }
        guard let route = Route(head.path) else {
            return .respond(
                Problem(.notFound, "The paths are listed in the API's documentation.")
                    .response(requestID(head)))
        }
        guard route.has(head.method) else {
            var response = Problem(
                .methodNotAllowed, "Use one of the methods of the Allow header."
            ).response(requestID(head))
            response.setField("Allow", route.allow)
            return .respond(response)
        }
        if head.method == .options {
            var response = Response(status: 204).withCommonFields(requestID(head))
            response.setField("Allow", route.allow)
            return .respond(response)
        }
        if head.method == .post, !MediaType.isJSON(head) {
            return .respond(
                Problem(
                    .mediaTypeUnsupported,
                    "Send one Content-Type header: application/json, with no parameter but "
                        + "charset=utf-8."
                ).response(requestID(head)))
        }
        return .read
    }

    package mutating func handle(
        _ head: borrowing RequestHead, _ body: Span<UInt8>, _ ticket: Ticket
    ) -> HandlerAnswer {
        let id = requestID(head)
        guard let route = Route(head.path) else {
            return .respond(Problem(.notFound, "There is nothing here.").response(id))
        }
        let customer: CustomerID
        switch gate.pass(head, needs: route.scope(head.method), at: services.clock.now()) {
        case .refused(let refusal):
            metrics.unauthenticated.add()
            return .respond(refusal.response(id))
        case .passed(let token): customer = token
        }
        if let query = head.query, !query.isEmpty {
            return .respond(
                Problem(.requestInvalid, "This endpoint has no query parameters. Leave them out.")
                    .response(id))
        }
        switch route {
        case .transfers: return postTransfer(head, body, ticket, customer, id)
        case .transferByKey(.success(let key)):
            return getTransfer(IntentID(customer: customer, key: key), ticket, id)
        case .transferByKey(.failure(let refusal)):
            return .respond(Problem(.idempotencyKeyInvalid, refusal.detail).response(id))
        case .transfer(let transfer?): return read(.transfer(transfer, customer), ticket, id)
        case .transfer(nil):
            return .respond(
                Problem(.transferNotFound, "A transfer's id is a UUID.").response(id))
        case .accounts: return read(.accounts(customer), ticket, id)
        case .account(let account?): return read(.account(account, customer), ticket, id)
        case .account(nil):
            return .respond(Problem(.notFound, "An account's id is a UUID.").response(id))
        }
    }

    package mutating func complete(_ answer: StoreAnswer, _ ticket: Ticket) -> Response? {
        switch answer {
        case .command(let answer):
            guard case .transfer(let command) = answer.command else { return nil }
            return finishTransfer(command, answer.result)
        case .read(let answer):
            let parked = parked[Int(ticket.slot)]
            guard let conflict = parked.conflict else {
                return readAnswer(answer, parked.requestID)
            }
            return self.answer(conflict, answer, parked.requestID)
        }
    }

    /// The client has gone, but its outcome may be asked for again soon.
    package mutating func abandoned(_ answer: StoreAnswer) {
        guard case .command(let answer) = answer, case .transfer(let command) = answer.command
        else { return }
        _ = finishTransfer(command, answer.result)
    }

    package mutating func refusal(_ reason: Refusal, _ head: RequestHead?) -> Response {
        let code: ProblemCode =
            switch reason {
            case .headTooLarge, .tooManyFields, .trailersTooLarge: .headTooLarge
            case .bodyTooLarge: .bodyTooLarge
            case .headTimeout, .bodyTimeout: .requestTimeout
            case .malformed, .targetTooLong, .unsupportedTransferCoding, .versionNotSupported,
                .expectationFailed:
                .requestInvalid
            }
        var problem = Problem(code, reason.detail)
        if reason.status != code.status { problem.statusOverride = reason.status }
        let id = head.map { requestID($0) } ?? RequestID.made(by: services.random)
        return problem.response(id)
    }

    package mutating func tick(_ now: MonotonicTime) {}

    /// Hands a read over; its request waits on the loop.
    mutating func read(
        _ query: ReadQuery, _ ticket: Ticket, _ id: String, _ conflict: KeyConflict? = nil
    ) -> HandlerAnswer {
        remember(ParkedRead(requestID: id, conflict: conflict), for: ticket)
        guard services.reads.submit(query, ticket: ticket, sink: sink) else {
            return .respond(unavailable(.overloaded, id))
        }
        return .parked
    }

    /// A 503 that spreads its callers over a few seconds.
    func unavailable(_ code: ProblemCode, _ id: String) -> Response {
        let detail: String =
            switch code {
            case .storeUnavailable:
                "Nothing is lost: send the same request with the same key again."
            default: "Send the same request with the same key again, a little later."
            }
        var response = Problem(code, detail).response(id)
        if code.status == 503 {
            response.setField("Retry-After", Int(services.random.word() % 5) + 1)
        }
        return response
    }

    private mutating func remember(_ read: ParkedRead, for ticket: Ticket) {
        let slot = Int(ticket.slot)
        while parked.count <= slot { parked.append(ParkedRead(requestID: "", conflict: nil)) }
        parked[slot] = read
    }

    private func requestID(_ head: borrowing RequestHead) -> String {
        RequestID.of(head, random: services.random)
    }
}

/// A request that waits for a read.
struct ParkedRead {
    let requestID: String
    /// Set where the read is to decide between two contents of one key.
    let conflict: KeyConflict?
}

/// What comes back to an event loop from the store's threads.
package enum StoreAnswer: Sendable {
    case command(CommandAnswer)
    case read(ReadAnswer)
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
}
