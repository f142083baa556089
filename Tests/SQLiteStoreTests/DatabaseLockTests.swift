import Glibc
import Platform
import SQLiteStore
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests {
    @Suite("The lock of a served database")
    struct DatabaseLockTests {
        private let folder: TemporaryFolder
        private var path: String { folder.file("bank.db") }

        init() throws { folder = try TemporaryFolder() }

        @Test("A second holder is refused and told who the first one is")
        func second() throws {
            let first = try DatabaseLock(databasePath: path, role: "serve on port 8080")
            let refusal = #expect(throws: DatabaseLock.Held.self) {
                try DatabaseLock(databasePath: path, role: "demo")
            }
            #expect(refusal?.holder == "serve on port 8080, process \(getpid())")
            #expect(refusal?.path == path)
            withExtendedLifetime(first) {}
        }

        @Test("It is free again when its holder has gone, and the next one's name stands alone")
        func freed() throws {
            do {
                let first = try DatabaseLock(databasePath: path, role: "a very long name of a role")
                withExtendedLifetime(first) {}
            }
            let second = try DatabaseLock(databasePath: path, role: "demo")
            let refusal = #expect(throws: DatabaseLock.Held.self) {
                try DatabaseLock(databasePath: path, role: "serve")
            }
            #expect(refusal?.holder == "demo, process \(getpid())")
            withExtendedLifetime(second) {}
        }

        @Test("A second name of the file does not get around the lock, and hard links are refused")
        func otherNames() throws {
            try RawDatabase(path).run("CREATE TABLE t (x)")
            let first = try DatabaseLock(databasePath: path, role: "serve")
            let link = folder.file("other.db")
            #expect(symlink(path, link) == 0)
            let refusal = #expect(throws: DatabaseLock.Held.self) {
                try DatabaseLock(databasePath: link, role: "demo")
            }
            #expect(refusal?.holder == "serve, process \(getpid())")
            #expect(access(link + ".lock", F_OK) != 0)
            let hard = folder.file("hard.db")
            #expect(Glibc.link(path, hard) == 0)
            for name in [path, hard] {
                #expect(throws: (any Error).self) {
                    try DatabaseLock(databasePath: name, role: "demo")
                }
            }
            withExtendedLifetime(first) {}
        }

        @Test("A refused attempt does not take the name away")
        func refusedTwice() throws {
            let first = try DatabaseLock(databasePath: path, role: "serve")
            for _ in 0..<2 {
                let refusal = #expect(throws: DatabaseLock.Held.self) {
                    try DatabaseLock(databasePath: path, role: "demo")
                }
                #expect(refusal?.holder.hasPrefix("serve") == true)
            }
            withExtendedLifetime(first) {}
        }

        @Test("Two databases have two locks")
        func two() throws {
            let first = try DatabaseLock(databasePath: path, role: "serve")
            let other = try DatabaseLock(databasePath: folder.file("other.db"), role: "serve")
            withExtendedLifetime((first, other)) {}
        }

        @Test("A file that cannot be made is an error of the system")
        func noFolder() {
            #expect(throws: SystemError.self) {
                try DatabaseLock(databasePath: folder.file("nowhere/bank.db"), role: "serve")
            }
        }
    }
}
