import Ledger
import Platform
import PostgresStore
import Store
import StoreTestSupport
import TestSupport
import Testing

extension DatabaseTests {
    @Suite("Failures on PostgreSQL", .timeLimit(.minutes(2)))
    struct PostgresFailureTests {
        private func pay(_ payer: Int, _ number: Int, _ value: String = "1.00") -> Command {
            .transfer(
                transfer(
                    customer(payer), key(number), intent(from: iban(payer), to: iban(900), value)))
        }

        private func bank(_ accounts: Int = 3) throws -> PostgresBank {
            let bank = try PostgresBank()
            _ = try bank.store.makeWriter().commit(
                (1...accounts).map { open($0, of: $0, euros(cents: 100_000)) })
            return bank
        }

        private func statuses(_ results: [CommandResult]) -> [String] {
            results.map { result in
                switch result {
                case .outcome(let outcome, let replayed):
                    "\(outcome.statusCode)\(replayed ? " replayed" : "")"
                case .failed(let failure): "\(failure)"
                default: "\(result)"
                }
            }
        }

        /// Ends every other session of the database.
        private func killSessions(_ bank: PostgresBank) throws {
            try bank.raw().run(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
        }

        @Test("Only those wait whose customer another process holds; the others are served")
        func busyCustomer() throws {
            let bank = try bank()
            let writer = try bank.store.makeWriter()
            let raw = try bank.raw()
            try raw.run(
                """
                BEGIN; SELECT FROM transferd.customers WHERE customer_id = 'customer-2'
                FOR NO KEY UPDATE
                """)
            let results = try writer.commit([pay(1, 1), pay(2, 1), pay(3, 1)])
            #expect(statuses(results) == ["201", "customerBusy", "201"])
            #expect(statuses(try writer.commit([pay(2, 1)])) == ["customerBusy"])
            try raw.run("ROLLBACK")
            #expect(
                statuses(try writer.commit([pay(2, 1), pay(1, 1)])) == ["201", "201 replayed"])
        }

        @Test(
            "A key that another process holds is told in flight; a stored one replays all the same")
        func keyInFlight() throws {
            let bank = try bank()
            let writer = try bank.store.makeWriter()
            _ = try writer.commit([pay(1, 1)])
            let inside = Guarded<[String]>([])
            let peeping = PeepingRenderer {
                // While this transaction has the key of number 2, and no lock on number 1's.
                let found = OnThread { () -> [String] in
                    do {
                        let other = try bank.another(seed: 7, clock: bank.clock).makeWriter()
                        return statuses(try other.commit([pay(1, 2), pay(1, 1)]))
                    } catch { return ["\(error)"] }
                }
                inside.withLock { $0 = found.value() }
            }
            let first = try bank.another(seed: 5, clock: bank.clock) { $0.renderer = peeping }
                .makeWriter()
            #expect(statuses(try first.commit([pay(1, 2)])) == ["201"])
            #expect(inside.withLock { $0 } == ["inFlightElsewhere", "201 replayed"])
        }

        private final class PeepingRenderer: OutcomeRenderer {
            let peep: @Sendable () -> Void
            init(_ peep: @escaping @Sendable () -> Void) { self.peep = peep }

            func render(
                _ decision: StorableDecision, of intent: IntentID, requestID: String,
                at now: Instant
            ) -> RenderedOutcome {
                peep()
                return EchoRenderer().render(
                    decision, of: intent, requestID: requestID, at: now)
            }
        }

        @Test("Without advisory locks two processes' attempts at one key debit once (Scenario 4)")
        func withoutAdvisoryLocks() throws {
            let bank = try bank()
            for number in 1...10 {
                let start = Gate()
                let threads = try (0..<4).map { index in
                    let store = bank.another(seed: UInt64(number * 10 + index), clock: bank.clock) {
                        $0.usesAdvisoryLocks = false
                    }
                    let writer = UncheckedWriter(try store.makeWriter())
                    return OnThread { () -> [String] in
                        start.wait()
                        do {
                            while true {
                                let told = statuses(try writer.writer.commit([pay(1, number)]))
                                if told != ["customerBusy"] { return told }
                            }
                        } catch { return ["\(error)"] }
                    }
                }
                start.open()
                let told = threads.flatMap { $0.value() }.sorted()
                #expect(told == ["201"] + Array(repeating: "201 replayed", count: 3))
            }
            let reader = try bank.store.makeReader()
            #expect(try reader.account(account(1), of: customer(1))?.balance == 99_000)
        }

