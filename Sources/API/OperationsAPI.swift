package import HTTPServer
import JSON
package import Platform

/// The operations listener: liveness, readiness and metrics, apart from the customers' port.
package struct OperationsAPI: RequestHandler {
    /// Nothing is ever parked here.
    package enum Completion: Sendable {}

    private let readiness: Readiness
    private let metrics: MetricsRegistry

    package init(readiness: Readiness, metrics: MetricsRegistry) {
        self.readiness = readiness
        self.metrics = metrics
    }

    package mutating func admit(_ head: borrowing RequestHead) -> Admission {
        guard ["/healthz", "/readyz", "/metrics"].contains(where: { head.path.equals($0) }) else {
            return .respond(Self.text(404, "Use /healthz, /readyz or /metrics.\n"))
        }
        guard head.method == .get || head.method == .head else {
            var response = Self.text(405, "Use GET.\n")
            response.setField("Allow", "GET, HEAD")
            return .respond(response)
        }
        return .read
    }

    package mutating func handle(
        _ head: borrowing RequestHead, _ body: Span<UInt8>, _ ticket: Ticket
    ) -> HandlerAnswer {
        if head.path.equals("/metrics") {
            var response = Response(status: 200, body: Array(metrics.render().utf8))
            response.setField("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            response.setField("Cache-Control", "no-store")
            return .respond(response)
        }
        if head.path.equals("/healthz") { return .respond(Self.text(200, "ok\n")) }
        let reasons = readiness.reasons
        guard !reasons.isEmpty else { return .respond(Self.text(200, "ready\n")) }
        return .respond(Self.text(503, "not ready: " + reasons.joined(separator: ", ") + "\n"))
    }

    package mutating func complete(_ completion: Completion, _ ticket: Ticket) -> Response? {}

    package mutating func abandoned(_ completion: Completion) {}

    package mutating func refusal(_ reason: Refusal, _ head: RequestHead?) -> Response {
        Self.text(reason.status, reason.detail + "\n")
    }

    package mutating func tick(_ now: MonotonicTime) {}

    private static func text(_ status: Int, _ body: String) -> Response {
        var response = Response(status: status, body: Array(body.utf8))
        response.setField("Content-Type", "text/plain; charset=utf-8")
        response.setField("Cache-Control", "no-store")
        return response
    }
}

/// Whether a load balancer should send requests here, and if not, why.
package final class Readiness: Sendable {
    private struct State: Sendable {
        var started = false
        var draining = false
    }

    private let state = Guarded(State())
    private let storeIsHealthy: @Sendable () -> Bool

    package init(storeIsHealthy: @escaping @Sendable () -> Bool) {
        self.storeIsHealthy = storeIsHealthy
    }

    /// From now on ready, as far as the start is concerned.
    package func started() { state.withLock { $0.started = true } }
    /// From now on not ready, for good.
    package func draining() { state.withLock { $0.draining = true } }

    /// Empty when ready.
    package var reasons: [String] {
        let state = self.state.withLock { $0 }
        var reasons: [String] = []
        if !state.started { reasons.append("starting") }
        if state.draining { reasons.append("draining") }
        if !storeIsHealthy() { reasons.append("the store is not available") }
        return reasons
    }
}
