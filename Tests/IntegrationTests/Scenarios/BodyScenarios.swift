import JSON
import TestSupport
import Testing

/// A body that is the same intent as `Payment()` in another spelling, or is refused.
struct Spelling: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let body: [UInt8]
    var pointers: [String] = []

    init(_ name: String, _ body: String, pointers: [String] = []) {
        self.init(name, Array(body.utf8), pointers: pointers)
    }

    init(_ name: String, _ body: [UInt8], pointers: [String] = []) {
        testDescription = name
        self.body = body
        self.pointers = pointers
    }

    private static let json = Payment().json

    private static func replaced(_ old: String, _ new: String) -> String {
        precondition(json.contains(old))
        return json.replacing(old, with: new)
    }

    static let same = [
        Spelling(
            "members in another order",
            """
            {"creditorName":"Marie Curie","creditorAccount":{"iban":"\(IBANs.elsewhere)"},
             "instructedAmount":{"amount":"50.00","currency":"EUR"},
             "debtorAccount":{"iban":"\(IBANs.alice)"}}
            """),
        Spelling("white space", replaced(":", " :\n\t").replacing(",", with: " ,\r\n")),
        Spelling(
            "escapes", replaced("Marie", "\\u004d\\u0061rie").replacing("DE89", with: "\\u0044E89")),
        Spelling("an escaped member name", replaced("creditorName", "creditor\\u004eame")),
        Spelling("50.0", replaced("50.00", "50.0")), Spelling("50", replaced("50.00", "50")),
        Spelling(
            "a spaced lower-case IBAN",
            replaced(IBANs.alice, "de89 3704 0044 0532 0130 00")),
        Spelling(
            "a phone's clock",
            String(json.dropLast()) + #","confirmedAt":"2020-01-01T00:00:00+01:00"}"#),
        Spelling(
            "nulls",
            String(json.dropLast())
                + #","remittanceInformationUnstructured":null,"endToEndIdentification":null}"#),
    ]

    static let refused = amounts + structure

    private static let amounts: [Spelling] =
        [
            "1e2", "010", "１２", "-1", "0", "0.00", "NaN", "1e400", "+1", "1,00", ".5", "5.", "",
            " 1",
            "1 ", "0x1", "1_000", "Infinity", "1234567890123456789", "1.", "--1", "٣",
        ].map {
            Spelling(
                "Scenario 18: the amount \"\($0)\"", replaced("50.00", $0),
                pointers: ["/instructedAmount/amount"])
        }
        + ["50", "50.00", "1e2", "null", "true", "[]", "{}"].map {
            Spelling(
                "Scenario 18: the amount \($0) that is no string", replaced("\"50.00\"", $0),
                pointers: ["/instructedAmount/amount"])
        }
        + [
            Spelling(
                "Scenario 22: three decimals of EUR", replaced("50.00", "1.234"),
                pointers: ["/instructedAmount/amount"])
        ]

    private static let structure = [
        Spelling(
            "Scenario 19: a duplicate member", String(json.dropLast()) + #","creditorName":"M"}"#,
            pointers: ["/creditorName"]),
        Spelling(
            "Scenario 19: an equal duplicate in an object",
            replaced(#""currency":"EUR""#, #""currency":"EUR","currency":"EUR""#),
            pointers: ["/instructedAmount/currency"]),
        Spelling("Scenario 19: U+0000", replaced("Marie", "\\u0000"), pointers: ["/creditorName"]),
        Spelling(
            "Scenario 19: a lone surrogate", replaced("Marie", "\\ud800"),
            pointers: ["/creditorName"]),
        Spelling(
            "Scenario 19: invalid UTF-8",
            Array(json.utf8).flatMap { $0 == UInt8(ascii: "M") ? [0xC3, 0x28] : [$0] },
            pointers: ["/creditorName"]),
        Spelling(
            "Scenario 19: a byte-order mark", [0xEF, 0xBB, 0xBF] + Array(json.utf8), pointers: [""]),
        Spelling("Scenario 19: trailing data", json + "{}", pointers: [""]),
        Spelling("Scenario 19: a trailing NUL", json + "\0", pointers: [""]),
        Spelling("an empty body", "", pointers: [""]),
        Spelling("an array", "[\(json)]", pointers: [""]),
        Spelling("a string", "\"x\"", pointers: [""]),
        Spelling("a trailing comma", String(json.dropLast()) + ",}", pointers: [""]),
        Spelling(
            "an unknown member", String(json.dropLast()) + #","a/b~c":1}"#, pointers: ["/a~1b~0c"]),
        Spelling(
            "an unknown inner member",
            replaced(#""iban":"\#(IBANs.alice)""#, #""iban":"\#(IBANs.alice)","bic":"X""#),
            pointers: ["/debtorAccount/bic"]),
        Spelling(
            "a required member that is null", replaced("\"Marie Curie\"", "null"),
            pointers: ["/creditorName"]),
        Spelling(
            "everything missing", "{}",
            pointers: [
                "/debtorAccount/iban", "/instructedAmount/currency", "/instructedAmount/amount",
                "/creditorAccount/iban", "/creditorName",
            ]),
        Spelling(
            "wrong check digits", replaced("DE89", "DE88"), pointers: ["/debtorAccount/iban"]),
        Spelling(
            "an unknown currency", replaced("EUR", "EUX"), pointers: ["/instructedAmount/currency"]),
        Spelling(
            "a lower-case currency", replaced("EUR", "eur"),
            pointers: ["/instructedAmount/currency"]),
        Spelling("an empty name", replaced("Marie Curie", ""), pointers: ["/creditorName"]),
        Spelling("a blank name", replaced("Marie Curie", "   "), pointers: ["/creditorName"]),
        Spelling(
            "a name of 71 characters", replaced("Marie Curie", String(repeating: "é", count: 71)),
            pointers: ["/creditorName"]),
        Spelling(
            "a bidi override", replaced("Marie", "\\u202e"), pointers: ["/creditorName"]),
        Spelling("a control character", replaced("Marie", "\\u0007"), pointers: ["/creditorName"]),
        Spelling(
            "a time without an offset",
            String(json.dropLast()) + #","confirmedAt":"2026-11-30T14:02:11"}"#,
            pointers: ["/confirmedAt"]),
        Spelling(
            "many faults, all told",
            #"{"debtorAccount":{"iban":1},"instructedAmount":{"currency":"EUR","amount":"1.234"},"#
                + #""creditorAccount":{"iban":"DE00"},"creditorName":"","x":[]}"#,
            pointers: [
                "/debtorAccount/iban", "/creditorAccount/iban", "/x", "/instructedAmount/amount",
                "/creditorName",
            ]),
    ]
}

extension DatabaseTests.IntegrationTests {
    @Suite("Bodies")
    struct Bodies {
        @Test("Scenario 15: the same intent in another spelling is a replay")
        func spellings() async throws {
            try await withBank { bank in
                let key = newKey()
                let request = HTTPRequest.payment(Payment(), key: key, token: bank.token("alice"))
                let first = try await bank.endpoint.send(request)
                #expect(first.status == 201)
                for spelling in Spelling.same {
                    let answer = try await bank.endpoint.send(request.with(body: spelling.body))
                    #expect(answer.status == 201, "\(spelling.testDescription): \(answer)")
                    expectReplay(answer, of: first)
                }
                #expect(try bank.count("outcomes") == 1)
            }
        }

        @Test("Scenario 15: composed and decomposed accents are one name")
        func normalisation() async throws {
            try await withEndpoint { server in
                let key = newKey()
                let composed = server.payment.with { $0.name = "Ren\u{E9}" }
                let decomposed = server.payment.with { $0.name = "Rene\u{301}" }
                let first = try await server.pay(composed, key: key)
                #expect(first.status == 201)
                expectReplay(try await server.pay(decomposed, key: key), of: first)
            }
        }

        @Test(
            "Scenario 16: a field changed by one character or one cent is 422 and names the member")
        func changes() async throws {
            try await withBank { bank in
                let original = Payment().with {
                    $0.remittance = "Invoice 42"
                    $0.endToEnd = "INV-42"
                }
                let key = newKey()
                let first = try await bank.endpoint.pay(original, key: key)
                #expect(first.status == 201)
                let beside = try await blocking { try TestBank(beside: bank) }
                let changes: [(String, @Sendable (inout Payment) -> Void)] = [
                    ("/debtorAccount/iban", { $0.debtor = IBANs.aliceYen }),
                    ("/instructedAmount/amount", { $0.amount = "50.01" }),
                    ("/instructedAmount/currency", { $0.currency = "USD" }),
                    ("/creditorAccount/iban", { $0.creditor = IBANs.blocked }),
                    ("/creditorName", { $0.name = "Marie Curia" }),
                    ("/creditorName", { $0.name = "Marie  Curie" }),
                    ("/creditorName", { $0.name = "marie Curie" }),
                    ("/remittanceInformationUnstructured", { $0.remittance = "Invoice 43" }),
                    ("/remittanceInformationUnstructured", { $0.remittance = nil }),
                    ("/endToEndIdentification", { $0.endToEnd = "INV-43" }),
                    ("/endToEndIdentification", { $0.endToEnd = nil }),
                ]
                for (pointer, change) in changes {
                    // From the event loop's memory, and from the store.
                    for server in [bank.endpoint, beside.endpoint] {
                        let answer = try await server.pay(original.with(change), key: key)
                        expectProblem(
                            answer, 422, "idempotency_key_reused", retry: "no",
                            more: ["differs", "transferId", "firstReceivedAt"])
                        #expect(answer.differs == [pointer])
                        #expect(answer.transferID == first.transferID)
                        #expect(
                            answer.json?["firstReceivedAt"]?.string == "2026-11-30T14:02:12.345Z")
                        #expect(!answer.text.contains(IBANs.elsewhere))
                        #expect(!answer.text.contains("Invoice"))
                    }
                }
                try await beside.stop()
                #expect(try bank.count("outcomes") == 1)
                expectReplay(try await bank.endpoint.pay(original, key: key), of: first)
            }
        }

        @Test("Scenario 16: a refused intent's key is not free for other content either")
        func changedAfterRefusal() async throws {
            try await withEndpoint { server in
                let key = newKey()
                let first = try await server.pay(
                    server.payment.with { $0.creditor = $0.debtor }, key: key)
                #expect(first.code == "same_account")
                let answer = try await server.pay(key: key)
                #expect(answer.status == 422)
                #expect(answer.transferID == first.transferID)
            }
        }

        @Test("Scenario 17: the same body with a length and in chunks is a replay")
        func chunked() async throws {
            try await withEndpoint { server in
                let key = newKey()
                let request = HTTPRequest.payment(server.payment, key: key, token: server.token)
                let first = try await server.send(request)
                #expect(first.status == 201)
                for size in [1, 7, 4096] {
                    expectReplay(
                        try await server.send(request.with(framing: .chunked(bytes: size))),
                        of: first)
                }
                let key2 = newKey()
                let chunkedFirst = try await server.send(
                    request.with("Idempotency-Key", key2).with(framing: .chunked(bytes: 10)))
                #expect(chunkedFirst.status == 201)
                expectReplay(
                    try await server.send(request.with("Idempotency-Key", key2)), of: chunkedFirst)
            }
        }

        @Test("Scenario 18: amounts that a double cannot tell apart are told apart")
        func bigAmounts() async throws {
            try await withBank { bank in
                let key = newKey()
                let first = try await bank.endpoint.pay(
                    Payment(amount: "90071992547409.93"), key: key)
                #expect(first.code == "transfer_limit_exceeded")
                let other = try await bank.endpoint.pay(
                    Payment(amount: "90071992547409.92"), key: key)
                #expect(other.differs == ["/instructedAmount/amount"])
                let sum = try await bank.endpoint.pay(Payment(amount: "0.1"), key: newKey())
                #expect(sum.json?["balance"]?["amount"]?.string == "9999.90")
                let more = try await bank.endpoint.pay(Payment(amount: "0.2"), key: newKey())
                #expect(more.json?["balance"]?["amount"]?.string == "9999.70")
            }
        }

        @Test(
            "A body that is not right gets 400 with all its faults, and nothing is stored",
            arguments: Spelling.refused)
        func refused(_ spelling: Spelling) async throws {
            try await withEndpoint { server in
                let key = newKey()
                let request = HTTPRequest.payment(server.payment, key: key, token: server.token)
                let answer = try await server.send(request.with(body: spelling.body))
                expectProblem(answer, 400, "request_invalid", retry: "no", more: ["errors"])
                #expect(answer.errorPointers == spelling.pointers, "\(answer)")
                for error in answer.json?["errors"].map({ Array($0.elements) }) ?? [] {
                    #expect(error.members.map(\.name) == ["pointer", "detail"])
                    #expect(error["detail"]?.string?.isEmpty == false)
                }
                #expect(try await server.byKey(key).code == "key_unknown")
                #expect(try await server.send(request).status == 201)
            }
        }

        @Test("Scenario 22: amounts fit the decimals of their currency")
        func decimals() async throws {
            try await withBank { bank in
                let server = bank.endpoint
                let yen = Payment(debtor: IBANs.aliceYen, currency: "JPY", amount: "1.5")
                #expect(
                    try await server.pay(yen, key: newKey()).errorPointers
                        == ["/instructedAmount/amount"])
                let whole = try await server.pay(yen.with { $0.amount = "15" }, key: newKey())
                #expect(whole.status == 201)
                #expect(whole.json?["balance"]?["amount"]?.string == "499985")
                let dinar = Payment(debtor: IBANs.carol, currency: "KWD", amount: "1.234")
                let carol = try await server.pay(dinar, key: newKey(), token: bank.token("carol"))
                #expect(carol.status == 201)
                #expect(carol.json?["balance"]?["amount"]?.string == "998.766")
                let tooFine = try await server.pay(
                    dinar.with { $0.amount = "1.2345" }, key: newKey(), token: bank.token("carol"))
                #expect(tooFine.status == 400)
            }
        }
    }
}
