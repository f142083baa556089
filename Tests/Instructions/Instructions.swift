import CValgrind
import Ledger
import Platform
import SQLiteStore
import Store

/// The road of a request, walked a fixed number of times with fixed clocks and fixed random bytes, so
/// that callgrind can count its instructions: the same count each time, on a busy machine too.
///
/// `Instructions FOLDER` makes its database in FOLDER, which is empty, and prints a line for each
/// section: its name and how many requests it is about. Counted is what the server's threads do, and
/// not the client, which is this program's first thread. Any wrong answer ends it with 1.
/// `.ci/instructions` runs it and reads what callgrind wrote.
@main
enum Instructions {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else { fail("usage: Instructions FOLDER") }
        cv_toggle()
        let bank = try BankOfInstructions(folder: CommandLine.arguments[1])
        bank.start()
        try walk(try bank.serve(outcomeCache: true), bank)
        try walkPastCache(try bank.serve(outcomeCache: false), bank)
        bank.stop()
        try commit(bank)
    }

    /// How often each section walks.
    private static let (fresh, replays, lookUps, fixed) = (400, 1000, 500, 1000)
    private static let storedReplays = 300

    /// The event loop, and what it hands to the other threads, over a connection.
    private static func walk(_ server: Server, _ bank: BankOfInstructions) throws {
        let client = try server.connect()
        let (requests, cold) = (bank.requests, bank.requests.customers)
        // Verifies each customer's token once, and prepares the statements.
        for number in 0..<cold { client.expect(201, requests.post(number)) }
        client.expect(200, requests.lookUp(0))
        client.expect(404, Requests.unknownPath)

        var bodies: [[UInt8]] = []
        measure("fresh", fresh) { number in
            let answer = client.expect(201, requests.post(cold + number))
            if answer.isReplay { fail("a new key got a replay") }
            bodies.append(answer.body)
        }
        measure("replay", replays) { number in
            let answer = client.expect(201, requests.post(cold + number % fresh))
            if !answer.isReplay { fail("a stored key got no replay") }
            if answer.body != bodies[number % fresh] { fail("a replay has other bytes") }
        }
        measure("by-key", lookUps) { number in
            client.expect(200, requests.lookUp(cold + number % fresh))
        }
        measure("fixed", fixed) { _ in client.expect(404, Requests.unknownPath) }
        client.close()
        server.stop()
    }

    /// The same answers from the database.
    private static func walkPastCache(_ server: Server, _ bank: BankOfInstructions) throws {
        let client = try server.connect()
        for number in 0..<bank.requests.customers {
            client.expect(201, bank.requests.post(number))
        }
        measure("replay-from-store", storedReplays) { number in
            let answer = client.expect(201, bank.requests.post(number))
            if !answer.isReplay { fail("a stored key got no replay") }
        }
        client.close()
        server.stop()
    }

    /// The writer alone, in batches as a loaded server makes them.
    private static func commit(_ bank: BankOfInstructions) throws {
        let writer = try bank.store.makeWriter()
        var next = 10_000
        for (size, count) in [(1, 300), (64, 20)] {
            let batches = try (0...count).map { batch in
                try (0..<size).map { try bank.requests.command(next + batch * size + $0) }
            }
            next += size * (count + 1)
            try expectExecuted(try writer.commit(batches[count]))
            var results: [CommandResult] = []
            results.reserveCapacity(size * count)
            cv_forget()
            cv_toggle()
            for batch in batches[..<count] { results += try writer.commit(batch) }
            cv_toggle()
            tell("commit-\(size)", size * count)
            try expectExecuted(results)
        }
    }

    private static func expectExecuted(_ results: [CommandResult]) throws {
        for result in results {
            guard case .outcome(let outcome, replayed: false) = result, outcome.kind == .executed
            else { fail("a transfer was not executed: \(result)") }
        }
    }

    private static func measure(
        _ name: String, _ count: Int, _ body: (Int) -> Void
    ) {
        cv_forget()
        for number in 0..<count { body(number) }
        tell(name, count)
    }

    private static func tell(_ name: String, _ count: Int) {
        cv_write(name)
        print(name, count)
    }
}
