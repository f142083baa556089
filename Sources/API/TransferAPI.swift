package import HTTPServer
import Identity
import Ledger
package import Platform
import Store

/// The customer-facing API: one instance on each event loop, confined to it.
///
/// A request passes in the order of the contract: method, path, media type and size (`admit`), token
/// and scope (`Gate`), and then its use case, which has a file of its own.
package struct TransferAPI: RequestHandler {
    /// What finishes a parked request.
    package typealias Completion = StoreAnswer

    let services: APIServices
    let metrics: APIMetrics
    let sink: LoopSink
    var gate: Gate
    var outcomes: OutcomeCache
    /// What is kept of parked requests, by connection slot.
    private var parked: [Parked] = []
    /// Requests that prefer to wait, and until when.
    var waits: [Wait] = []
    /// About to stop: nobody is kept waiting any more.
    var isDraining = false

    package init(services: APIServices, completions: Completions<StoreAnswer>) {
        self.services = services
        metrics = APIMetrics(services.metrics)
        sink = LoopSink(completions)
        gate = Gate(
            services.verifier, services.revocations,
            verificationsPerTurn: services.settings.verificationsPerTurn,
            verifications: metrics.verifications)
        outcomes = OutcomeCache(maximumBytes: services.settings.outcomeCacheBytes)
    }

    package mutating func admit(_ head: borrowing RequestHead) -> Admission {
        let admission = admission(head)
        guard case .respond(let response) = admission else { return admission }
        return .respond(noted(response))
    }

    private func admission(_ head: borrowing RequestHead) -> Admission {
        // About the server as a whole, not about a path (RFC 9110 section 9.3.7).
        if head.method == .options, head.path.equals("*") {
            return .respond(Response(status: 204).withCommonFields(requestID(head)))
        }
        guard let route = Route(head.path) else {
            return .respond(
                Problem(.notFound, "The paths are listed at /openapi.json and explained at /docs.")
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
            return .respond(noted(Problem(.notFound, "There is nothing here.").response(id)))
        }
        if route.isPublic { return .respond(noted(publicAnswer(route, head, id))) }
        let caller: Caller
        let needed = route.scope(head.method)
        switch gate.pass(head, needs: needed, at: services.clock.now()) {
        case .refused(let refusal):
            return .respond(noted(refused(refusal, id), refusal.fault))
        case .postponed: return .postponed
        case .passed(let passed): caller = passed
        }
        let limiter = limiter(route, needed)
        if case .limited(let seconds) = limiter.take(caller.customer, at: services.monotonic.now())
        {
            metrics.limited.add()
            return .respond(noted(Self.limited(limiter, seconds, id)))
        }
        let answer = serve(route, head, body, ticket, caller, id)
        guard case .respond(let response) = answer else { return answer }
        return .respond(noted(response))
    }

    /// A request that the gate and the limiter have let through.
    private mutating func serve(
        _ route: Route, _ head: borrowing RequestHead, _ body: Span<UInt8>, _ ticket: Ticket,
        _ caller: Caller, _ id: String
    ) -> HandlerAnswer {
        let customer = caller.customer
        if case .transfers = route, head.method != .post {
            return listTransfers(head, ticket, customer, id)
        }
        do throws(Query.Refusal) { _ = try Query(head.query, known: []) } catch {
            return .respond(Problem(.requestInvalid, error.detail).response(id))
        }
        switch route {
        case .transfers: return postTransfer(head, body, ticket, caller, id)
        case .transferByKey(.success(let key)):
            let intent = IntentID(customer: customer, key: key)
            return head.method == .delete
                ? revoke(intent, ticket, caller, id)
                : getTransfer(head, intent, ticket, caller, id)
        case .transferByKey(.failure(let refusal)):
            return .respond(Problem(.idempotencyKeyInvalid, refusal.detail).response(id))
        case .transfer(let transfer?):
            let request = Parked(requestID: id, tags: EntityTag.list(head))
            return read(.transfer(transfer, customer), ticket, request)
        case .transfer(nil):
            return .respond(
                Problem(.transferNotFound, "A transfer's id is a UUID.").response(id))
        case .accounts: return read(.accounts(customer), ticket, Parked(requestID: id))
        case .account(let account?):
            return read(.account(account, customer), ticket, Parked(requestID: id))
        case .account(nil):
            return .respond(Problem(.notFound, "An account's id is a UUID.").response(id))
        case .documentation, .problem: return .respond(publicAnswer(route, head, id))
        }
    }

    /// Needs no token and belongs to no customer.
    private func publicAnswer(
        _ route: Route, _ head: borrowing RequestHead, _ id: String
    ) -> Response {
        do throws(Query.Refusal) { _ = try Query(head.query, known: []) } catch {
            return Problem(.requestInvalid, error.detail).response(id)
        }
        guard case .documentation(let kind) = route else {
            // What a problem's `type` names is explained to people there.
            var response = Response(status: 303).withCommonFields(id)
            response.setField("Location", "/docs#errors")
            return response
        }
        return Documentation.response(kind, to: head, id)
    }

    package mutating func complete(_ answer: StoreAnswer, _ ticket: Ticket) -> Response? {
        let request = parked[Int(ticket.slot)]
        let response: Response?
        switch answer {
        case .command(let answer):
            switch answer.command {
            case .transfer(let command): response = finishTransfer(command, answer.result)
            case .revoke(let command):
                response = finishRevocation(command, answer.result, ticket)
            default: response = nil
            }
        case .read(let answer):
            response =
                request.conflict.map { self.answer($0, answer, request.requestID) }
                ?? finishRead(answer, ticket, request)
        case .changed: response = look(again: true, ticket, request)
        case .waitEnded:
            response =
                request.watched == nil
                ? gate.refusalAfterWait(request, at: services.clock.now())
                    .map { refused($0, request.requestID) }
                    ?? Self.inFlight(request.requestID)
                : look(again: false, ticket, request)
        }
        if request.waitSeconds != nil, response != nil { forget(ticket, request) }
        #if FAILPOINTS
            if case .command = answer, Failpoint.fails("before-answer") { return cut(response) }
        #endif
        return response.map { noted(request.applied(to: $0)) }
    }

    #if FAILPOINTS
        /// What a client sees of an answer whose server died in the middle of it.
        private func cut(_ response: Response?) -> Response? {
            var response = response
            response?.delivery = .truncate(bytes: 40)
            return response
        }
    #endif

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
        return noted(problem.response(id))
    }

    package mutating func beginTurn() { gate.beginTurn() }

    package mutating func tick(_ now: MonotonicTime) { endWaits(now) }

    /// Look-ups that wait for news are answered now; from now on nobody waits.
    package mutating func drain() {
        isDraining = true
        endWaits(.distantFuture)
    }

    /// Hands a read over; its request waits on the loop.
    mutating func read(
        _ query: ReadQuery, _ ticket: Ticket, _ request: Parked
    ) -> HandlerAnswer {
        remember(request, for: ticket)
        guard services.reads.submit(query, ticket: ticket, sink: sink) else {
            return .respond(unavailable(.overloaded, request.requestID))
        }
        return .parked
    }

    /// The answer to a refused token or scope, counted.
    func refused(_ refusal: GateRefusal, _ id: String) -> Response {
        metrics.refused(refusal.fault)
        return refusal.response(id)
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

    mutating func remember(_ request: Parked, for ticket: Ticket) {
        let slot = Int(ticket.slot)
        while parked.count <= slot { parked.append(Parked()) }
        parked[slot] = request
    }

    /// Looking up what became of a payment has a bucket of its own, so that a busy screen does not
    /// stand in its way.
    private func limiter(_ route: Route, _ scope: Scopes) -> RateLimiter {
        if scope == .transfersWrite { return services.writeLimiter }
        if case .transferByKey = route { return services.lookUpLimiter }
        return services.readLimiter
    }

    /// A 429 (RateLimit header fields for HTTP, draft-ietf-httpapi-ratelimit-headers).
    private static func limited(
        _ limiter: RateLimiter, _ seconds: Int64, _ id: String
    ) -> Response {
        let name = limiter.name
        var response = Problem(
            .rateLimited, "Send the same request with the same key again after Retry-After seconds."
        ).response(id)
        response.setField("Retry-After", Int(seconds))
        response.setField("RateLimit", "\"\(name)\";r=0;t=\(seconds)")
        response.setField(
            "RateLimit-Policy",
            "\"\(name)\";q=\(limiter.policy.burst);w=\(limiter.windowSeconds)")
        return response
    }

    private func requestID(_ head: borrowing RequestHead) -> String {
        RequestID.of(head, random: services.random)
    }
}
