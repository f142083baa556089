import Foundation
import Platform
import Testing

@Suite("Log lines")
struct LogTests {
    private struct FixedClock: WallClock {
        func now() -> Instant { Instant(milliseconds: 1_796_047_332_345) }
    }

    /// What `body` writes.
    private func lines(
        level: LogLevel = .debug, _ body: (Log) -> Void
    ) throws -> [[String: Any]] {
        let pipe = Pipe()
        body(
            Log(
                descriptor: pipe.fileHandleForWriting.fileDescriptor, level: level,
                clock: FixedClock()))
        try pipe.fileHandleForWriting.close()
        let data = try #require(try pipe.fileHandleForReading.readToEnd())
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.hasSuffix("\n"))
        #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A })
        return try text.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(object as? [String: Any])
        }
    }

    @Test("A line is one JSON object with time, level, event and its fields")
    func shape() throws {
        let line = try #require(
            try lines {
                $0.warning(
                    "http.accept.failed",
                    [
                        "count": 3, "again": true, "took": LogValue.milliseconds(1.23456),
                        "error": SystemError("accept4", code: 24),
                    ])
            }.first)
        #expect(line["time"] as? String == "2026-11-30T14:02:12.345Z")
        #expect(line["level"] as? String == "warning")
        #expect(line["event"] as? String == "http.accept.failed")
        #expect(line["count"] as? Int == 3)
        #expect(line["again"] as? Bool == true)
        #expect(line["took"] as? Double == 1.235)
        #expect((line["error"] as? String)?.hasPrefix("accept4: ") == true)
    }

    @Test(
        "Hostile text neither breaks a line nor leaves ASCII",
        arguments: [
            "a\nb", "\"}\n{\"event\":\"forged\"", "\u{1B}[31mred", "\u{202E}txt", "\0", "\\",
            "naïve 😀", "\u{7F}\t\r",
        ])
    func hostile(text: String) throws {
        let found = try lines { $0.info("test", ["text": LogValue.text(text)]) }
        #expect(found.count == 1)
        #expect(found.first?["text"] as? String == text)
    }

    @Test("Long text is cut")
    func long() throws {
        let found = try lines {
            $0.info("test", ["text": LogValue.text(String(repeating: "x", count: 10_000))])
        }
        #expect(found.first?["text"] as? String == String(repeating: "x", count: 500) + "…")
    }

    @Test("A log that nobody reads loses lines and stops nobody")
    func stalled() throws {
        let pipe = Pipe()
        let log = Log(descriptor: pipe.fileHandleForWriting.fileDescriptor, clock: FixedClock())
        // More than a pipe holds.
        for number in 0..<5000 { log.info("test", ["number": number]) }
        let lost = log.lostLines
        #expect(lost > 0)
        try pipe.fileHandleForWriting.close()
        let data = try #require(try pipe.fileHandleForReading.readToEnd())
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        #expect(lines.count + lost == 5000)
        #expect(lines.allSatisfy { $0.hasPrefix("{\"time\"") && $0.hasSuffix("}") })
    }

    @Test("However hostile a text is, its line fits into one write to a pipe")
    func bounded() throws {
        let text = String(repeating: "\u{202E}", count: 10_000)
        let found = try lines {
            $0.info("test", ["one": LogValue.text(text), "two": LogValue.text(text)])
        }
        #expect(found.count == 1)
    }

    @Test("Lines below the level are not written")
    func level() throws {
        let found = try lines(level: .warning) {
            $0.info("quiet")
            $0.notice("quiet")
            $0.warning("loud")
            $0.error("loud")
        }
        #expect(found.compactMap { $0["level"] as? String } == ["warning", "error"])
    }
}
