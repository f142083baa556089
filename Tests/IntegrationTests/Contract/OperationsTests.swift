import Bank
import Platform
import TestSupport
import Testing

extension DatabaseTests.IntegrationTests {
    @Suite("The operations listener")
    struct Operations {
        @Test("It says that the process lives and that it is ready")
        func healthy() async throws {
            try await withBank { bank in
                for (path, text) in [("/healthz", "ok\n"), ("/readyz", "ready\n")] {
                    let answer = try await bank.operations.send(HTTPRequest("GET", path))
                    #expect(answer.status == 200)
                    #expect(answer.text == text)
                    #expect(answer["Content-Type"] == "text/plain; charset=utf-8")
                    #expect(answer["Cache-Control"] == "no-store")
                    let head = try await bank.operations.send(HTTPRequest("HEAD", path))
                    #expect(head.status == 200)
                    #expect(head.body.isEmpty)
                    let post = try await bank.operations.send(HTTPRequest("POST", path))
                    #expect(post.status == 405)
                    #expect(post["Allow"] == "GET, HEAD")
                    // Not on the customers' port.
                    let elsewhere = try await bank.endpoint.send(HTTPRequest("GET", path))
                    expectProblem(elsewhere, 404, "not_found", retry: "no")
                }
                let unknown = try await bank.operations.send(
                    .get("/api/accounts", token: bank.token("alice")))
                #expect(unknown.status == 404)
            }
        }

        @Test("It is not ready while the store fails, and ready again without a request")
        func storeFails() async throws {
            try await withBank { bank in
                let database = try bank.database()
                try database.execute("ALTER TABLE outcomes RENAME TO hidden")
                #expect(try await bank.endpoint.pay(key: newKey()).status == 503)
                let broken = try await bank.operations.send(HTTPRequest("GET", "/readyz"))
                #expect(broken.status == 503)
                #expect(broken.text == "not ready: the store is not available\n")
                let alive = try await bank.operations.send(HTTPRequest("GET", "/healthz"))
                #expect(alive.status == 200)
                try database.execute("ALTER TABLE hidden RENAME TO outcomes")
                #expect(
                    try await eventually {
                        try bank.operations.exchange(HTTPRequest("GET", "/readyz")).status == 200
                    })
            }
        }

        @Test("While draining it is not ready, and the API still answers, closing connections")
        func draining() async throws {
            var options = TestBank.Options()
            // Time enough for the questions below.
            options.change = { $1.readinessDelayMilliseconds = 1500 }
            try await withBank(options) { bank in
                async let stopped: Void = bank.stop()
                #expect(
                    try await eventually {
                        try bank.operations.exchange(HTTPRequest("GET", "/readyz")).text
                            == "not ready: draining\n"
                    })
                let answer = try await bank.endpoint.pay(key: newKey())
                #expect(answer.status == 201)
                #expect(answer["Connection"] == "close")
                try await stopped
                await #expect(throws: HTTPClient.Failure.self) {
                    try await bank.endpoint.get("/api/accounts")
                }
            }
        }

        @Test("Metrics are Prometheus text, and count what happened")
        func metrics() async throws {
            try await withBank { bank in
                for _ in 0..<3 { _ = try await bank.endpoint.pay(key: newKey()) }
                let answer = try await bank.operations.send(HTTPRequest("GET", "/metrics"))
                #expect(answer.status == 200)
                #expect(answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
                let metrics = try PrometheusText(answer.text)
                #expect(metrics.faults == [])
                #expect(metrics.samples["transferd_commit_commands_total"] == 3)
                #expect(metrics.samples["transferd_in_flight"] == 0)
                #expect(metrics.samples["transferd_commit_seconds_count"] == 3)
                #expect(!answer.text.contains("alice"))
                #expect(!answer.text.contains(IBANs.alice))
            }
        }
    }
}
