import Glibc

/// How much a line matters.
package enum LogLevel: Int, Comparable, Sendable, CaseIterable {
    case debug
    case info
    case notice
    case warning
    case error

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    package var name: String { "\(self)" }
}

/// A value that may stand in a log line.
///
/// Redaction is by type: only these can be logged, and a type that holds something private (an
/// IBAN, a token, a name) either has no conformance or gives out a masked form.
package protocol Loggable {
    var logValue: LogValue { get }
}

/// What a field of a log line can be.
package enum LogValue: Sendable {
    case integer(Int64)
    case boolean(Bool)
    /// Text that is known to hold nothing private: an error's description, an id, a path of ours.
    /// Escaped as JSON and cut to 500 bytes.
    case text(String)
    case milliseconds(Double)
}

extension LogValue: Loggable {
    package var logValue: LogValue { self }
}
extension Int: Loggable { package var logValue: LogValue { .integer(Int64(self)) } }
extension Bool: Loggable { package var logValue: LogValue { .boolean(self) } }
extension UUID128: Loggable { package var logValue: LogValue { .text(description) } }
extension SystemError: Loggable { package var logValue: LogValue { .text(description) } }

/// Writes one JSON object a line to one descriptor, each line by one `write`.
///
/// Safe from every thread; never throws, because a server whose log is full still tells the truth.
package final class Log: Sendable {
    private let descriptor: Int32
    private let clock: any WallClock
    /// Held while a line is written, so that the room that was seen is still there.
    private let lock = Lock()
    private let lost = Counter()
    package let level: LogLevel

    package init(
        descriptor: Int32 = 2, level: LogLevel = .info, clock: any WallClock = SystemWallClock()
    ) {
        self.descriptor = descriptor
        self.level = level
        self.clock = clock
    }

    /// `event` is a stable dotted name, listed in the operations manual.
    package func write(
        _ level: LogLevel, _ event: StaticString,
        _ fields: KeyValuePairs<String, any Loggable> = [:]
    ) {
        guard level >= self.level else { return }
        var line = Array("{\"time\":\"".utf8)
        line.reserveCapacity(256)
        clock.now().appendRFC3339(to: &line)
        line += "\",\"level\":\"".utf8
        line += level.name.utf8
        line += "\",\"event\":\"".utf8
        event.withUTF8Buffer { line += $0 }
        line.append(0x22)
        for (name, value) in fields {
            line += ",".utf8
            Self.appendString(name, to: &line)
            line.append(0x3A)
            switch value.logValue {
            case .integer(let number): line += String(number).utf8
            case .boolean(let flag): line += (flag ? "true" : "false").utf8
            case .text(let text): Self.appendString(text, to: &line)
            case .milliseconds(let number):
                line += String((number * 1000).rounded() / 1000).utf8
            }
        }
        line += "}\n".utf8
        lock.withLock { send(line) }
    }

    /// Lines that could not be written: nobody reads the pipe, or the disk is full.
    package var lostLines: Int { lost.value }

    /// Never waits. A pipe with room takes 4096 bytes at once (PIPE_BUF), and no line is longer.
    private func send(_ line: [UInt8]) {
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard line.count <= 4096, poll(&room, 1, 0) == 1, room.revents & Int16(POLLOUT) != 0 else {
            return lost.add()
        }
        line.withUnsafeBytes { bytes in
            var written = Glibc.write(descriptor, bytes.baseAddress!, bytes.count)
            while written < 0, errno == EINTR {
                written = Glibc.write(descriptor, bytes.baseAddress!, bytes.count)
            }
            if written < bytes.count { lost.add() }
        }
    }

    /// One line of level debug, as `write` does it. Its fields are made whatever the level is: ask
    /// `level` first where that costs.
    package func debug(
        _ event: StaticString, _ fields: KeyValuePairs<String, any Loggable> = [:]
    ) { write(.debug, event, fields) }
    /// This and the next three: one line of that level, as `write` does it.
    package func info(
        _ event: StaticString, _ fields: KeyValuePairs<String, any Loggable> = [:]
    ) { write(.info, event, fields) }
    package func notice(
        _ event: StaticString, _ fields: KeyValuePairs<String, any Loggable> = [:]
    ) { write(.notice, event, fields) }
    package func warning(
        _ event: StaticString, _ fields: KeyValuePairs<String, any Loggable> = [:]
    ) { write(.warning, event, fields) }
    package func error(
        _ event: StaticString, _ fields: KeyValuePairs<String, any Loggable> = [:]
    ) { write(.error, event, fields) }

    /// Everything outside printable ASCII is escaped, so that hostile bytes cannot forge a line
    /// or steer a terminal.
    private static func appendString(_ text: String, to line: inout [UInt8]) {
        line.append(0x22)
        var written = 0
        let start = line.count
        for unit in text.utf16 {
            guard written < 500, line.count - start < 1000 else {
                line += "…".utf16.flatMap { escape($0) }
                break
            }
            written += 1
            switch unit {
            case 0x22, 0x5C:
                line.append(0x5C)
                line.append(UInt8(unit))
            case 0x20...0x7E: line.append(UInt8(unit))
            default: line += escape(unit)
            }
        }
        line.append(0x22)
    }

    private static func escape(_ unit: UInt16) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return [0x5C, 0x75]
            + stride(from: 12, through: 0, by: -4).map { digits[Int(unit >> UInt16($0)) & 0xF] }
    }
}
