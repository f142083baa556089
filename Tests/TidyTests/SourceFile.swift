import Foundation

/// One file of the repository, and its code with comments and the contents of strings blanked out.
struct SourceFile: Sendable {
    /// From the repository's root, such as `Sources/JSON/JSONText.swift`.
    let path: String
    let lines: [String]
    /// As many lines, each as long as the original in bytes; only code is left.
    let code: [String]

    /// `Sources/JSON` of `Sources/JSON/JSONText.swift`.
    var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }
    /// `JSON` of `Sources/JSON/JSONText.swift`.
    var room: String { String(path.split(separator: "/").dropFirst().first ?? "") }

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var blanker = Blanker(text)
        code = blanker.run().split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }
}

extension String {
    /// Whether `word` stands in it, byte by byte; much quicker than `contains`.
    func has(_ word: String) -> Bool {
        withCString { text in word.withCString { strstr(text, $0) != nil } }
    }
}

/// The repository's files.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Swift files of Sources and Migrations.
    static let sources = swift(in: ["Sources", "Migrations"])
    static let tests = swift(in: ["Tests"])

    static func swift(in folders: [String]) -> [SourceFile] {
        files(in: folders).filter { $0.hasSuffix(".swift") }.compactMap { path in
            text(path).map { SourceFile(path: path, text: $0) }
        }
    }

    static func text(_ path: String) -> String? {
        try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }

    /// Every file in these folders, in order; a name that is a file is itself.
    static func files(in folders: [String]) -> [String] {
        var found: [String] = []
        for folder in folders where exists(folder) {
            let url = root.appendingPathComponent(folder)
            guard let inside = FileManager.default.subpaths(atPath: url.path), !inside.isEmpty
            else {
                found.append(folder)
                continue
            }
            for name in inside where !name.contains("__pycache__") {
                var isFolder: ObjCBool = false
                let path = "\(folder)/\(name)"
                let full = root.appendingPathComponent(path).path
                if FileManager.default.fileExists(atPath: full, isDirectory: &isFolder),
                    !isFolder.boolValue
                {
                    found.append(path)
                }
            }
        }
        return found.sorted()
    }
}

/// Replaces comments and the contents of strings by spaces, and keeps the lines.
private struct Blanker {
    private static let (newline, space) = (UInt8(ascii: "\n"), UInt8(ascii: " "))
    private static let (quote, hash) = (UInt8(ascii: "\""), UInt8(ascii: "#"))
    private static let (opening, closing) = (UInt8(ascii: "("), UInt8(ascii: ")"))

    private let input: [UInt8]
    private var position = 0
    private var output: [UInt8] = []

    init(_ text: String) { input = Array(text.utf8) }

    mutating func run() -> String {
        output.reserveCapacity(input.count)
        while position < input.count { code(until: nil) }
        return String(decoding: output, as: UTF8.self)
    }

    /// Copies code; inside an interpolation up to the parenthesis that ends it.
    private mutating func code(until end: UInt8?) {
        var depth = 0
        while position < input.count {
            let character = input[position]
            if matches("//") {
                while position < input.count, input[position] != Self.newline { blank() }
            } else if matches("/*") {
                blockComment()
            } else if character == Self.quote || (character == Self.hash && isRawString) {
                string()
            } else {
                if character == Self.opening { depth += 1 }
                if character == Self.closing {
                    if depth == 0, end == Self.closing { return }
                    depth -= 1
                }
                output.append(character)
                position += 1
            }
        }
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            if matches("/*") {
                depth += 1
                blank()
            } else if matches("*/") {
                depth -= 1
                blank()
            }
            blank()
        } while depth > 0 && position < input.count
    }

    private mutating func string() {
        var hashes = 0
        while input[position] == Self.hash {
            hashes += 1
            blank()
        }
        let fence = String(repeating: "#", count: hashes)
        let quotes = matches("\"\"\"") ? "\"\"\"" : "\""
        copy(quotes.count)
        while position < input.count {
            if matches("\\" + fence + "(") {
                blank(hashes + 2)
                code(until: Self.closing)
                blank()
            } else if matches("\\" + fence) {
                blank(hashes + 2)
            } else if matches(quotes + fence) {
                copy(quotes.count)
                blank(hashes)
                return
            } else {
                blank()
            }
        }
    }

    private var isRawString: Bool {
        var next = position
        while next < input.count, input[next] == Self.hash { next += 1 }
        return next < input.count && input[next] == Self.quote
    }

    private func matches(_ text: String) -> Bool {
        var next = position
        for byte in text.utf8 {
            guard next < input.count, input[next] == byte else { return false }
            next += 1
        }
        return true
    }

    private mutating func copy(_ count: Int) {
        for _ in 0..<count where position < input.count {
            output.append(input[position])
            position += 1
        }
    }

    private mutating func blank(_ count: Int = 1) {
        for _ in 0..<count where position < input.count {
            output.append(input[position] == Self.newline ? Self.newline : Self.space)
            position += 1
        }
    }
}
