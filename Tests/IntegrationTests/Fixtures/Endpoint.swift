import Foundation
import TestSupport

/// A server under test as its clients know it.
struct Endpoint: Sendable {
    var address = "127.0.0.1"
    var port: UInt16
    /// Of the customer who owns `debtorIBAN`, with every scope.
    var token: String
    /// Of another customer.
    var otherToken: String?
    var debtorIBAN = IBANs.alice
    var creditorIBAN = IBANs.elsewhere

    /// A payment that this server's customer can make.
    var payment: Payment {
        Payment(debtor: debtorIBAN, creditor: creditorIBAN, amount: "1.23")
    }

    /// Sends a request on a connection of its own; blocks the caller's thread.
    func exchange(_ request: HTTPRequest) throws -> HTTPAnswer {
        let client = try HTTPClient(address: address, port: port)
        defer { client.close() }
        return try client.exchange(request)
    }

    /// As `exchange`, for a test.
    func send(_ request: HTTPRequest) async throws -> HTTPAnswer {
        try await blocking { try exchange(request) }
    }

    func pay(
        _ payment: Payment? = nil, key: String, token: String? = nil
    ) async throws -> HTTPAnswer {
        try await send(
            .payment(payment ?? self.payment, key: key, token: token ?? self.token))
    }

    func get(_ target: String, token: String? = nil) async throws -> HTTPAnswer {
        try await send(.get(target, token: token ?? self.token))
    }

    func byKey(_ key: String, token: String? = nil) async throws -> HTTPAnswer {
        try await send(.byKey(key, token: token ?? self.token))
    }

    /// The server that `TRANSFERD_BASE_URL` names: `http://address:port` with an IPv4 address.
    static var external: Endpoint? {
        get throws {
            let environment = ProcessInfo.processInfo.environment
            guard let text = environment["TRANSFERD_BASE_URL"] else { return nil }
            guard let url = URL(string: text), let host = url.host, let port = url.port,
                let token = environment["TRANSFERD_TOKEN"]
            else { throw Misconfigured() }
            return Endpoint(
                address: host, port: UInt16(port), token: token,
                otherToken: environment["TRANSFERD_OTHER_TOKEN"],
                debtorIBAN: environment["TRANSFERD_DEBTOR_IBAN"] ?? IBANs.alice,
                creditorIBAN: environment["TRANSFERD_CREDITOR_IBAN"] ?? IBANs.elsewhere)
        }
    }

    struct Misconfigured: Error, CustomStringConvertible {
        let description =
            "TRANSFERD_BASE_URL must be http://address:port, with TRANSFERD_TOKEN beside it"
    }
}

/// Runs a test of the contract against the server that the environment names, or one of its own.
func withEndpoint(_ body: @Sendable (Endpoint) async throws -> Void) async throws {
    if let external = try Endpoint.external { return try await body(external) }
    try await withBank { bank in try await body(bank.endpoint) }
}
