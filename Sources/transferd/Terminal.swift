import CLinux
import Configuration
import Glibc
import JSON
import Platform

/// Standard output and standard error.
enum Terminal {
    /// Whether a person is looking at standard error.
    static var isInteractive: Bool { isatty(2) == 1 }

    /// Writes to standard output at once. A reader that has gone away does not matter.
    static func out(_ text: String) throws(CommandError) { try out(Array(text.utf8)) }

    /// Writes one line of JSON to standard output at once.
    static func out(json: [UInt8]) throws(CommandError) { try out(json + [0x0A]) }

    private static func out(_ bytes: [UInt8]) throws(CommandError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                return
            } else if errno != EINTR {
                let reason = String(cString: strerror(errno))
                throw CommandError(
                    .internalError,
                    "Cannot write to standard output: \(reason). Send it somewhere else.")
            }
        }
    }

    /// Writes an error to standard error.
    static func complain(_ message: String) {
        let bytes = Array("transferd: \(message)\n".utf8)
        _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }

    /// Shows how far work has come, on one line that the next call overwrites; "" takes it away.
    /// Only where a person is looking.
    static func progress(_ text: String) {
        guard isInteractive else { return }
        let bytes = Array("\r\u{1B}[K\(text)".utf8)
        _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }

    /// Without what would move the cursor or forge a line.
    private static func printable(_ cell: String) -> String {
        String(
            String.UnicodeScalarView(
                cell.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
                    default: scalar
                    }
                }))
    }

    /// Columns padded to their widest cell; those of `right` are aligned to the right.
    static func table(_ written: [[String]], right: Set<Int> = []) -> String {
        let rows = written.map { $0.map(printable) }
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.compactMap { column < $0.count ? $0[column].count : nil }.max() ?? 0
        }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                line += right.contains(column) ? padding + cell : cell + padding
                line += "  "
            }
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}

/// Reads a whole file of at most 4 MiB.
func readFile(_ path: String) throws(SystemError) -> [UInt8] {
    let descriptor = FileDescriptor(owning: cl_open(path, O_RDONLY, 0))
    guard descriptor.number >= 0 else { throw SystemError("open \(path)") }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65536)
    while true {
        let count = read(descriptor.number, &part, part.count)
        if count == 0 { return bytes }
        if count > 0 {
            bytes += part[..<count]
            guard bytes.count <= 4 << 20 else { throw SystemError("read \(path)", code: EFBIG) }
        } else if errno != EINTR {
            throw SystemError("read \(path)")
        }
    }
}
