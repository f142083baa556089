package import Ledger
package import Platform

/// The stored outcomes of a batch's keys, as far as the planner does not need them.
package struct LoadedOutcomes: Sendable {
    /// With their bytes.
    package var outcomes: [IntentID: StoredOutcome] = [:]
    /// Transfers whose outcomes' bytes are no longer kept.
    package var retired: [IntentID: TransferRow] = [:]

    package init() {}
}

extension Plan {
    /// Each new outcome with its bytes, at the index of its command. Calls the renderer, nothing
    /// else.
    package func rendered(
        for commands: [Command], by renderer: any OutcomeRenderer, at now: Instant
    ) -> [StoredOutcome?] {
        var rendered: [StoredOutcome?] = Array(repeating: nil, count: commands.count)
        for (index, decision) in decisions.enumerated() {
            let storable: StorableDecision
            let kind: OutcomeKind
            var transfer: TransferID?
            switch decision {
            case .executed(let row, let balance):
                (storable, kind, transfer) = (.executed(row, balance: balance), .executed, row.id)
            case .rejected(let row, let reason, let balance):
                storable = .rejected(row, reason, balance: balance)
                (kind, transfer) = (.rejected, row.id)
            case .revoked:
                (storable, kind) = (.revoked, .revoked)
            default: continue
            }
            let attempt: (id: IntentID, requestID: String, receivedAt: Instant)
            var fingerprint: Fingerprint?
            switch commands[index] {
            case .transfer(let command):
                attempt = (command.id, command.requestID, command.receivedAt)
                fingerprint = command.intent.fingerprint
            case .revoke(let command):
                attempt = (command.id, command.requestID, command.receivedAt)
            default: continue
            }
            let answer = renderer.render(
                storable, of: attempt.id, requestID: attempt.requestID, at: now)
            rendered[index] = StoredOutcome(
                kind: kind, statusCode: answer.statusCode, contentType: answer.contentType,
                body: answer.body, transfer: transfer, fingerprint: fingerprint,
                receivedAt: attempt.receivedAt)
        }
        return rendered
    }

    /// What is told of each command once the plan has been committed.
    package func results(
        for commands: [Command], loaded: LoadedOutcomes, rendered: [StoredOutcome?]
    ) -> [CommandResult] {
        decisions.enumerated().map { index, decision in
            switch decision {
            case .executed, .rejected, .revoked:
                return .outcome(rendered[index]!, replayed: false)
            case .known(let known):
                guard let intent = commands[index].intent else { break }
                switch known.source {
                case .stored:
                    if let transfer = loaded.retired[intent] { return .retired(transfer) }
                    return .outcome(loaded.outcomes[intent]!, replayed: true)
                case .planned(let first): return .outcome(rendered[first]!, replayed: true)
                }
            case .reused(let known, let differs):
                return .reused(
                    transfer: known.transfer, receivedAt: known.receivedAt, differs: differs)
            case .invalid(let errors): return .invalid(errors)
            default: break
            }
            return .decided(decision)
        }
    }
}
