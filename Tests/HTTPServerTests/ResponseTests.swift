import Platform
import Testing

@testable import HTTPServer

@Suite struct ResponseTests {
    private func lines(_ response: Response) -> String {
        String(decoding: response.fields, as: UTF8.self)
    }

    @Test("A field replaces the earlier one of its name in any case, and added ones stay")
    func replaces() {
        var response = Response(status: 200)
        response.setField("X-A", "1")
        response.setField("X-B", "2")
        response.setField("x-a", 3)
        response.addField("X-B", Array("4".utf8))
        #expect(lines(response) == "X-B: 2\r\nx-a: 3\r\nX-B: 4\r\n")
        #expect(response.field("X-A") == Array("3".utf8))
        #expect(response.field("X-B") == Array("2".utf8))
        #expect(response.field("X") == nil)
        response.removeField("x-b")
        #expect(lines(response) == "x-a: 3\r\n")
    }

    @Test("A field can be set from a span, such as a request's own field")
    func spans() throws {
        let head = try RequestHead(Array("GET / HTTP/1.1\r\nHost: x\r\nX-Id: 7\r\n\r\n".utf8))
        var response = Response(status: 200)
        if let id = head.value(of: "x-id") { response.setField("X-Id", id) }
        #expect(lines(response) == "X-Id: 7\r\n")
        #expect(throws: Refusal.malformed(.hostMissing)) {
            try RequestHead(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        }
        #expect(throws: Refusal.malformed(.requestLine)) { try RequestHead(Array("GET /".utf8)) }
    }

    @Test("Bytes that would break a field value out become spaces")
    func legalises() {
        var response = Response(status: 200)
        response.setField("X", "a\r\nInjected: yes\0\u{7F}\u{1B}\tb\u{E9}")
        #expect(lines(response) == "X: a  Injected: yes   \tb\u{E9}\r\n")
    }

    @Test(
        "The date is in the preferred format",
        arguments: [
            (Int64(784_111_777), "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"),
            (0, "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"),
            (1_709_251_199, "Date: Thu, 29 Feb 2024 23:59:59 GMT\r\n"),
            (-1, "Date: Wed, 31 Dec 1969 23:59:59 GMT\r\n"),
        ])
    func date(_ seconds: Int64, _ line: String) {
        var date = DateLine()
        date.update(Instant(seconds: seconds))
        #expect(String(decoding: date.bytes, as: UTF8.self) == line)
    }

    @Test("Refusals have names and sentences of their own")
    func refusals() {
        #expect(Set(Refusal.all.map(\.name)).count == Refusal.all.count)
        #expect(Set(Refusal.all.map(\.detail)).count == Refusal.all.count)
        #expect(Refusal.malformed(.lineFeed).name == "malformed_lineFeed")
    }
}
