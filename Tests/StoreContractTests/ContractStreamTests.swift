import Ledger
import Platform
import Store
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests {
    @Suite("Store contract: random commands")
    struct ContractStreamTests {
        private static let segments = 6
        private static let commandsPerSegment = 25

        @Test(
            "Random commands are decided as by a naive bank, and any batches leave the same rows",
            arguments: StoreKind.all, Array(1...UInt64(6)))
        func stream(kind: StoreKind, seed: UInt64) throws {
            let profile = CommandStream.Profile.allCases[Int(seed % 2)]
            var stream = CommandStream(seed: seed, profile)
            let banks = try (0..<3).map { _ in
                let bank = try ContractBank(kind, seed: seed, policy: stream.policy)
                try bank.under.restrict(customer(3))
                try bank.under.block(iban(901))
                return bank
            }
            var now = ManualClock.noon
            for number in 0..<Self.segments {
                now = stream.next(after: now)
                let segment = stream.segment(
                    Self.commandsPerSegment, day: UTCDays().day(of: now).number,
                    pending: try banks[0].reader.pendingBookings(after: 0, limit: 1000))
                let commands = segment.map(\.command)
                for (bank, size) in zip(banks, [commands.count, 1, number + 2]) {
                    bank.under.clock.set(now)
                    let results = try commit(commands, to: bank, size)
                    for (index, result) in results.enumerated() {
                        let (command, verdict) = segment[index]
                        #expect(
                            Verdict(result) == verdict.stored,
                            "command \(index) of segment \(number) in batches of \(size): \(command)"
                        )
                    }
                    if size == commands.count { learn(commands, results, &stream) }
                }
                let rows = try banks.map { try Self.comparable($0.under.dump()) }
                for table in rows[0].keys {
                    #expect(rows[1][table] == rows[0][table], "\(table), one at a time")
                    #expect(rows[2][table] == rows[0][table], "\(table), in pieces")
                }
            }
            for bank in banks { try bank.expectSound() }
        }

        private func commit(
            _ commands: [Command], to bank: ContractBank, _ size: Int
        ) throws -> [CommandResult] {
            // Outbox ids are the store's own: they may differ with the batches.
            let ids = Dictionary(
                uniqueKeysWithValues: try bank.reader.pendingBookings(after: 0, limit: 1000)
                    .map { ($0.transfer, $0.outboxID) })
            let own = commands.map { command -> Command in
                guard case .conclude(let old) = command, let id = ids[old.transfer] else {
                    return command
                }
                return .conclude(
                    ConcludeCommand(
                        payer: old.payer, transfer: old.transfer, outboxID: id,
                        decision: old.decision))
            }
            return try stride(from: 0, to: own.count, by: size).flatMap {
                try bank.writer.commit(Array(own[$0..<min($0 + size, own.count)]))
            }
        }

        private func learn(
            _ commands: [Command], _ results: [CommandResult], _ stream: inout CommandStream
        ) {
            for (command, result) in zip(commands, results) {
                if case .transfer(let command) = command,
                    case .outcome(let outcome, false) = result,
                    outcome.kind == .executed, let id = outcome.transfer
                {
                    stream.learn(id, command.id)
                }
            }
        }

        private static func comparable(
            _ dump: [String: [[String]]]
        ) -> [String: [[String]]] {
            var dump = dump
            dump["outbox"] = dump["outbox"]?.map { Array($0.dropFirst()) }
                .sorted { $0.lexicographicallyPrecedes($1) }
            return dump
        }
    }
}

extension Verdict {
    /// What the store answered, as far as its result says it.
    init(_ result: CommandResult) {
        switch result {
        case .outcome(_, replayed: true): self = .repeated
        case .outcome(let outcome, replayed: false):
            // As the echo renderer wrote it.
            let words = String(decoding: outcome.body, as: UTF8.self).split(separator: " ")
            if outcome.kind == .revoked {
                self = .revoked
            } else if outcome.kind == .executed {
                self = .executed(balance: Self.minorUnits(words[2], words[3]))
            } else {
                let reason = RejectionReason.allCases.first { $0.code == words[0] }
                self = reason.map { .rejected($0, balance: nil) } ?? .unknown
            }
        case .reused(_, _, let differs): self = .reused(differs)
        case .invalid: self = .invalid
        case .decided(let decision): self = Verdict(decision)
        case .failed, .retired: self = .unknown
        }
    }

    /// Without what a stored refusal does not tell.
    var stored: Verdict {
        if case .rejected(let reason, _) = self { .rejected(reason, balance: nil) } else { self }
    }

    private static func minorUnits(_ text: Substring, _ code: Substring) -> Int64 {
        Int64(text.filter { $0 != "." }) ?? -1
    }
}
