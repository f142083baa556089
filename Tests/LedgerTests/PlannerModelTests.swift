import Ledger
import Platform
import StoreTestSupport
import Testing

@Suite("Planner against a naive bank")
struct PlannerModelTests {
    private static let segments = 10
    private static let commandsPerSegment = 16

    /// One planner's run over a world: the same ids in the same order, however it is cut.
    private struct Run {
        var world = World()
        private var ids = UUIDv7Generator(random: SeededRandomBytes(seed: 0))
        private let policy: TransferPolicy

        init(_ stream: CommandStream) {
            policy = stream.policy
            for number in 1...3 {
                let id = customer(number)
                world.customers[id] = CustomerRow(
                    restricted: stream.bank.restricted.contains(id.text))
            }
            world.blocked = [iban(901)]
        }

        /// The same rows with the random numbers of `seed` to come.
        func forked(seed: UInt64) -> Run {
            var fork = self
            fork.ids = UUIDv7Generator(random: SeededRandomBytes(seed: seed))
            return fork
        }

        /// A store may keep the planner's rows for the next batch: they must be what it would load.
        private func expectKept(_ rows: LoadedRows) {
            let loaded = world.loaded()
            #expect(rows.customers == loaded.customers)
            #expect(rows.sequences == loaded.sequences)
            #expect(rows.directory == loaded.directory)
            #expect(rows.accounts == loaded.accounts)
            #expect(rows.nextPosting == loaded.nextPosting)
        }

        mutating func commit(_ commands: some Sequence<Command>, _ now: Instant) -> [Decision] {
            let commands = Array(commands)
            var rows = world.loaded()
            let plan = Planner.plan(
                commands, rows: &rows, policy: policy, now: now,
                today: UTCDays().day(of: now), ids: &ids)
            world.apply(plan, commands)
            expectKept(rows)
            return plan.decisions
        }
    }

    @Test(
        "Random commands are decided as by a naive bank, and cut at every point give the same rows",
        arguments: CommandStream.Profile.allCases, Array(1...UInt64(8)))
    func model(profile: CommandStream.Profile, seed: UInt64) {
        var stream = CommandStream(seed: seed, profile)
        var run = Run(stream)
        var now = ManualClock.noon
        for number in 0..<Self.segments {
            let fork = seed * 1000 + UInt64(number)
            now = stream.next(after: now)
            let segment = stream.segment(
                Self.commandsPerSegment, day: UTCDays().day(of: now).number,
                pending: run.world.pending)
            let commands = segment.map(\.command)
            let expected = segment.map(\.verdict)
            let before = run
            run = before.forked(seed: fork)

            let decisions = run.commit(commands, now)
            #expect(decisions.map(Verdict.init) == expected)
            for (command, decision) in zip(commands, decisions) {
                learn(command, decision, &stream)
            }
            compare(run.world, stream.bank)

            for cut in 1..<commands.count {
                var halves = before.forked(seed: fork)
                let parts =
                    halves.commit(commands[..<cut], now) + halves.commit(commands[cut...], now)
                #expect(parts.map(Verdict.init) == expected)
                #expect(halves.world.differences(from: run.world) == [], "cut at \(cut)")
            }
            var singles = before.forked(seed: fork)
            #expect(commands.flatMap { singles.commit([$0], now).map(Verdict.init) } == expected)
            #expect(singles.world.differences(from: run.world) == [], "one at a time")
        }
    }

    @Test("Random commands meet every rule and every reason for a return")
    func coverage() {
        var verdicts: Set<Verdict> = []
        for profile in CommandStream.Profile.allCases {
            for seed in 1...UInt64(40) {
                var stream = CommandStream(seed: seed, profile)
                var run = Run(stream).forked(seed: seed)
                var now = ManualClock.noon
                for _ in 0..<Self.segments {
                    now = stream.next(after: now)
                    let segment = stream.segment(
                        Self.commandsPerSegment, day: UTCDays().day(of: now).number,
                        pending: run.world.pending)
                    let decisions = run.commit(segment.map(\.command), now)
                    for (step, decision) in zip(segment, decisions) {
                        #expect(Verdict(decision) == step.verdict)
                        verdicts.insert(step.verdict)
                        learn(step.command, decision, &stream)
                    }
                }
            }
        }
        let rejections = verdicts.compactMap { verdict in
            if case .rejected(let reason, _) = verdict { reason } else { nil }
        }
        #expect(Set(rejections) == Set(RejectionReason.allCases))
        let returns = verdicts.compactMap { verdict in
            if case .credit(.refused(let reason)) = verdict { reason } else { nil }
        }
        // Settlement only finds accounts that are there.
        #expect(Set(returns) == Set(ReturnReason.allCases).subtracting([.payeeAccountNotFound]))
        #expect(
            verdicts.isSuperset(of: [
                .repeated, .invalid, .reused([.amount]), .credit(.credited), .concluded(.settled),
                .concluded(.returned), .statusSet, .limitsSet, .closed, .notEmpty,
                .awaits,
            ]))
    }

    private func learn(_ command: Command, _ decision: Decision, _ stream: inout CommandStream) {
        guard case .transfer(let command) = command else { return }
        switch decision {
        case .executed(let row, _): stream.learn(row.id, command.id)
        case .rejected, .known, .reused, .invalid: break
        default: Issue.record("a transfer was decided as \(decision)")
        }
    }

    private func compare(_ world: World, _ bank: NaiveBank) {
        for row in world.accounts.values {
            let account = bank.accounts[row.iban.text]
            #expect(account?.owner == row.customer.text)
            #expect(account?.balance == Int128(row.balance))
            #expect(account?.status == row.status.name)
            #expect(account?.perTransfer == row.perTransferLimit.map { Int128($0) })
            #expect(account?.daily == row.dailyLimit.map { Int128($0) })
            #expect(account?.day == row.usageDay)
            #expect(account?.used == Int128(row.usedToday))
        }
        #expect(world.accounts.count == bank.accounts.count)
        #expect(world.outbox.count == bank.pendingCount)
        for (name, count) in bank.eventCounts {
            let sequences = world.events.filter { $0.customer.text == name }.map(\.sequence)
            #expect(sequences == Array(1...count))
        }
        var totals: [String: Int128] = [:]
        var transit: [String: Int128] = [:]
        for posting in world.postings {
            totals[posting.currency.description, default: 0] += Int128(posting.amount)
            if posting.ledgerAccount == .inTransit {
                transit[posting.currency.description, default: 0] += Int128(posting.amount)
            }
        }
        #expect(totals.values.allSatisfy { $0 == 0 })
        #expect(transit.filter { $0.value != 0 } == bank.inTransit.filter { $0.value != 0 })
        for row in world.transfers.values where row.state != .rejected {
            #expect(bank.state(of: row.id) == row.state.publicName)
        }
    }
}
