import Ledger
import TestSupport
import Testing

extension DatabaseTests.IntegrationTests {
    /// Each test breaks two rules that follow each other; the earlier one answers.
    @Suite("The order of checks")
    struct Order {
        /// One fault of a request, in the order in which faults are looked for.
        enum Fault: Int, CaseIterable, Sendable {
            case path
            case method
            case mediaType
            case size
            case token
            case query
            case key
            case body

            var status: Int {
                switch self {
                case .path: 404
                case .method: 405
                case .mediaType: 415
                case .size: 413
                case .token: 401
                case .query, .key, .body: 400
                }
            }

            var code: String {
                switch self {
                case .path: "not_found"
                case .method: "method_not_allowed"
                case .mediaType: "media_type_unsupported"
                case .size: "body_too_large"
                case .token: "token_invalid"
                case .query, .body: "request_invalid"
                case .key: "idempotency_key_invalid"
                }
            }

            func applied(to request: HTTPRequest) -> HTTPRequest {
                switch self {
                case .path:
                    request.with(
                        target: request.target.replacing("transfers", with: "transfer"))
                case .method: request.with(method: "PATCH")
                case .mediaType: request.with("Content-Type", "text/plain")
                case .size: request.with(body: [UInt8](repeating: 0x20, count: 20_000))
                case .token: request.with("Authorization", "Bearer x.y.z")
                case .query: request.with(target: request.target + "?a=b")
                case .key: request.with("Idempotency-Key", "1")
                case .body:
                    // What is too large is too large already.
                    (request.body?.count ?? 0) > 16_384 ? request : request.with(body: "{\"a\":1")
                }
            }
        }

        static let pairs: [(Fault, Fault)] = Fault.allCases.flatMap { first in
            Fault.allCases.filter { $0.rawValue > first.rawValue }.map { (first, $0) }
        }

        @Test("Of two faults the earlier one answers", arguments: pairs)
        func pair(_ first: Fault, _ second: Fault) async throws {
            try await withEndpoint { server in
                let key = newKey()
                let good = HTTPRequest.payment(server.payment, key: key, token: server.token)
                let answer = try await server.send(second.applied(to: first.applied(to: good)))
                #expect(answer.status == first.status, "\(answer)")
                #expect(answer.code == first.code)
                #expect(try await server.byKey(key).code == "key_unknown")
            }
        }

        @Test("The token comes before its scope, and the scope before the key and the body")
        func scope() async throws {
            try await withBank { bank in
                let good = HTTPRequest.payment(
                    Payment(), key: newKey(), token: bank.token("alice", scope: "accounts:read"))
                for bad in [good, Fault.key.applied(to: good), Fault.body.applied(to: good)] {
                    let answer = try await bank.endpoint.send(bad)
                    expectProblem(answer, 403, "scope_missing", retry: "no")
                }
                let foreign = try await bank.endpoint.send(Fault.token.applied(to: good))
                #expect(foreign.code == "token_invalid")
            }
        }

        @Test("The body's syntax is looked at before the key's outcome")
        func syntaxBeforeOutcome() async throws {
            try await withEndpoint { server in
                let key = newKey()
                #expect(try await server.pay(key: key).status == 201)
                let answer = try await server.pay(
                    server.payment.with { $0.amount = "1,00" }, key: key)
                expectProblem(answer, 400, "request_invalid", retry: "no", more: ["errors"])
                #expect(answer.errorPointers == ["/instructedAmount/amount"])
            }
        }

        @Test("A used key with other content is 422, also where that content breaks field rules")
        func reuseBeforeRules() async throws {
            try await withEndpoint { server in
                let key = newKey()
                let first = try await server.pay(key: key)
                #expect(first.status == 201)
                for bad in [
                    server.payment.with { $0.amount = "1.234" },
                    server.payment.with { $0.currency = "XXX" },
                    server.payment.with { $0.name = String(repeating: "a", count: 71) },
                    server.payment.with { $0.creditor = "XX12345678" },
                ] {
                    let answer = try await server.pay(bad, key: key)
                    if answer.status == 400 {
                        // Wrong for ever (check digits), not by a table: syntax comes first.
                        #expect(answer.errorPointers == ["/creditorAccount/iban"])
                        continue
                    }
                    expectProblem(
                        answer, 422, "idempotency_key_reused", retry: "no",
                        more: ["differs", "transferId", "firstReceivedAt"])
                    #expect(answer.transferID == first.transferID)
                }
            }
        }

        @Test("Field rules come before business rules, and nothing is stored")
        func rulesBeforeBusiness() async throws {
            try await withBank { bank in
                let key = newKey()
                // Neither the account nor the name nor the amount is right.
                let bad = Payment().with {
                    $0.debtor = IBANs.bob
                    $0.amount = "1.234"
                    $0.name = String(repeating: "n", count: 71)
                }
                let answer = try await bank.endpoint.pay(bad, key: key)
                expectProblem(answer, 400, "request_invalid", retry: "no", more: ["errors"])
                #expect(answer.errorPointers == ["/instructedAmount/amount", "/creditorName"])
                #expect(try bank.count("outcomes") == 0)
                // The key is as if it had never been used.
                #expect(try await bank.endpoint.pay(key: key).status == 201)
            }
        }

        @Test("Of several business rules the first of the documented order answers")
        func businessOrder() async throws {
            var options = TestBank.Options()
            options.accounts[0].perTransferLimit = 10_000
            options.accounts[0].dailyLimit = 15_000
            options.accounts[0].minorUnits = 12_000
            try await withBank(options) { bank in
                let database = try bank.database()
                try bank.block(IBANs.alice, IBANs.blocked)
                func code(_ change: (inout Payment) -> Void) async throws -> String? {
                    let answer = try await bank.endpoint.pay(
                        Payment().with(change), key: newKey())
                    #expect(answer.status == 402)
                    return answer.code
                }
                func worst(_ payment: inout Payment) {
                    payment.currency = "USD"
                    payment.creditor = payment.debtor
                    payment.amount = "999999.00"
                }
                try bank.setRestricted(true)
                #expect(
                    try await code {
                        worst(&$0)
                        $0.debtor = IBANs.bob
                    } == "customer_restricted")
                try bank.setRestricted(false)
                #expect(
                    try await code {
                        worst(&$0)
                        $0.debtor = IBANs.bob
                    } == "account_not_found")
                // The ledger closes no account with money, and opens none again.
                func set(status: Int) throws {
                    try database.execute(
                        "UPDATE accounts SET status = \(status) WHERE iban = '\(IBANs.alice)'")
                }
                try set(status: 2)
                #expect(try await code(worst) == "account_closed")
                try set(status: 0)
                try await bank.setStatus(.frozen, of: IBANs.alice)
                #expect(try await code(worst) == "account_frozen")
                try await bank.setStatus(.active, of: IBANs.alice)
                #expect(try await code(worst) == "currency_not_supported")
                #expect(
                    try await code {
                        worst(&$0)
                        $0.currency = "EUR"
                    } == "same_account")
                #expect(
                    try await code {
                        $0.creditor = IBANs.blocked
                        $0.amount = "999999.00"
                    } == "beneficiary_blocked")
                #expect(try await code { $0.amount = "160.00" } == "transfer_limit_exceeded")
                #expect(
                    try await bank.endpoint.pay(
                        Payment().with { $0.amount = "100.00" }, key: newKey()
                    ).status == 201)
                #expect(try await code { $0.amount = "60.00" } == "daily_limit_exceeded")
                #expect(try await code { $0.amount = "40.00" } == "insufficient_funds")
            }
        }
    }
}
