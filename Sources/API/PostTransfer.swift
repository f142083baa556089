import HTTPServer
import JSON
import Ledger
import Platform
import Store

extension TransferAPI {
    /// `POST /api/transfers`: executes an intent at most once, and tells every attempt the truth.
    mutating func postTransfer(
        _ head: borrowing RequestHead, _ body: Span<UInt8>, _ ticket: Ticket, _ caller: Caller,
        _ requestID: String
    ) -> HandlerAnswer {
        let key: IdempotencyKey
        switch Self.key(head) {
        case .failure(let problem):
            metrics.invalid.add()
            return .respond(problem.response(requestID))
        case .success(let valid): key = valid
        }
        let id = IntentID(customer: caller.customer, key: key)
        var request = Parked(requestID: requestID, waitSeconds: Preference.wait(head))
        let known = outcomes.entry(id).flatMap { isKept($0.outcome) ? $0 : nil }
        if let known, known.isOf(body) {
            metrics.replayed.add()
            let replay = Self.stored(known.outcome, replayed: true, requestID)
            return .respond(request.applied(to: replay))
        }
        let intent: SubmittedIntent
        switch IntentDecoder.decode(body, rules: services.fieldRules) {
        case .failure(let errors):
            metrics.invalid.add()
            return .respond(Self.invalid(errors.errors, requestID))
        case .success(let valid): intent = valid
        }

        #if FAILPOINTS
            _ = Failpoint.fails("after-parse")
        #endif
        if let known {
            let response = answer(intent, from: known.outcome, retired: nil, requestID) {
                known.intent
            }
            return .respond(request.applied(to: response))
        }
        let command = TransferCommand(
            id: id, intent: intent, requestID: requestID, receivedAt: services.clock.now())
        let pending = pending(
            .transfer(command), ticket, caller, waits: request.waitSeconds != nil)
        let claim = services.inFlight.claim(
            id, intent, command.receivedAt, waiter: request.waitSeconds == nil ? nil : pending)
        switch claim {
        case .claimed:
            #if FAILPOINTS
                _ = Failpoint.fails("after-claim")
            #endif
            return submit(pending, request)
        case .waiting:
            request.token = caller.token
            wait(for: id, ticket, request)
            return .parked
        case .inFlight:
            metrics.inFlight.add()
            return .respond(request.applied(to: Self.inFlight(requestID)))
        case .otherContent(let differs, let firstReceivedAt):
            request.conflict = KeyConflict(
                intent: intent, differs: differs, firstReceivedAt: firstReceivedAt)
            return read(.outcome(id), ticket, request)
        }
    }

    /// A command with its deadlines on the monotonic clock. `waits`: it would rather wait for another
    /// than be told of it, and its token may be revoked meanwhile.
    func pending(
        _ command: Command, _ ticket: Ticket, _ caller: Caller, waits: Bool = false
    ) -> PendingCommand {
        let now = services.monotonic.now()
        let permitted = caller.permittedUntil.microseconds - services.clock.now().microseconds
        return PendingCommand(
            command: command,
            deadline: now.advanced(milliseconds: services.settings.commandWaitMilliseconds),
            permittedUntil: now.advanced(milliseconds: permitted / 1000),
            isRevoked: waits ? gate.revocation(of: caller) : nil, ticket: ticket, sink: sink)
    }

    /// Hands a command over whose intent has been claimed.
    mutating func submit(_ pending: PendingCommand, _ request: Parked) -> HandlerAnswer {
        remember(request, for: pending.ticket)
        let submission = services.commits.submit(pending)
        if submission == .accepted { return .parked }
        metrics.failed.add()
        if let intent = pending.command.intent {
            // Whoever waited for this attempt finds no room either.
            while let next = services.inFlight.release(intent).promoted {
                let answer = CommandAnswer(command: next.command, result: .failed(.overloaded))
                next.sink.completed([(next.ticket, answer)])
            }
        }
        let code: ProblemCode = submission == .full ? .overloaded : .draining
        return .respond(request.applied(to: unavailable(code, request.requestID)))
    }

