import JSON
import Platform
import TestSupport
import Testing

extension DatabaseTests.IntegrationTests {
    @Suite("Lists of transfers")
    struct Lists {
        private static func ids(_ page: HTTPAnswer) -> [String] {
            page.json?["transfers"]?.elements.compactMap { $0["transferId"]?.string } ?? []
        }

        /// All pages, with `between` done after each but the last.
        private static func walk(
            _ server: Endpoint, _ query: String, between: () async throws -> Void = {}
        ) async throws -> [String] {
            var found: [String] = []
            var cursor: String?
            while true {
                let suffix = cursor.map { "&cursor=\($0)" } ?? ""
                let page = try await server.get("/api/transfers?\(query)\(suffix)")
                try #require(page.status == 200, "\(page)")
                found += ids(page)
                cursor = page.json?["cursor"]?.string
                let hasMore = page.json?["hasMore"]?.bool
                #expect(hasMore == (cursor != nil))
                if cursor == nil { return found }
                try await between()
            }
        }

        @Test(
            "pages lose and repeat nothing while new transfers arrive",
            arguments: [1, 4, 5, 23, 200])
        func paging(limit: Int) async throws {
            try await withBank { bank in
                let server = bank.endpoint
                var made: [String] = []
                for _ in 0..<23 {
                    made.append(try #require(try await server.pay(key: newKey()).transferID))
                }
                // Another customer's, which must not show.
                let bob = Payment(debtor: IBANs.bob)
                _ = try await server.pay(bob, key: newKey(), token: bank.token("bob"))
                let found = try await Self.walk(server, "limit=\(limit)") {
                    let created = try await server.pay(key: newKey())
                    #expect(created.status == 201)
                }
                #expect(found == made.reversed())
            }
        }

        @Test("transfers that move on while a filtered list is read are not repeated")
        func filtered() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let refused = Payment().with { $0.amount = "99999.00" }
                var rejected: [String] = []
                for index in 0..<20 {
                    let answer = try await server.pay(
                        index % 2 == 0 ? refused : server.payment, key: newKey())
                    if index % 2 == 0 { rejected.append(try #require(answer.transferID)) }
                }
                let found = try await Self.walk(server, "limit=3&status=rejected") {
                    _ = try await server.pay(refused, key: newKey())
                }
                #expect(found == rejected.reversed())
            }
        }

        @Test(
            "a cursor holds for its own list: another filter or customer, or a changed one, is 400")
        func cursors() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                for _ in 0..<3 { _ = try await server.pay(key: newKey()) }
                let page = try await server.get("/api/transfers?limit=1")
                let cursor = try #require(page.json?["cursor"]?.string)
                let changed = (cursor.first == "A" ? "B" : "A") + cursor.dropFirst()
                for target in [
                    "cursor=\(cursor)&status=rejected", "cursor=\(changed)", "cursor=\(cursor)A",
                    "cursor=", "limit=0", "limit=201", "limit=1.0", "limit=+1", "limit=",
                    "status=in_flight", "status=held", "status=revoked", "status=", "offset=1",
                    "limit=1&limit=1",
                ] {
                    expectProblem(
                        try await server.get("/api/transfers?\(target)"), 400, "request_invalid",
                        retry: "no")
                }
                expectProblem(
                    try await server.get(
                        "/api/transfers?cursor=\(cursor)", token: bank.token("bob")), 400,
                    "request_invalid", retry: "no")
                // The limit is no part of it.
                let rest = try await server.get("/api/transfers?limit=2&cursor=\(cursor)")
                #expect(Self.ids(rest).count == 2)
            }
        }

        @Test("a customer without transfers has an empty list")
        func empty() async throws {
            try await withBank { bank in
                let page = try await bank.endpoint.get("/api/transfers")
                #expect(page.text == #"{"transfers":[],"cursor":null,"hasMore":false}"#)
            }
        }
    }
}
