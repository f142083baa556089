import Platform
import TestSupport

/// What clients were told about their intents, and everything that they should not have been told.
final class Beliefs: Sendable {
    /// One key, with the content that its first sender meant and perhaps one that somebody else
    /// sent with it.
    struct Intent: Sendable {
        let key: String
        let customer: String
        let contents: [Payment]
    }

    /// The outcome that clients believe in.
    struct Outcome: Sendable {
        let content: Int
        let status: Int
        let body: [UInt8]
        let transferID: String
        let code: String?
    }

    private struct State: Sendable {
        var intents: [Intent] = []
        var outcomes: [Int: Outcome] = [:]
        var reused: Set<[Int]> = []
        var violations: [String] = []
    }

    private let state = Guarded(State())

    var intents: [Intent] { state.withLock { $0.intents } }
    var outcomes: [Int: Outcome] { state.withLock { $0.outcomes } }
    var violations: [String] { state.withLock { $0.violations } }

    func add(_ intent: Intent) -> Int {
        state.withLock {
            $0.intents.append(intent)
            return $0.intents.count - 1
        }
    }

    /// An intent whose outcome is known, and the content that won; nil where `pick` meets none.
    func known(_ pick: UInt64) -> (intent: Int, content: Int)? {
        state.withLock { state in
            guard !state.intents.isEmpty else { return nil }
            let index = Int(pick % UInt64(state.intents.count))
            return state.outcomes[index].map { (index, $0.content) }
        }
    }

    func intent(_ index: Int) -> Intent { state.withLock { $0.intents[index] } }

    func violated(_ text: String) { state.withLock { $0.violations.append(text) } }

    /// Takes in an answer; true when it ends the attempt's retries.
    func heard(_ answer: HTTPAnswer, to index: Int, content: Int) -> Bool {
        state.withLock { state in
            switch (answer.status, answer.code) {
            case (201, _), (402, _):
                Self.heardOutcome(answer, index, content, &state)
                return true
            case (422, "idempotency_key_reused"):
                // Without a transfer it only says that other content is in flight.
                guard answer.transferID != nil else { return true }
                state.reused.insert([index, content])
                if state.outcomes[index]?.content == content {
                    state.violations.append("422 for the winner: \(index)")
                }
                return true
            case (409, "in_flight"), (503, "store_unavailable"), (503, "overloaded"),
                (503, "draining"):
                return false
            default:
                state.violations.append("undocumented: \(answer)")
                return true
            }
        }
    }

    private static func heardOutcome(
        _ answer: HTTPAnswer, _ index: Int, _ content: Int, _ state: inout State
    ) {
        guard let id = answer.transferID else {
            return state.violations.append("no transfer in \(answer)")
        }
        if let known = state.outcomes[index] {
            if known.content != content { state.violations.append("two contents: \(index)") }
            if known.status != answer.status || known.body != answer.body {
                state.violations.append("two outcomes: \(index)")
            }
        } else if state.reused.contains([index, content]) {
            state.violations.append("an outcome after 422: \(index)")
        }
        state.outcomes[index] = Outcome(
            content: content, status: answer.status, body: answer.body, transferID: id,
            code: answer.status == 402 ? answer.code : nil)
    }
}
