package import Ledger
package import Platform

/// The media type of stored bytes. Raw values are stored.
package enum StoredContentType: Int64, Sendable {
    case json = 0
    case problem = 1
}

/// The first attempt's answer as it was committed, to be given again byte for byte.
package struct StoredOutcome: Sendable {
    package let kind: OutcomeKind
    package let statusCode: Int
    package let contentType: StoredContentType
    package let body: [UInt8]
    package let transfer: TransferID?
    package let fingerprint: Fingerprint?
    package let receivedAt: Instant

    package init(
        kind: OutcomeKind, statusCode: Int, contentType: StoredContentType, body: [UInt8],
        transfer: TransferID?, fingerprint: Fingerprint?, receivedAt: Instant
    ) {
        self.kind = kind
        self.statusCode = statusCode
        self.contentType = contentType
        self.body = body
        self.transfer = transfer
        self.fingerprint = fingerprint
        self.receivedAt = receivedAt
    }
}

/// A decision to be stored, before it has bytes.
package enum StorableDecision: Sendable {
    case executed(TransferRow, balance: Money)
    case rejected(TransferRow, RejectionReason, balance: Money?)
    case revoked
}

/// An answer as it will be stored.
package struct RenderedOutcome: Sendable {
    package let statusCode: Int
    package let contentType: StoredContentType
    package let body: [UInt8]

    package init(statusCode: Int, contentType: StoredContentType, body: [UInt8]) {
        self.statusCode = statusCode
        self.contentType = contentType
        self.body = body
    }
}

/// Turns decisions into the bytes that are stored with them. Called on the commit thread, inside
/// the transaction, so it must be quick and cannot fail.
package protocol OutcomeRenderer: Sendable {
    func render(
        _ decision: StorableDecision, of intent: IntentID, requestID: String, at now: Instant
    ) -> RenderedOutcome
}

/// What became of one command.
package enum CommandResult: Sendable {
    /// The intent's outcome; `replayed` when an earlier attempt made it.
    case outcome(StoredOutcome, replayed: Bool)
    /// The intent has an outcome whose bytes are no longer kept.
    case retired(TransferRow)
    /// The key belongs to other content. Nothing was written.
    case reused(transfer: TransferID?, receivedAt: Instant, differs: [IntentField])
    /// Field rules refuse the content. Nothing was written.
    case invalid([FieldError])
    /// A decision about anything but a transfer.
    case decided(Decision)
    /// Nothing was answered by the ledger; the attempt may be made again.
    case failed(CommandFailure)

    /// Whether the intent has an outcome now.
    var isDecided: Bool {
        switch self {
        case .outcome, .retired, .reused: true
        case .invalid, .decided, .failed: false
        }
    }

    /// Whether the command has not started because another process holds its customer.
    var isBusy: Bool { if case .failed(.customerBusy) = self { true } else { false } }

    /// The same result for an attempt that waited for it.
    var repeated: CommandResult {
        if case .outcome(let outcome, _) = self { return .outcome(outcome, replayed: true) }
        return self
    }
}

/// Why a command has no result of the ledger.
package enum CommandFailure: Sendable, Hashable {
    /// The store could not do it now, or its outcome is not known.
    case storeUnavailable
    /// It waited longer than its deadline in the queue and did not start.
    case overloaded
    /// This command alone breaks the ledger's constraints: a defect of ours.
    case internalError
    /// The token expired while the attempt waited.
    case permissionEnded
    /// An attempt with this key runs in another process.
    case inFlightElsewhere
    /// Another process holds the customer's lock. The command has not started; it may be handed to
    /// the store again at once.
    case customerBusy
    /// The token was revoked while the attempt waited for another.
    case permissionRevoked
}
