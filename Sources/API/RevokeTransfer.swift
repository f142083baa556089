import HTTPServer
import JSON
import Ledger
import Platform
import Store

extension TransferAPI {
    /// `DELETE /api/transfers/by-key/{key}`: from its 200 on, no straggling attempt can execute the
    /// intent. Goes the same road as an attempt: in-flight table, locks, commit.
    mutating func revoke(
        _ intent: IntentID, _ ticket: Ticket, _ caller: Caller, _ requestID: String
    ) -> HandlerAnswer {
        let receivedAt = services.clock.now()
        guard case .claimed = services.inFlight.claim(intent, nil, receivedAt) else {
            metrics.inFlight.add()
            return .respond(Self.inFlight(requestID))
        }
        let command = RevokeCommand(id: intent, requestID: requestID, receivedAt: receivedAt)
        let pending = pending(.revoke(command), ticket, caller)
        return submit(pending, Parked(requestID: requestID))
    }

    /// Nil while the transfer that was found is being read.
    mutating func finishRevocation(
        _ command: RevokeCommand, _ result: CommandResult, _ ticket: Ticket
    ) -> Response? {
        switch result {
        case .outcome(let outcome, _) where outcome.kind == .revoked:
            // Repeating a DELETE repeats its answer.
            outcomes.insert(outcome, nil, command.id)
            return Self.ok(outcome.body, command.requestID)
        case .outcome, .retired:
            let request = Parked(requestID: command.requestID)
            guard case .respond(let response) = read(.decidedIntent(command.id), ticket, request)
            else { return nil }
            return response
        case .failed(let failure): return failed(failure, command.requestID)
        case .reused, .invalid, .decided: return failed(.internalError, command.requestID)
        }
    }

    /// A revocation found the intent decided: money that moved cannot be called back, and a refusal
    /// stays what it is.
    func decided(_ view: TransferView, _ requestID: String) -> Response {
        switch view.transfer.state {
        case .rejected, .expired: return transfer(view, requestID)
        default: break
        }
        return Problem(
            .alreadyExecuted, "An attempt with this key was executed; it cannot be revoked."
        ).response(requestID) { json in
            var transfer = JSONWriter(reservingCapacity: 1024)
            write(view, to: &transfer)
            json.member("transfer", raw: transfer.finish())
        }
    }
}
