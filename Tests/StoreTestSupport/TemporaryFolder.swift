import Foundation

/// A folder of one test, gone with the value.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("transferd-test-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch {
            print("cannot remove \(path): \(error)")
        }
    }

    package func file(_ name: String) -> String { path + "/" + name }
}
