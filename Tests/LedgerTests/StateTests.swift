import Ledger
import Testing

@Suite("Transfer state")
struct TransferStateTests {
    /// The arrows of the contract, written as a table of their own.
    static let arrows: Set<[TransferState]> = [
        [.accepted, .held], [.accepted, .submitted], [.held, .submitted],
        [.submitted, .settled], [.submitted, .returned], [.submitted, .unknown],
        [.unknown, .settled], [.unknown, .returned],
    ]

    @Test("Scenario 50: exactly the documented transitions exist")
    func transitions() {
        for from in TransferState.allCases {
            for to in TransferState.allCases {
                #expect(from.canMove(to: to) == Self.arrows.contains([from, to]), "\(from) \(to)")
            }
        }
    }

    @Test("Scenario 50: the terminal states are the five that are never left")
    func terminal() {
        #expect(
            TransferState.allCases.filter(\.isTerminal)
                == [.settled, .returned, .rejected, .expired, .revoked])
    }

    @Test(
        "The stored number and the public name of a state are fixed",
        arguments: [
            (.accepted, 1, "accepted"), (.held, 2, "accepted"), (.submitted, 3, "submitted"),
            (.settled, 4, "settled"), (.returned, 5, "returned"), (.unknown, 6, "unknown"),
            (.rejected, 7, "rejected"), (.expired, 8, "expired"), (.revoked, 9, "revoked"),
        ] as [(TransferState, Int16, String)])
    func fixed(state: TransferState, number: Int16, name: String) {
        #expect(state.rawValue == number)
        #expect(state.publicName == name)
        #expect(TransferState.allCases.count == 9)
    }
}

@Suite("Rejection reason")
struct RejectionReasonTests {
    @Test(
        "The stored number and the code of a reason are fixed",
        arguments: [
            (1, "customer_restricted"), (2, "account_not_found"), (3, "account_closed"),
            (4, "account_frozen"), (5, "currency_not_supported"), (6, "same_account"),
            (7, "beneficiary_blocked"), (8, "transfer_limit_exceeded"),
            (9, "daily_limit_exceeded"), (10, "insufficient_funds"),
        ] as [(Int16, String)])
    func fixed(number: Int16, code: String) throws {
        #expect(try #require(RejectionReason(rawValue: number)).code == code)
        #expect(RejectionReason.allCases.count == 10)
    }
}
