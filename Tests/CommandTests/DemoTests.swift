import Foundation
import Glibc
import TestSupport
import Testing

extension DatabaseTests {
    @Suite(.serialized, .timeLimit(.minutes(5)))
    struct DemoTests {
        let folder: Folder
        let database: String

        init() throws {
            folder = try Folder()
            database = folder.file("demo.db")
        }

        @Test("demo --json prints one line whose tokens, accounts and URLs work")
        func json() throws {
            let demo = try DemoServer(database: database)
            #expect(demo.ready.customers.map(\.customer) == ["alice", "bob", "carol"])
            #expect(demo.ready.customers[0].accounts.map(\.currency) == ["EUR", "JPY"])
            #expect(demo.ready.customers[0].accounts.map(\.balance) == ["10000.00", "500000"])
            #expect(demo.ready.customers[2].accounts.map(\.balance) == ["1000.000"])
            for customer in demo.ready.customers {
                let answer = try demo.request("GET /api/accounts", token: customer.token)
                #expect(answer.status == 200)
                for account in customer.accounts {
                    #expect(answer.body.contains(account.accountId))
                    #expect(answer.body.contains(account.iban))
                }
            }
            let ending = try Program.run("healthcheck", "--url", demo.ready.operationsUrl)
            #expect(ending.status == 0)
            let stopped = demo.stop()
            #expect(stopped.status == 0)
            #expect(stopped.out.isEmpty)
        }

        @Test("The curl lines that demo prints answer as it says they do")
        func curlLines() throws {
            let program = try Program(["demo", "--port", "0", "--database", database])
            var labels: [String] = []
            var script: [String] = []
            var label = ""
            let mark = "@@@"
            while let line = program.line(), !line.hasPrefix("Also") {
                if line.hasPrefix("# ") { label = line }
                if line.contains("='") { script.append(line) }
                if line.hasPrefix("curl ") {
                    #expect(line.count < 480)
                    script += [line + " -s", "printf '\(mark)'"]
                    labels.append(label)
                }
            }
            #expect(script.prefix { $0.contains("='") }.count == 3)
            // One shell, as a person has one.
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-uc", script.joined(separator: "\n")]
            let out = Pipe()
            process.standardOutput = out
            try process.run()
            let data = out.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            let answers = String(decoding: data, as: UTF8.self)
                .components(separatedBy: mark).dropLast().map { $0 }
            try #require(answers.count == 8)
            let statuses = answers.map { $0.dropFirst(9).prefix(3) }
            #expect(statuses == ["201", "201", "422", "402", "402", "200", "200", "200"])
            let bodies = answers.map { $0.components(separatedBy: "\r\n\r\n").last ?? "" }
            #expect(bodies[0] == bodies[1])
            #expect(answers[1].contains("Idempotent-Replayed: true"))
            for (index, code) in [
                2: "idempotency_key_reused", 3: "insufficient_funds", 4: "beneficiary_blocked",
            ] {
                #expect(labels[index].contains(code))
                #expect(bodies[index].contains("\"code\":\"\(code)\""))
            }
            program.signal(SIGINT)
            #expect(program.wait().status == 0)
        }

        @Test("The same file started again is the same bank, with the same answers")
        func restart() throws {
            let key = UUID().uuidString
            let demo = try DemoServer(database: database)
            let first = try demo.transfer(key: key)
            #expect(first.status == 201)
            let token = demo.token("alice")
            // With a reader open, which does not take the log away when it is closed last.
            #expect(try demo.request("GET /api/accounts", token: token).status == 200)
            #expect(demo.stop().status == 0)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                    == ["demo.db", "demo.db.lock"])

            let again = try DemoServer(database: database)
            let accounts = again.ready.customers[0].accounts
            #expect(accounts.map(\.accountId) == demo.ready.customers[0].accounts.map(\.accountId))
            #expect(accounts[0].balance == "9950.00")
            // The token of before the restart still works: the issuer is kept in the file.
            let replay = try again.transfer(key: key, token: token)
            #expect(replay.status == 201)
            #expect(replay.head.contains("Idempotent-Replayed: true"))
            #expect(replay.body == first.body)
        }

