package import Ledger
package import Platform
package import Store

/// Renders bytes that differ whenever anything differs that a replay must not change.
package struct EchoRenderer: OutcomeRenderer {
    package init() {}

    package func render(
        _ decision: StorableDecision, of intent: IntentID, requestID: String, at now: Instant
    ) -> RenderedOutcome {
        switch decision {
        case .executed(let transfer, let balance):
            RenderedOutcome(
                statusCode: 201, contentType: .json,
                body: Array(
                    "\(transfer.id) \(requestID) \(balance) \(now.rfc3339)".utf8))
        case .rejected(let transfer, let reason, let balance):
            RenderedOutcome(
                statusCode: 402, contentType: .problem,
                body: Array(
                    ("\(reason.code) \(transfer.id) \(requestID) "
                        + "\(balance.map(\.description) ?? "-") \(now.rfc3339)").utf8))
        case .revoked:
            RenderedOutcome(
                statusCode: 200, contentType: .json,
                body: Array("\(intent.key) \(requestID) \(now.rfc3339)".utf8))
        }
    }
}
