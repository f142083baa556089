package import Ledger
import Store

extension Verdict {
    /// What the planner decided.
    package init(_ decision: Decision) {
        switch decision {
        case .executed(_, let balance): self = .executed(balance: balance.minorUnits)
        case .rejected(_, let reason, let balance):
            self = .rejected(reason, balance: balance?.minorUnits)
        case .revoked: self = .revoked
        case .known: self = .repeated
        case .reused(_, let differs): self = .reused(differs)
        case .invalid: self = .invalid
        case .credit(let decision): self = .credit(decision)
        case .concluded(let state, _): self = .concluded(state)
        case .accountOpened: self = .opened
        case .accountExists: self = .existed
        case .accountStatusSet: self = .statusSet
        case .accountLimitsSet: self = .limitsSet
        case .accountClosed: self = .closed
        case .accountNotEmpty: self = .notEmpty
        case .accountAwaits: self = .awaits
        case .accountUnknown, .customerRestricted, .customerUnknown, .retired, .probed:
            self = .unknown
        }
    }
}