    /// Turns what became of a command into its answer, and keeps a new outcome for later attempts.
    mutating func finishTransfer(_ command: TransferCommand, _ result: CommandResult) -> Response {
        switch result {
        case .outcome(let outcome, let replayed):
            count(outcome, replayed: replayed)
            outcomes.insert(outcome, command.intent, command.id)
            return Self.stored(outcome, replayed: replayed, command.requestID)
        case .retired(let transfer):
            metrics.replayed.add()
            return Self.retired(transfer, command.requestID)
        case .reused(let transfer, let receivedAt, let differs):
            metrics.reused.add()
            return Self.reused(transfer, receivedAt, differs, command.requestID)
        case .invalid(let errors):
            metrics.invalid.add()
            return Self.invalid(errors, command.requestID)
        case .failed(let failure): return failed(failure, command.requestID)
        case .decided: return failed(.internalError, command.requestID)
        }
    }

    /// The ledger gave no answer to a command.
    func failed(_ failure: CommandFailure, _ requestID: String) -> Response {
        let code: ProblemCode
        switch failure {
        case .permissionEnded:
            return refused(.expired, requestID)
        case .permissionRevoked:
            return refused(.revoked, requestID)
        case .inFlightElsewhere:
            metrics.inFlight.add()
            return Self.inFlight(requestID)
        case .storeUnavailable, .customerBusy: code = .storeUnavailable
        case .overloaded: code = .overloaded
        case .internalError: code = .internalError
        }
        metrics.failed.add()
        return unavailable(code, requestID)
    }

    /// Whether the promise to repeat an outcome still holds; the store knows what came of it.
    private func isKept(_ outcome: StoredOutcome) -> Bool {
        let end = outcome.receivedAt.advanced(seconds: services.settings.retentionDays * 86400)
        return services.clock.now() < end
    }

    private func count(_ outcome: StoredOutcome, replayed: Bool) {
        if replayed {
            metrics.replayed.add()
        } else if outcome.kind == .executed {
            metrics.executed.add()
        } else {
            metrics.rejected.add()
        }
    }

    /// Other content runs under the same key. Which of the two is the key's, only the store knows:
    /// what runs may be a mistaken reuse of a key whose owner is the one that asks.
    func answer(_ conflict: KeyConflict, _ answer: ReadAnswer, _ requestID: String) -> Response {
        switch answer {
        case .outcome(let outcome, let transfer):
            return self.answer(
                conflict.intent, from: outcome, retired: outcome.body.isEmpty ? transfer : nil,
                requestID
            ) { transfer?.submitted }
        case .notFound:
            metrics.reused.add()
            return Self.reused(nil, conflict.firstReceivedAt, conflict.differs, requestID)
        case .failed: return unavailable(.storeUnavailable, requestID)
        default: return unavailable(.internalError, requestID)
        }
    }

    /// What is decided stays decided, whatever else runs: a replay to the same content, a refusal to
    /// other content. `retired` is the transfer whose bytes are no longer kept; `first`, asked for only
    /// to name the differences, is what the outcome is of.
    private func answer(
        _ intent: SubmittedIntent, from outcome: StoredOutcome, retired: TransferRow?,
        _ requestID: String, first: () -> SubmittedIntent?
    ) -> Response {
        if let fingerprint = outcome.fingerprint,
            intent.fingerprint(version: fingerprint.version) != fingerprint
        {
            metrics.reused.add()
            let differs = first().map { intent.differences(from: $0) } ?? []
            return Self.reused(outcome.transfer, outcome.receivedAt, differs, requestID)
        }
        metrics.replayed.add()
        if let retired { return Self.retired(retired, requestID) }
        return Self.stored(outcome, replayed: true, requestID)
    }

