/// What the client may do after an error: its whole retry table, told by the server.
enum RetryAdvice: String, Sendable, CaseIterable {
    /// Send the same request with the same key again, automatically and with back-off.
    case sameKey = "same-key"
    /// Get a fresh token or authorisation, then use the same key.
    case authenticate
    /// Ask the customer; a new confirmation is a new intent with a new key.
    case newKey = "new-key"
    /// Sending it again changes nothing.
    case no
}

/// The stable machine names of all errors. Each has one status.
enum ProblemCode: String, Sendable, CaseIterable {
    case idempotencyKeyMissing = "idempotency_key_missing"
    case idempotencyKeyInvalid = "idempotency_key_invalid"
    case requestInvalid = "request_invalid"
    case tokenMissing = "token_missing"
    case tokenInvalid = "token_invalid"
    case tokenExpired = "token_expired"
    case tokenRevoked = "token_revoked"
    case insufficientFunds = "insufficient_funds"
    case transferLimitExceeded = "transfer_limit_exceeded"
    case dailyLimitExceeded = "daily_limit_exceeded"
    case accountFrozen = "account_frozen"
    case accountClosed = "account_closed"
    case accountNotFound = "account_not_found"
    case currencyNotSupported = "currency_not_supported"
    case beneficiaryBlocked = "beneficiary_blocked"
    case sameAccount = "same_account"
    case customerRestricted = "customer_restricted"
    case scopeMissing = "scope_missing"
    case alreadyExecuted = "already_executed"
    case transferNotFound = "transfer_not_found"
    case keyUnknown = "key_unknown"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case requestTimeout = "request_timeout"
    case inFlight = "in_flight"
    case intentRevoked = "intent_revoked"
    case bodyTooLarge = "body_too_large"
    case headTooLarge = "head_too_large"
    case mediaTypeUnsupported = "media_type_unsupported"
    case outcomeRetired = "outcome_retired"
    case idempotencyKeyReused = "idempotency_key_reused"
    case rateLimited = "rate_limited"
    case internalError = "internal"
    case overloaded
    case storeUnavailable = "store_unavailable"
    case draining

    var status: Int { entry.status }
    var retry: RetryAdvice { entry.retry }
    /// The same for every occurrence (RFC 9457 section 3.1.3).
    var title: StaticString { entry.title }

    private var entry: (status: Int, retry: RetryAdvice, title: StaticString) {
        switch self {
        case .idempotencyKeyMissing: (400, .no, "The Idempotency-Key header is missing")
        case .idempotencyKeyInvalid: (400, .no, "The Idempotency-Key header is not valid")
        case .requestInvalid: (400, .no, "The request is not valid")
        case .tokenMissing: (401, .authenticate, "An access token is needed")
        case .tokenInvalid: (401, .authenticate, "The access token is not valid")
        case .tokenExpired: (401, .authenticate, "The access token has expired")
        case .tokenRevoked: (401, .authenticate, "The access token was revoked")
        case .insufficientFunds: (402, .newKey, "The balance does not cover the amount")
        case .transferLimitExceeded: (402, .newKey, "The amount exceeds the limit of one transfer")
        case .dailyLimitExceeded:
            (402, .newKey, "The amount exceeds what is left of the day's limit")
        case .accountFrozen: (402, .no, "The account is frozen")
        case .accountClosed: (402, .no, "The account is closed")
        case .accountNotFound: (402, .no, "The debtor's account is not an account of this customer")
        case .currencyNotSupported: (402, .no, "The account is not kept in this currency")
        case .beneficiaryBlocked: (402, .no, "This beneficiary cannot be paid")
        case .sameAccount: (402, .no, "Debtor and creditor are the same account")
        case .customerRestricted: (402, .no, "This customer may not make new transfers")
        case .scopeMissing: (403, .no, "The access token does not allow this")
        case .alreadyExecuted: (403, .no, "The transfer has been executed")
        case .transferNotFound: (404, .no, "There is no such transfer")
        case .keyUnknown: (404, .no, "No attempt with this key has been committed")
        case .notFound: (404, .no, "There is nothing at this path")
        case .methodNotAllowed: (405, .no, "This path does not have this method")
        case .requestTimeout: (408, .sameKey, "The request did not arrive in time")
        case .inFlight: (409, .sameKey, "An attempt with this key is in flight")
        case .intentRevoked: (410, .no, "The intent was revoked and can never execute")
        case .outcomeRetired: (410, .no, "The first answer is no longer kept")
        case .bodyTooLarge: (413, .no, "The body is too large")
        case .headTooLarge: (431, .no, "The request's head is too large")
        case .mediaTypeUnsupported: (415, .no, "The body must be application/json")
        case .idempotencyKeyReused: (422, .no, "The key was used for another transfer")
        case .rateLimited: (429, .sameKey, "Too many requests of this customer")
        case .internalError: (500, .sameKey, "Something went wrong here")
        case .overloaded: (503, .sameKey, "There is too much to do right now")
        case .storeUnavailable: (503, .sameKey, "The ledger cannot be reached right now")
        case .draining: (503, .sameKey, "This server is about to stop")
        }
    }
}