        @Test("A cursor of before a restart goes on after it")
        func cursor() throws {
            let demo = try DemoServer(database: database)
            for _ in 0..<3 { #expect(try demo.transfer(key: UUID().uuidString).status == 201) }
            let token = demo.token("alice")
            func page(_ demo: DemoServer, _ query: String) throws -> (ids: [String], next: String?)
            {
                let answer = try demo.request("GET /api/transfers?limit=1\(query)", token: token)
                #expect(answer.status == 200, "\(answer.body)")
                let object = try #require(
                    JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
                let rows = object["transfers"] as? [[String: Any]] ?? []
                return (
                    rows.compactMap { $0["transferId"] as? String }, object["cursor"] as? String
                )
            }
            let first = try page(demo, "")
            let cursor = try #require(first.next)
            let second = try page(demo, "&cursor=\(cursor)")
            #expect(demo.stop().status == 0)
            let again = try DemoServer(database: database)
            let repeated = try page(again, "&cursor=\(cursor)")
            #expect(repeated.ids == second.ids)
            #expect(repeated.ids.count == 1 && repeated.ids != first.ids)
        }

        @Test("After kill -9 the answer that was given is given again, byte for byte")
        func killed() throws {
            let key = UUID().uuidString
            let demo = try DemoServer(database: database)
            let first = try demo.transfer(key: key)
            demo.program.signal(SIGKILL)
            #expect(demo.program.wait().status == 128 + SIGKILL)

            let again = try DemoServer(database: database)
            #expect(try again.transfer(key: key).body == first.body)
            #expect(try Program.run("verify", "--database", database).status == 0)
        }

        @Test("A second demo on the same file is refused and told who has it")
        func secondServer() throws {
            let demo = try DemoServer(database: database)
            let ending = try Program.run("demo", "--port", "0", "--database", database)
            #expect(ending.status == 69)
            #expect(ending.err.contains("process \(demo.program.process)"))
            #expect(ending.err.contains("--database"))
            #expect(ending.out.isEmpty)
        }

        @Test("A port in use is refused and told how to choose another")
        func portInUse() throws {
            let demo = try DemoServer(database: database)
            let api = try Program.run(
                "demo", "--port", "\(demo.port)", "--database", folder.file("other.db"))
            #expect(api.status == 69)
            #expect(api.err.contains("Port \(demo.port) is in use"))
            #expect(api.err.contains("--port"))
            let operations = try Program.run(
                "demo", "--port", "0", "--operations-port", "\(demo.port)", "--database",
                folder.file("other.db"))
            #expect(operations.status == 69)
            #expect(operations.err.contains("--operations-port"))
            // Nothing was made for a bank that cannot be reached.
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(files.filter { $0.hasPrefix("other") }.isEmpty)
        }

        @Test("What demo prints to paste runs in a shell, whatever the file is called")
        func quoted() throws {
            let file = folder.file("Alice's bank $(false).db")
            let program = try Program(["demo", "--port", "0", "--database", file])
            var command: String?
            while command == nil, let line = program.line() {
                if line.contains(" token --database ") { command = line }
            }
            let shell = Process()
            let out = Pipe()
            shell.executableURL = URL(filePath: "/bin/sh")
            shell.arguments = ["-c", try #require(command)]
            shell.standardOutput = out
            try shell.run()
            let token = String(
                decoding: out.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            shell.waitUntilExit()
            #expect(shell.terminationStatus == 0)
            #expect(token.split(separator: ".").count == 3)
            program.signal(SIGTERM)
            #expect(program.wait().status == 0)
        }

        @Test("A real bank's file is not made a demo's")
        func otherBank() throws {
            let demo = try DemoServer(database: database)
            #expect(demo.stop().status == 0)
            try execute("DELETE FROM settings", database)
            let ending = try Program.run("demo", "--port", "0", "--database", database)
            #expect(ending.status == 65)
            #expect(ending.err.contains("not the demo's"))
        }
    }
}