    /// Exactly one header line with exactly one key.
    private static func key(
        _ head: borrowing RequestHead
    ) -> Result<IdempotencyKey, KeyProblem> {
        switch head.count(of: "idempotency-key") {
        case 0:
            return .failure(
                KeyProblem(
                    .idempotencyKeyMissing,
                    "Send an Idempotency-Key header with a UUID that is made once per confirmed "
                        + "transfer and kept for its retries."))
        case 1: break
        default:
            return .failure(
                KeyProblem(.idempotencyKeyInvalid, "Send one Idempotency-Key header line."))
        }
        guard let value = head.value(of: "idempotency-key") else {
            return .failure(KeyProblem(.idempotencyKeyMissing, "Send an Idempotency-Key header."))
        }
        do throws(IdempotencyKeyRefusal) {
            return .success(try IdempotencyKey(headerValue: value))
        } catch {
            return .failure(KeyProblem(.idempotencyKeyInvalid, error.detail))
        }
    }

    private static func stored(
        _ outcome: StoredOutcome, replayed: Bool, _ requestID: String
    ) -> Response {
        if outcome.kind == .revoked { return revoked(requestID) }
        var response = Response(status: outcome.statusCode, body: outcome.body)
        switch outcome.contentType {
        case .json: response.setField("Content-Type", "application/json")
        case .problem: response.setField("Content-Type", "application/problem+json")
        }
        if outcome.kind == .executed, let transfer = outcome.transfer {
            var location = Array("/api/transfers/".utf8)
            transfer.uuid.append(textTo: &location)
            response.setField("Location", location.span)
        }
        if replayed { response.setField("Idempotent-Replayed", "true") }
        return response.withCommonFields(requestID)
    }

    static func inFlight(_ requestID: String) -> Response {
        var response = Problem(
            .inFlight,
            "Send the same request again after a moment; it will be answered with the outcome."
        ).response(requestID)
        response.setField("Retry-After", "1")
        return response
    }

    private static func revoked(_ requestID: String) -> Response {
        Problem(
            .intentRevoked,
            "The customer gave this transfer up. Confirm a new one, with a new key."
        ).response(requestID)
    }

    private static func retired(_ transfer: TransferRow, _ requestID: String) -> Response {
        Problem(
            .outcomeRetired,
            "The transfer was decided long ago and nothing was executed now; look it up by its id."
        ).response(requestID) { json in
            json.member("transferId", plain: transfer.id.uuid.append(textTo:))
            json.member("transferStatus", transfer.state.publicName)
        }
    }

    private static func reused(
        _ transfer: TransferID?, _ receivedAt: Instant, _ differs: [IntentField],
        _ requestID: String
    ) -> Response {
        Problem(
            .idempotencyKeyReused,
            "This key belongs to a transfer with other content. Use a new key for a new transfer; "
                + "to retry, send the first content unchanged."
        ).response(requestID) { json in
            json.beginArray("differs")
            for field in differs { json.string(field.pointer) }
            json.endArray()
            if let transfer { json.member("transferId", plain: transfer.uuid.append(textTo:)) }
            json.member("firstReceivedAt", plain: receivedAt.appendRFC3339)
        }
    }

    private static func invalid(_ errors: [FieldError], _ requestID: String) -> Response {
        Problem(
            .requestInvalid, "Correct the members that `errors` names; nothing was executed.",
            errors: errors
        ).response(requestID)
    }
}

/// An attempt that met another with other content in flight.
struct KeyConflict {
    let intent: SubmittedIntent
    let differs: [IntentField]
    let firstReceivedAt: Instant
}

/// A problem on its way out of a check.
private struct KeyProblem: Error {
    private let problem: Problem

    init(_ code: ProblemCode, _ detail: String) { problem = Problem(code, detail) }

    func response(_ requestID: String) -> Response { problem.response(requestID) }
}
