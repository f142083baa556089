import Platform

/// One loop's instruments.
struct HTTPMetrics {
    let open: Gauge
    let accepted: Counter
    let acceptFailures: Counter
    let limitReached: Counter
    let received: Counter
    let sent: Counter
    let postponed: Counter
    let latency: Histogram
    /// By method, then status class from 2xx on.
    private let requests: [Counter]
    private let refusals: [Refusal: Counter]

    init(_ registry: MetricsRegistry, server: String) {
        let labels = [("server", server)]
        open = registry.gauge(
            "http_connections_open", help: "Connections open now.", labels: labels)
        accepted = registry.counter(
            "http_connections_accepted_total", help: "Connections accepted.", labels: labels)
        acceptFailures = registry.counter(
            "http_accept_failures_total",
            help: "Times accepting failed for want of descriptors or memory.", labels: labels)
        limitReached = registry.counter(
            "http_connection_limit_reached_total",
            help: "Times clients were left waiting because of the connection limit.",
            labels: labels)
        received = registry.counter(
            "http_received_bytes_total", help: "Bytes read from clients.", labels: labels)
        sent = registry.counter(
            "http_sent_bytes_total", help: "Bytes written to clients.", labels: labels)
        postponed = registry.counter(
            "http_requests_postponed_total",
            help: "Requests that were left to a later turn of their event loop.", labels: labels)
        latency = registry.latency(
            "http_request_seconds", help: "From a whole request to its answer.", labels: labels)
        var requests: [Counter] = []
        for method in Method.allCases {
            for status in 2...5 {
                requests.append(
                    registry.counter(
                        "http_requests_total", help: "Requests answered.",
                        labels: labels + [("method", method.name), ("status", "\(status)xx")]))
            }
        }
        self.requests = requests
        var refusals: [Refusal: Counter] = [:]
        for refusal in Refusal.all {
            refusals[refusal] = registry.counter(
                "http_refusals_total", help: "Messages refused before a handler saw them whole.",
                labels: labels + [("reason", refusal.name)])
        }
        self.refusals = refusals
    }

    func answered(_ method: Method, status: Int) {
        requests[method.rawValue * 4 + min(max(status / 100 - 2, 0), 3)].add()
    }

    func refused(_ refusal: Refusal) { refusals[refusal]?.add() }
}
