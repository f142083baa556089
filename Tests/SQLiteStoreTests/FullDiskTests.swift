import Foundation
import Ledger
import Platform
import SQLiteStore
import Store
import StoreTestSupport
import TestSupport
import Testing

/// A file system of its own with so little room that it can be filled. Needs the right to mount.
private final class SmallDisk {
    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    let folder: TemporaryFolder
    private let ballast: String

    init(megabytes: Int) throws {
        folder = try TemporaryFolder()
        ballast = folder.file("ballast")
        guard try Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", folder.path)
        else {
            throw Refused(
                description: "cannot mount a tmpfs on \(folder.path): run this test as root, in a "
                    + "container with CAP_SYS_ADMIN")
        }
    }

    deinit {
        do {
            if try !Self.run("umount", folder.path) { print("cannot unmount \(folder.path)") }
        } catch { print("cannot unmount \(folder.path): \(error)") }
    }

    private static func run(_ arguments: String...) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Takes all the room that is left.
    func fill() throws {
        try Data().write(to: URL(fileURLWithPath: ballast))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: ballast))
        for size in [65_536, 4096] {
            do {
                while true { try file.write(contentsOf: Data(count: size)) }
            } catch { continue }
        }
        try file.close()
    }

    func makeRoom() throws { try FileManager.default.removeItem(atPath: ballast) }
}

extension DatabaseTests {
    @Suite("SQLite on a full disk")
    struct FullDiskTests {
        private func pay(_ number: Int) -> Command {
            .transfer(
                transfer(customer(1), key(number), intent(from: iban(1), to: iban(2), "1.00")))
        }

        @Test(
            "A full disk makes the store unavailable, nothing of the batch stays, and it goes on"
        )
        func full() throws {
            let disk = try SmallDisk(megabytes: 4)
            let path = disk.folder.file("bank.db")
            let clock = ManualClock()
            _ = try Migrator.migrate(path: path, create: true, clock: clock)
            let store = SQLiteStore(
                path: path, environment: SQLiteBank.environment(seed: 1, clock: clock))
            var writer = try store.makeWriter()
            _ = try writer.commit([
                open(1, of: 1, euros(cents: 1_000_000)), open(2, of: 2, euros(cents: 0)),
            ])
            try disk.fill()
            var committed: [Int] = []
            var failure: StoreError?
            for number in 1...10_000 {
                do throws(StoreError) {
                    _ = try writer.commit([pay(number)])
                    committed.append(number)
                } catch {
                    failure = error
                    break
                }
            }
            // It is the commit that writes, and a commit that failed is unknown until asked for.
            guard case .unknownOutcome? = failure else {
                Issue.record("not an unknown outcome: \(String(describing: failure))")
                return
            }
            #expect(failure?.description.contains("disk is full") == true)
            // Readers go on.
            let reader = try store.makeReader()
            let lost = committed.count + 1
            #expect(
                try reader.transfer(of: IntentID(customer: customer(1), key: key(lost))) == nil)
            #expect(
                try reader.account(account(1), of: customer(1))?.balance
                    == Int64(1_000_000 - 100 * committed.count))

            // Again with a fresh connection, as the queue does it, while there is still no room.
            writer = try store.makeWriter()
            #expect(throws: StoreError.self) { try writer.commit([pay(lost)]) }

            try disk.makeRoom()
            writer = try store.makeWriter()
            for number in [lost, lost + 1] {
                guard case .outcome(_, replayed: false)? = try writer.commit([pay(number)]).first
                else {
                    Issue.record("payment \(number) did not execute")
                    continue
                }
            }
            #expect(try Verifier.verify(path: path, structure: true).damages == [])
        }
    }
}