        /// Made on one thread, used on one other.
        private struct UncheckedWriter: @unchecked Sendable {
            // Sendable: handed over before its first use.
            let writer: any StoreWriter
            init(_ writer: any StoreWriter) { self.writer = writer }
        }

        @Test("A session that is killed between two batches is replaced; nobody is told")
        func killedBetween() throws {
            let bank = try bank()
            let writer = try bank.store.makeWriter()
            let reader = try bank.store.makeReader()
            #expect(statuses(try writer.commit([pay(1, 1)])) == ["201"])
            #expect(try reader.accounts(of: customer(1)).map(\.balance) == [99_900])
            try killSessions(bank)
            #expect(
                statuses(try writer.commit([pay(1, 1), pay(1, 2)])) == ["201 replayed", "201"])
            #expect(try reader.accounts(of: customer(1)).map(\.balance) == [99_800])
        }

        @Test("A session that is killed in the middle of a batch runs the batch again, once")
        func killedInside() throws {
            let bank = try bank()
            let kills = Guarded(1)
            let killing = PeepingRenderer {
                let isFirst = kills.withLock { left in
                    defer { left -= 1 }
                    return left > 0
                }
                guard isFirst else { return }
                _ = OnThread { () -> Bool in (try? killSessions(bank)) != nil }.value()
            }
            let writer = try bank.another(seed: 5, clock: bank.clock) { $0.renderer = killing }
                .makeWriter()
            #expect(statuses(try writer.commit([pay(1, 1), pay(2, 1)])) == ["201", "201"])
            let reader = try bank.store.makeReader()
            #expect(try reader.account(account(1), of: customer(1))?.balance == 99_900)
            #expect(try PostgresVerifier.verify(bank.database.administrator).damages == [])
        }

        @Test("A new customer's first intents race in two processes: both execute")
        func newCustomer() throws {
            let bank = try bank()
            for round in 0..<10 {
                let start = Gate()
                let threads = try (0..<3).map { index in
                    let writer = UncheckedWriter(
                        try bank.another(seed: UInt64(50 + round * 5 + index), clock: bank.clock)
                            .makeWriter())
                    return OnThread { () -> [String] in
                        start.wait()
                        do {
                            while true {
                                let told = statuses(
                                    try writer.writer.commit([pay(100 + round, index + 1)]))
                                if told != ["customerBusy"] { return told }
                            }
                        } catch { return ["\(error)"] }
                    }
                }
                start.open()
                // Nobody has opened an account for them: refused, and stored.
                #expect(threads.flatMap { $0.value() } == ["402", "402", "402"])
            }
            #expect(try PostgresVerifier.verify(bank.database.administrator).damages == [])
        }

        @Test("A warning at COMMIT is no success: the batch is looked up before it is answered")
        func warning() throws {
            let bank = try bank()
            // A trigger that warns at the end of the transaction, once.
            try bank.raw().run(
                """
                CREATE TABLE transferd.warned (n int);
                GRANT ALL ON transferd.warned TO \(PostgresCluster.runtimeRole);
                CREATE FUNCTION transferd.warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    RAISE WARNING 'canceling wait for synchronous replication';
                    RETURN NULL;
                END $$;
                CREATE CONSTRAINT TRIGGER warn AFTER INSERT ON transferd.transfers
                DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
                WHEN (NEW.idempotency_key = '\(key(1))') EXECUTE FUNCTION transferd.warn()
                """)
            let writer = try bank.store.makeWriter()
            // It has committed, and is told as what is stored: after a write that is proven.
            #expect(statuses(try writer.commit([pay(1, 1)])) == ["201 replayed"])
            let proof = try bank.raw().rows(
                "SELECT 1 FROM transferd.write_proof WHERE proven_at > 'epoch'")
            #expect(proof.count == 1)
            #expect(statuses(try writer.commit([pay(1, 2)])) == ["201"])
            try bank.raw().run(
                """
                DROP TRIGGER warn ON transferd.transfers; DROP FUNCTION transferd.warn();
                DROP TABLE transferd.warned
                """)
        }

