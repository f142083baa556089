import Foundation
import Glibc
import TestSupport
import Testing

extension DatabaseTests {
    @Suite(.serialized, .timeLimit(.minutes(5)))
    struct AccountChangeTests {
        let folder: Folder
        let database: String

        private static let aliceIBAN = "DE89370400440532013000"
        private static let newIBAN = "DE02120300000000202051"

        init() throws {
            folder = try Folder()
            database = folder.file("bank.db")
            #expect(try Program.run("migrate", "--database", database).status == 0)
        }

        private func account(_ verb: String, _ more: String...) throws -> Ending {
            try Program(["account", verb, "--database", database] + more).wait()
        }

        private func open(_ currency: String, _ more: [String] = []) throws -> Ending {
            try Program(
                [
                    "account", "open", "--database", database, "--customer", "dora", "--iban",
                    Self.newIBAN, "--currency", currency,
                ] + more
            ).wait()
        }

        private func object(_ ending: Ending) throws -> [String: Any] {
            #expect(ending.status == 0, "\(ending.err)")
            return try #require(
                JSONSerialization.jsonObject(with: Data(ending.out.utf8)) as? [String: Any])
        }

        private func verify() throws {
            #expect(try Program.run("verify", "--database", database).status == 0)
        }

        @Test("An account is opened beside a running server, which lets it be paid and pay")
        func open() throws {
            let demo = try DemoServer(database: database)
            let opened = try object(
                open(
                    "EUR",
                    ["--opening", "100", "--per-transfer", "60.5", "--daily", "70.00"]
                        + ["--json"]))
            #expect(opened["balance"] as? String == "100.00")
            #expect(opened["customer"] as? String == "dora")
            #expect(
                opened["limits"] as? [String: String]
                    == ["perTransfer": "60.50", "daily": "70.00"])
            let token = try Program.run("token", "--database", database, "--customer", "dora")
                .out.trimmingCharacters(in: .newlines)
            let pay = { (amount: String) in
                try demo.transfer(
                    key: UUID().uuidString, amount: amount, token: token, from: Self.newIBAN)
            }
            #expect(try pay("60.51").body.contains("transfer_limit_exceeded"))
            #expect(try pay("60.50").status == 201)
            #expect(try pay("9.51").body.contains("daily_limit_exceeded"))
            #expect(try pay("9.50").status == 201)
            try verify()
        }

        @Test("An IBAN is given once: who has it is told, and nothing changes")
        func twice() throws {
            let first = try object(open("EUR", ["--opening", "1.00", "--json"]))
            let second = try open("USD", ["--opening", "2.00"])
            #expect(second.status == 1)
            #expect(second.out.isEmpty)
            #expect(second.err.contains(first["accountId"] as? String ?? "?"))
            #expect(
                try object(account("show", "--iban", Self.newIBAN, "--json"))["currency"]
                    as? String == "EUR")
            try verify()
        }

        @Test(
            "The largest amounts that a currency can have are taken to the last unit",
            arguments: [
                ("EUR", "9999999999999999.99"), ("EUR", "0.01"), ("JPY", "999999999999999999"),
                ("KWD", "999999999999999.999"), ("CLF", "99999999999999.9999"),
                // 2^63 - 1 minor units.
                ("EUR", "92233720368547758"),
            ])
        func edges(currency: String, amount: String) throws {
            let opened = try object(
                open(
                    currency,
                    ["--opening", amount, "--daily", amount, "--json"]))
            let balance = try #require(opened["balance"] as? String)
            #expect(balance == amount || balance == amount + ".00")
            #expect((opened["limits"] as? [String: Any])?["daily"] as? String == balance)
            try verify()
        }

        @Test(
            "An amount that is none, or none of the currency, is refused with what to type",
            arguments: [
                ("EUR", "1.234", "EUR has 2 decimals"), ("JPY", "1.0", "JPY has no decimals"),
                ("KWD", "1.0000", "KWD has 3 decimals"), ("EUR", "0", "above zero"),
                ("EUR", "0.00", "above zero"), ("EUR", "-1", "decimal number"),
                ("EUR", "1,5", "decimal number"), ("EUR", "1e2", "decimal number"),
                ("EUR", "010", "decimal number"), ("EUR", ".5", "decimal number"),
                ("EUR", "\u{FF11}", "decimal number"), ("EUR", "none", "decimal number"),
                // One unit more than 2^63 - 1, and what does not fit the digits.
                ("EUR", "92233720368547759", "too large"),
                ("EUR", "999999999999999999", "too large"),
                ("EUR", "9223372036854775807", "18 digits"),
            ])
        func wrongAmounts(currency: String, amount: String, advice: String) throws {
            for flag in ["--opening", "--per-transfer", "--daily"] {
                let ending = try open(currency, [flag, amount])
                #expect(ending.status == 2)
                #expect(ending.err.contains(advice), "\(ending.err)")
                #expect(ending.err.contains(flag))
            }
            #expect(
                try Program.run("account", "list", "--database", database).out
                    .split(separator: "\n").count == 1)
        }

        @Test(
            "A currency, a customer or an IBAN that there cannot be is refused",
            arguments: [
                (["--currency", "eur"], "three upper-case letters"),
                (["--currency", "XXX"], "no currency"),
                (["--iban", "DE03120300000000202051"], "check digits"),
                (["--customer", String(repeating: "a", count: 65)], "64 printable"),
                (["--customer", "do\u{301}ra"], "ASCII"),
            ])
        func wrongNames(change: [String], advice: String) throws {
            var flags = [
                "--customer": "dora", "--iban": Self.newIBAN, "--currency": "EUR",
            ]
            flags[change[0]] = change[1]
            let ending = try Program(
                ["account", "open", "--database", database] + flags.flatMap { [$0.key, $0.value] }
            ).wait()
            #expect(ending.status == 2)
            #expect(ending.err.contains(advice), "\(ending.err)")
        }

        @Test("Limits are set, lifted and kept, and a running server honours them at once")
        func limits() throws {
            let demo = try DemoServer(database: database)
            let set = try object(
                account(
                    "limits", "--iban", Self.aliceIBAN, "--per-transfer", "49.99", "--daily", "80",
                    "--json"))
            #expect(
                set["limits"] as? [String: String] == ["perTransfer": "49.99", "daily": "80.00"])
            let refusedKey = UUID().uuidString
            let refused = try demo.transfer(key: refusedKey)
            #expect(refused.body.contains("transfer_limit_exceeded"))
            let lifted = try object(
                account("limits", "--iban", Self.aliceIBAN, "--per-transfer", "none", "--json"))
            let rest = try #require(lifted["limits"] as? [String: Any])
            #expect(rest["perTransfer"] is NSNull)
            #expect(rest["daily"] as? String == "80.00")
            #expect(try demo.transfer(key: UUID().uuidString).status == 201)
            #expect(
                try demo.transfer(key: UUID().uuidString).body.contains("daily_limit_exceeded"))
            // What was refused stays refused.
            #expect(try demo.transfer(key: refusedKey).body == refused.body)
            try verify()
        }

        @Test(
            "A limit that is none of the account's currency is refused, and one must be named",
            arguments: [
                ([], "--per-transfer AMOUNT"), (["--daily", "1.5"], "JPY has no decimals"),
                (["--per-transfer", "lots"], "decimal number"),
                (["--per-transfer", "None"], "decimal number"),
            ])
        func wrongLimits(flags: [String], advice: String) throws {
            #expect(try open("JPY").status == 0)
            let ending = try Program(
                ["account", "limits", "--database", database, "--iban", Self.newIBAN] + flags
            ).wait()
            #expect(ending.status == 2)
            #expect(ending.err.contains(advice), "\(ending.err)")
        }

        @Test("An account with money is not closed; without, it is closed for ever")
        func close() throws {
            let demo = try DemoServer(database: database)
            let full = try account("close", "--iban", Self.aliceIBAN)
            #expect(full.status == 1)
            #expect(full.err.contains("10000.00 EUR"))
            #expect(try demo.transfer(key: UUID().uuidString).status == 201)

            #expect(try open("EUR").status == 0)
            #expect(try account("freeze", "--iban", Self.newIBAN).status == 0)
            let closed = try object(account("close", "--iban", Self.newIBAN, "--json"))
            #expect(closed["status"] as? String == "closed")
            #expect(try account("close", "--iban", Self.newIBAN).status == 0)
            for verb in ["freeze", "unfreeze"] {
                let ending = try account(verb, "--iban", Self.newIBAN)
                #expect(ending.status == 1)
                #expect(ending.err.contains("is closed"))
            }
            #expect(try account("limits", "--iban", Self.newIBAN, "--daily", "1").status == 1)
            #expect(try open("EUR").status == 1)
            #expect(
                try object(account("show", "--iban", Self.newIBAN, "--json"))["status"]
                    as? String == "closed")
            let token = try Program.run("token", "--database", database, "--customer", "dora")
                .out.trimmingCharacters(in: .newlines)
            let refused = try demo.transfer(
                key: UUID().uuidString, token: token, from: Self.newIBAN)
            #expect(refused.status == 402)
            #expect(refused.body.contains("account_closed"))
            try verify()
        }

        @Test("An account is not closed while a payment from it has not ended")
        func closeUnderWay() throws {
            let demo = try DemoServer(database: database)
            #expect(try open("EUR", ["--opening", "2.00"]).status == 0)
            let token = try Program.run("token", "--database", database, "--customer", "dora")
                .out.trimmingCharacters(in: .newlines)
            func pay(_ creditor: String) throws {
                let paid = try demo.transfer(
                    key: UUID().uuidString, amount: "1.00", token: token, from: Self.newIBAN,
                    to: creditor)
                #expect(paid.status == 201)
            }
            // To an account here, which has an end, and to one elsewhere, which has none.
            try pay(Self.aliceIBAN)
            try pay("AT611904300234573201")
            var ending = try account("close", "--iban", Self.newIBAN)
            // The booking inside the bank may still be under way.
            #expect(
                try eventually {
                    ending = try account("close", "--iban", Self.newIBAN)
                    return ending.err.contains("one payment has not ended")
                })
            #expect(ending.status == 1)
            #expect(
                try object(account("show", "--iban", Self.newIBAN, "--json"))["status"]
                    as? String == "active")
            try verify()
        }

        @Test(
            "An account that there is not is told what to type",
            arguments: [["close"], ["limits", "--daily", "1"]])
        func unknown(command: [String]) throws {
            let ending = try Program(
                ["account"] + command + ["--database", database, "--iban", Self.newIBAN]
            ).wait()
            #expect(ending.status == 1)
            #expect(ending.err.contains("account list"))
        }
    }
}
