import Platform

/// What attempts ended as, counted by the event loop that answered them.
struct APIMetrics {
    let executed: Counter
    let rejected: Counter
    let replayed: Counter
    let reused: Counter
    let inFlight: Counter
    let invalid: Counter
    let failed: Counter
    private let refusals: [TokenFault: Counter]
    let verifications: Counter
    let limited: Counter

    init(_ registry: MetricsRegistry) {
        func attempts(_ result: String) -> Counter {
            registry.counter(
                "transferd_transfer_attempts_total",
                help: "Attempts to execute a transfer, by what they were answered with.",
                labels: [("result", result)])
        }
        executed = attempts("executed")
        rejected = attempts("rejected")
        replayed = attempts("replayed")
        reused = attempts("key_reused")
        inFlight = attempts("in_flight")
        invalid = attempts("invalid")
        failed = attempts("failed")
        refusals = Dictionary(
            uniqueKeysWithValues: TokenFault.allCases.map { fault in
                let counter = registry.counter(
                    "transferd_token_refusals_total",
                    help: "Requests whose token or scope was refused, by what is wrong with it.",
                    labels: [("reason", fault.rawValue)])
                return (fault, counter)
            })
        verifications = registry.counter(
            "transferd_token_verifications_total",
            help: "Tokens verified because they were not known; each costs a signature.")
        limited = registry.counter(
            "transferd_rate_limited_total", help: "Requests beyond their customer's rate.")
    }

    func refused(_ fault: TokenFault) { refusals[fault]?.add() }
}
