package import Ledger
package import Platform

/// A token bucket for each customer, shared by this replica's event loops.
///
/// Kept as one time a customer: when the bucket will be full again (the virtual scheduling form of
/// the leaky bucket). A customer with a full bucket needs no entry.
package final class RateLimiter: Sendable {
    /// How much a customer may ask for.
    package struct Policy: Sendable, Hashable {
        /// Requests a second in the long run; 0 for no limit.
        package var perSecond: Int64
        /// Requests at once after a pause; at least 1.
        package var burst: Int64

        package init(perSecond: Int64, burst: Int64) {
            precondition(perSecond >= 0 && burst >= 1)
            self.perSecond = perSecond
            self.burst = burst
        }

        package static let off = Policy(perSecond: 0, burst: 1)
    }

    /// Whether one more request may pass.
    package enum Verdict: Hashable, Sendable {
        case allowed
        /// Whole seconds until a request would be allowed, at least 1.
        case limited(retryAfterSeconds: Int64)
    }

    package let policy: Policy
    /// Names the bucket in the RateLimit fields.
    package let name: String
    /// Nanoseconds that one request fills up again in.
    private let interval: Int64
    private let full = Guarded<[CustomerID: Int64]>([:])
    private static let sweepEntries = 65_536

    /// Seconds in which an empty bucket fills.
    package var windowSeconds: Int64 {
        policy.perSecond > 0 ? max(1, policy.burst / policy.perSecond) : 1
    }

    package init(_ name: String, _ policy: Policy) {
        self.name = name
        self.policy = policy
        interval = policy.perSecond > 0 ? 1_000_000_000 / policy.perSecond : 0
    }

    /// Customers whose bucket was not full when it was last looked at.
    var entries: Int { full.withLock { $0.count } }

    /// Takes a token of the customer's bucket, if there is one. Any thread.
    package func take(_ customer: CustomerID, at now: MonotonicTime) -> Verdict {
        guard interval > 0 else { return .allowed }
        let (now, depth) = (now.nanoseconds, interval * policy.burst)
        return full.withLock { full in
            let next = max(full[customer] ?? now, now) + interval
            let wait = next - now - depth
            if wait > 0 {
                return .limited(retryAfterSeconds: (wait - 1) / 1_000_000_000 + 1)
            }
            if full.count >= Self.sweepEntries { full = full.filter { $0.value > now } }
            full[customer] = next
            return .allowed
        }
    }
}
