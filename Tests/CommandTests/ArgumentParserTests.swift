import Testing

@testable import Configuration

@Suite struct ArgumentParserTests {
    static let names = CommandTable.all.map(\.name)

    static func invocation(_ line: String) throws -> Invocation {
        let words = line.split(separator: " ").map(String.init)
        guard case .run(let invocation) = try ArgumentParser.parse(words) else {
            throw UsageError("\(line) runs nothing")
        }
        return invocation
    }

    @Test("Flags are taken in either form and any order")
    func flags() throws {
        let invocation = try Self.invocation("demo --json --port=0 --database /tmp/x.db")
        #expect(invocation.command.name == "demo")
        #expect(invocation.has("json"))
        #expect(try invocation.integer("port", in: 0...65535) == 0)
        #expect(invocation["database"] == "/tmp/x.db")
        #expect(invocation["operations-port"] == nil)
    }

    @Test("A command of two words takes an argument beside its flags")
    func argument() throws {
        let invocation = try Self.invocation("account show --database x 0193a5c4 --json")
        #expect(invocation.command.name == "account show")
        #expect(invocation.argument == "0193a5c4")
        #expect(
            try Self.invocation("token --database x --customer a --expires-in -5")["expires-in"]
                == "-5")
    }

    @Test(
        "A wrong command line is told what to type",
        arguments: [
            ("", "transferd demo"),
            ("--port 1", "Name a command"),
            ("dmeo", "`transferd demo`"),
            ("verfy --database x", "`transferd verify`"),
            ("account", "open, list, show, freeze, unfreeze, limits, close"),
            ("customer", "list, restrict, revoke, release"),
            ("revocation", "add, remove, list"),
            ("customer revoke --database x", "--customer ID"),
            ("account open --database x --customer a --iban b", "--currency CODE"),
            ("backup --database x", "--to FILE"),
            ("restore --to x", "--from FILE"),
            ("account melt --database x", "`transferd account"),
            ("demo --prot 1", "--port"),
            ("demo --databse x", "--database"),
            ("demo --port", "--port needs N"),
            ("demo --port --json", "--port needs N"),
            ("demo --port= --json", "--port needs N"),
            ("demo --json=yes", "takes no value"),
            ("demo --json --json", "stands twice"),
            ("demo now", "does not take \"now\""),
            ("serve", "--config FILE"),
            ("migrate", "--database FILE"),
            ("token --database x", "--customer ID"),
            ("account show --database x a b", "does not take \"b\""),
            ("help nothing", "There is no command"),
        ])
    func wrong(line: String, advice: String) {
        let words = line.split(separator: " ").map(String.init)
        let error = #expect(throws: UsageError.self) { try ArgumentParser.parse(words) }
        #expect(error?.description.contains(advice) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("transferd help") == true)
    }

    @Test("A number out of range is told the range", arguments: ["65536", "-1", "x", "1.5"])
    func numbers(text: String) throws {
        let invocation = try Self.invocation("demo --port \(text)")
        let error = #expect(throws: UsageError.self) {
            try invocation.integer("port", in: 0...65535)
        }
        #expect(error?.description.contains("0 to 65535") == true)
    }

    @Test(
        "Every command's help names every flag, its value, codes and an example", arguments: names)
    func help(name: String) throws {
        let command = try #require(CommandTable.command(name))
        let words = name.split(separator: " ").map(String.init)
        for line in [words + ["--help"], words + ["-h"], ["help"] + words] {
            // `help --help` is the page of help, `help help` too.
            guard case .help(let page) = try ArgumentParser.parse(line) else {
                Issue.record("no help for \(line)")
                continue
            }
            #expect(page.split(separator: "\n").allSatisfy { $0.count <= 100 })
            // However its lines are broken.
            let words = page.split(whereSeparator: { $0 == " " || $0 == "\n" })
                .joined(separator: " ")
            for flag in command.flags {
                let text = "--" + flag.name + (flag.value.map { " " + $0 } ?? "")
                #expect(page.contains(text))
                #expect(words.contains(flag.doc))
            }
            #expect(page.contains("--help"))
            #expect(page.contains(command.example))
            for code in [.success, .usage] + command.exitCodes {
                #expect(page.contains("\(code.rawValue)"))
                #expect(words.contains(code.meaning))
            }
        }
    }

    @Test("Every flag is accepted by its command", arguments: names)
    func accepts(name: String) throws {
        let command = try #require(CommandTable.command(name))
        guard name != "help" else { return }
        var line = name
        for flag in command.flags {
            line += " --\(flag.name)" + (flag.value == nil ? "" : " 1")
        }
        let invocation = try Self.invocation(line)
        for flag in command.flags { #expect(invocation.has(flag.name)) }
    }

    @Test("The overview names every command")
    func overview() throws {
        for line in [["help"], ["--help"], ["-h"]] {
            guard case .help(let page) = try ArgumentParser.parse(line) else {
                Issue.record("no overview for \(line)")
                continue
            }
            for name in Self.names { #expect(page.contains(name)) }
        }
        guard case .help(let group) = try ArgumentParser.parse(["account", "--help"]) else {
            Issue.record("no help for the group")
            return
        }
        for verb in ["list", "show", "freeze", "unfreeze"] { #expect(group.contains(verb)) }
    }

    @Test(
        "The nearest name is the one with the fewest slips",
        arguments: [
            ("dmeo", "demo"), ("SERVE", "serve"), ("verifi", "verify"), ("tokn", "token"),
        ])
    func nearest(name: String, expected: String) {
        #expect(nearestName(to: name, among: Self.names) == expected)
        #expect(nearestName(to: name, among: []) == nil)
    }
}