        @Test("Without prepared statements the same commands leave the same rows")
        func unprepared() throws {
            let bank = try PostgresBank()
            let store = bank.another(seed: 1, clock: bank.clock) { $0.keepsStatements = false }
            try BusyBank.fill(store, bank.clock)
            let twin = try PostgresBank()
            try BusyBank.fill(twin.store, twin.clock)
            #expect(try bank.raw().dump() == twin.raw().dump())
        }

        @Test("Hostile defaults of the database change nothing")
        func hostileDefaults() throws {
            let bank = try bank()
            let raw = try bank.raw()
            for setting in [
                "default_transaction_isolation = 'serializable'",
                "TimeZone = 'Pacific/Kiritimati'",
                "standard_conforming_strings = off", "synchronous_commit = off",
                "DateStyle = 'SQL, DMY'", "IntervalStyle = 'sql_standard'",
                "search_path = 'pg_temp'", "bytea_output = 'escape'", "lock_timeout = 1",
                "statement_timeout = 1000",
            ] {
                try raw.run("ALTER DATABASE \(bank.database.name) SET \(setting)")
            }
            defer {
                do { try raw.run("ALTER DATABASE \(bank.database.name) RESET ALL") } catch {
                    bank.database.discard()
                }
            }
            let store = bank.another(seed: 77, clock: bank.clock)
            let writer = try store.makeWriter()
            let results = try writer.commit([pay(1, 1), pay(2, 1), pay(1, 2, "9999.00")])
            #expect(statuses(results) == ["201", "201", "402"])
            let view = try store.makeReader().transfer(
                of: IntentID(customer: customer(1), key: key(1)))
            #expect(view?.transfer.createdAt == bank.clock.now())
            #expect(view?.transfer.businessDay == UTCDays().day(of: bank.clock.now()).number)
            #expect(try PostgresVerifier.verify(bank.database.administrator).damages == [])
            // What cannot be written is no primary.
            try raw.run(
                "ALTER DATABASE \(bank.database.name) SET default_transaction_read_only = on")
            let error = #expect(throws: StoreError.self) {
                try bank.another(seed: 78, clock: bank.clock).makeWriter()
            }
            #expect(error?.description.contains("read-only") == true)
        }

        @Test(
            "While the database is down the store is unavailable at once, and comes back by itself")
        func down() throws {
            let bank = try bank()
            let dead = try bank.database.runtime.with("port", "1")
            let store = PostgresStore(
                address: dead, environment: PostgresBank.environment(seed: 3, clock: bank.clock))
            for _ in 0..<20 {
                let error = #expect(throws: StoreError.self) { try store.makeWriter() }
                guard case .unavailable? = error else {
                    Issue.record("not unavailable: \(String(describing: error))")
                    return
                }
            }
        }

        @Test(
            "The run-time role can neither change a table's form nor take back what was committed")
        func roles() throws {
            let bank = try bank()
            _ = try bank.store.makeWriter().commit([pay(1, 1)])
            let raw = try RawPostgres(bank.database.runtime.text)
            for sql in [
                "ALTER TABLE transferd.outcomes ADD COLUMN x int", "DROP TABLE transferd.outcomes",
                "TRUNCATE transferd.outcomes", "DELETE FROM transferd.outcomes",
                "UPDATE transferd.outcomes SET status_code = 402", "DELETE FROM transferd.postings",
                "UPDATE transferd.postings SET amount = 1", "DELETE FROM transferd.events",
                "UPDATE transferd.transfers SET amount = 1", "DELETE FROM transferd.transfers",
                "DELETE FROM transferd.accounts", "DELETE FROM transferd.customers",
                "UPDATE transferd.account_ibans SET customer_id = 'x'",
                "DELETE FROM transferd.schema_migrations", "CREATE TABLE transferd.x (n int)",
            ] {
                let error = #expect(throws: RawPostgres.Failure.self) { try raw.run(sql) }
                #expect(
                    error?.description.contains("permission denied") == true
                        || error?.description.contains("must be owner") == true, "\(sql)")
            }
        }
    }
}
