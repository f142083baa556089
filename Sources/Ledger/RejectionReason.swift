/// Why a business rule refused an intent. The raw values are stored: they never change.
package enum RejectionReason: Int16, Hashable, Sendable, CaseIterable {
    case customerRestricted = 1
    case accountNotFound = 2
    case accountClosed = 3
    case accountFrozen = 4
    case currencyNotSupported = 5
    case sameAccount = 6
    case beneficiaryBlocked = 7
    case transferLimitExceeded = 8
    case dailyLimitExceeded = 9
    case insufficientFunds = 10

    /// The machine-readable name that clients get.
    package var code: String {
        switch self {
        case .customerRestricted: "customer_restricted"
        case .accountNotFound: "account_not_found"
        case .accountClosed: "account_closed"
        case .accountFrozen: "account_frozen"
        case .currencyNotSupported: "currency_not_supported"
        case .sameAccount: "same_account"
        case .beneficiaryBlocked: "beneficiary_blocked"
        case .transferLimitExceeded: "transfer_limit_exceeded"
        case .dailyLimitExceeded: "daily_limit_exceeded"
        case .insufficientFunds: "insufficient_funds"
        }
    }
}
