/// Where a committed intent stands. The raw values are stored: they never change.
package enum TransferState: Int16, Hashable, Sendable, CaseIterable {
    case accepted = 1
    /// Held by screening; clients see it as accepted.
    case held = 2
    case submitted = 3
    case settled = 4
    /// The money was given back, in the transaction that set this state.
    case returned = 5
    /// Submitted, and the scheme's answer is missing.
    case unknown = 6
    case rejected = 7
    case expired = 8
    case revoked = 9

    /// Whether the state is never left.
    package var isTerminal: Bool { successors.isEmpty }

    /// What clients see.
    package var publicName: String {
        switch self {
        case .accepted, .held: "accepted"
        case .submitted: "submitted"
        case .settled: "settled"
        case .returned: "returned"
        case .unknown: "unknown"
        case .rejected: "rejected"
        case .expired: "expired"
        case .revoked: "revoked"
        }
    }

    /// Whether the transition is one that exists. No state moves to itself.
    package func canMove(to next: TransferState) -> Bool { successors.contains(next) }

    /// The state as one bit, for sets of states in filters and cursors.
    package var bit: UInt16 { 1 << UInt16(rawValue) }

    private var successors: [TransferState] {
        switch self {
        case .accepted: [.held, .submitted]
        case .held: [.submitted]
        case .submitted: [.settled, .returned, .unknown]
        case .unknown: [.settled, .returned]
        case .settled, .returned, .rejected, .expired, .revoked: []
        }
    }
}
