import HTTPServer
import Platform

/// Answers by path; everything a test of the server needs from a handler.
///
/// `/echo` gives method, body and query back; `/park` parks and hands its ticket out;
/// `/missing` is answered before the body is read; `/big` is a long answer.
struct EchoHandler: RequestHandler {
    typealias Completion = Int

    /// What the test and the loop's thread share.
    final class Shared: Sendable {
        struct State {
            var parked: [Ticket] = []
            var abandoned: [Int] = []
            var refusals: [Refusal] = []
            var handled = 0
            var ticks = 0
        }
        let state = Guarded(State())
        let bigBytes: Int

        init(bigBytes: Int = 4 << 20) { self.bigBytes = bigBytes }
    }

    let shared: Shared

    mutating func admit(_ head: borrowing RequestHead) -> Admission {
        Self.text(head.path) == "/missing" ? .respond(Response(status: 404)) : .read
    }

    mutating func handle(
        _ head: borrowing RequestHead, _ body: Span<UInt8>, _ ticket: Ticket
    ) -> HandlerAnswer {
        shared.state.withLock { $0.handled += 1 }
        switch Self.text(head.path) {
        case "/park":
            shared.state.withLock { $0.parked.append(ticket) }
            return .parked
        case "/big":
            return .respond(
                Response(status: 200, body: Array(repeating: 0x78, count: shared.bigBytes)))
        case "/reset":
            var response = Response(status: 200)
            response.delivery = .reset
            return .respond(response)
        case "/close":
            var response = Response(status: 200, body: Array("bye".utf8))
            response.delivery = .close
            return .respond(response)
        case "/truncate":
            var response = Response(status: 200, body: Array("never seen".utf8))
            response.delivery = .truncate(bytes: 12)
            return .respond(response)
        default:
            var text = "\(head.method.name) \(Self.text(head.path))"
            if let query = head.query { text += "?" + Self.text(query) }
            text += " " + Self.text(body)
            var response = Response(status: 200, body: Array(text.utf8))
            response.setField("Content-Type", "text/plain")
            return .respond(response)
        }
    }

    mutating func complete(_ completion: Int, _ ticket: Ticket) -> Response? {
        completion < 0 ? nil : Response(status: 200, body: Array("done \(completion)".utf8))
    }

    mutating func abandoned(_ completion: Int) {
        shared.state.withLock { $0.abandoned.append(completion) }
    }

    mutating func refusal(_ reason: Refusal, _ head: RequestHead?) -> Response {
        shared.state.withLock { $0.refusals.append(reason) }
        return Response(status: reason.status, body: Array(reason.name.utf8))
    }

    mutating func tick(_ now: MonotonicTime) { shared.state.withLock { $0.ticks += 1 } }

    static func text(_ bytes: Span<UInt8>?) -> String? {
        guard let bytes else { return nil }
        let text: String = text(bytes)
        return text
    }

    static func text(_ bytes: Span<UInt8>) -> String {
        String(decoding: bytes.withUnsafeBufferPointer { Array($0) }, as: UTF8.self)
    }
}
