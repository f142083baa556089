import Foundation

/// The other implementation of differential tests.
package enum Python {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Runs `script` with `interpreter`, the path of a file holding `input` as `sys.argv[1]`, and
    /// returns its standard output. Throws what it wrote to standard error when it fails.
    package static func run(
        _ script: String, input: [UInt8] = [], interpreter: String = "python3"
    ) throws -> [UInt8] {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("transferd-test-\(UUID().uuidString)")
        // A file, not a pipe: a script that dies early must not kill the tests with SIGPIPE.
        try Data(input).write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        return try execute([interpreter, "-c", script, path.path])
    }

    /// An interpreter that can import `module`, installed from PyPI as `package` into a virtual
    /// environment of the user's temporary folder when the system's has none. Either may name
    /// several, as `import` and `pip install` take them.
    package static func interpreter(importing module: String, package: String) throws -> String {
        if (try? execute(["python3", "-c", "import \(module)"])) != nil { return "python3" }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("transferd-test-venv-\(package.replacing(" ", with: "-"))").path
        let interpreter = folder + "/bin/python"
        if (try? execute([interpreter, "-c", "import \(module)"])) != nil { return interpreter }
        do {
            _ = try execute(["python3", "-m", "venv", "--system-site-packages", folder])
            let packages = package.split(separator: " ").map(String.init)
            _ = try execute([interpreter, "-m", "pip", "install", "--quiet"] + packages)
        } catch {
            throw Failure(description: "cannot install \(package) for the test: \(error)")
        }
        return interpreter
    }

    private static func execute(_ command: [String]) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        let output = Pipe()
        process.standardOutput = output
        let errors = FileManager.default.temporaryDirectory
            .appendingPathComponent("transferd-test-\(UUID().uuidString)")
        guard FileManager.default.createFile(atPath: errors.path, contents: nil) else {
            throw Failure(description: "cannot write \(errors.path)")
        }
        defer { try? FileManager.default.removeItem(at: errors) }
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let text = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
            throw Failure(description: "\(command[0]) exited \(process.terminationStatus): \(text)")
        }
        return Array(bytes)
    }
}
