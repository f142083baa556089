import Glibc
import HTTPServer
import Platform
import Testing

/// The least a handler can do, to measure what the server itself costs.
struct FixedAnswerHandler: RequestHandler {
    typealias Completion = Never

    private let response: Response = {
        var response = Response(status: 200, body: Array(repeating: 0x61, count: 150))
        response.setField("Content-Type", "application/json")
        response.setField("Cache-Control", "no-store")
        return response
    }()

    mutating func admit(_ head: borrowing RequestHead) -> Admission { .read }

    mutating func handle(
        _ head: borrowing RequestHead, _ body: Span<UInt8>, _ ticket: Ticket
    ) -> HandlerAnswer { .respond(response) }

    mutating func complete(_ completion: Never, _ ticket: Ticket) -> Response? {}
    mutating func abandoned(_ completion: Never) {}
    mutating func refusal(_ reason: Refusal, _ head: RequestHead?) -> Response {
        Response(status: reason.status)
    }
    mutating func tick(_ now: MonotonicTime) {}
}

/// Serves fixed answers for a while and prints what a request cost; the load comes from outside:
///
///     swift build -c release --build-tests -Xswiftc -enable-testing --scratch-path .build/ceiling
///     HTTP_CEILING_PORT=8099 HTTP_CEILING_SECONDS=10 swift test -c release --skip-build \
///         --scratch-path .build/ceiling --filter CeilingTests
@Suite struct CeilingTests {
    private static func number(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }
    }

    @Test(
        "The server's own processor time per request",
        .enabled(if: Self.number("HTTP_CEILING_PORT") != nil))
    func ceiling() throws {
        var configuration = HTTPServerConfiguration()
        configuration.port = UInt16(Self.number("HTTP_CEILING_PORT") ?? 0)
        let metrics = MetricsRegistry()
        let server = try HTTPServer(configuration: configuration, log: Log(), metrics: metrics) {
            _, _ in FixedAnswerHandler()
        }
        let before = Self.processorMicroseconds()
        server.start()
        sleep(UInt32(Self.number("HTTP_CEILING_SECONDS") ?? 10))
        let spent = Self.processorMicroseconds() - before
        server.beginDrain(gracePeriodMilliseconds: 0)
        server.waitUntilStopped()
        let served =
            metrics.render().split(separator: "\n").first {
                $0.hasPrefix("http_request_seconds_count")
            }
            .flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? 0
        print("\(served) requests, \(Double(spent) / Double(max(served, 1))) µs each")
        #expect(served > 0)
    }

    private static func processorMicroseconds() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000
            + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
    }
}
