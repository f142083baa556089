import Ledger
import Platform
import Store
import StoreTestSupport
import Testing

@testable import API

/// The transfer of the document's examples.
enum Example {
    static func row(_ state: TransferState, _ rejection: RejectionReason? = nil) throws
        -> TransferRow
    {
        let at = try instant("2026-11-30T14:02:12.345Z")
        return TransferRow(
            id: try #require(TransferID("0193a5c4-8f7e-7b1a-9d3e-2f6c1a0b4d5e")),
            intent: try intent(), state: state, rejection: rejection, returned: nil,
            debtorIBAN: try IBAN("DE89370400440532013000"), debtorAccount: nil,
            money: euros(cents: 5000), creditorIBAN: try IBAN("FR1420041010050500013M02606"),
            creditorName: "Marie Curie", remittanceInformation: "Invoice 42",
            endToEndIdentification: "INV-42", confirmedAt: nil, requestID: "01jdz7y3k9m2qpx",
            businessDay: 20_787, posting: nil, returnPosting: nil, lastSequence: 1,
            createdAt: at, updatedAt: at)
    }

    static func intent() throws -> IntentID {
        IntentID(
            customer: try customerID("alice"),
            key: try #require(IdempotencyKey("8e03978e-40d5-43dd-bc93-6894a57f9324")))
    }

    static func render(_ decision: StorableDecision) throws -> RenderedOutcome {
        OutcomeBytes().render(
            decision, of: try intent(), requestID: "01jdz7y3k9m2qpx",
            at: try instant("2026-11-30T14:02:12.345Z"))
    }

    static func executed() throws -> RenderedOutcome {
        try render(.executed(row(.accepted), balance: euros(cents: 119_055)))
    }

    static func rejected() throws -> RenderedOutcome {
        try render(
            .rejected(
                row(.rejected, .insufficientFunds), .insufficientFunds,
                balance: euros(cents: 1200)))
    }

    static func revoked() throws -> RenderedOutcome { try render(.revoked) }
}

/// Stored bytes are replayed for as long as they are kept: a change here is a change of the contract.
@Suite("Stored answers") struct OutcomeBytesTests {
    @Test("the bytes of a 201")
    func executed() throws {
        let outcome = try Example.executed()
        #expect(outcome.statusCode == 201)
        #expect(outcome.contentType == .json)
        #expect(
            String(decoding: outcome.body, as: UTF8.self)
                == #"{"transferId":"0193a5c4-8f7e-7b1a-9d3e-2f6c1a0b4d5e","status":"accepted","#
                + #""idempotencyKey":"8e03978e-40d5-43dd-bc93-6894a57f9324","#
                + #""debtorAccount":{"iban":"DE89370400440532013000"},"#
                + #""instructedAmount":{"currency":"EUR","amount":"50.00"},"#
                + #""creditorAccount":{"iban":"FR1420041010050500013M02606"},"#
                + #""creditorName":"Marie Curie","#
                + #""remittanceInformationUnstructured":"Invoice 42","#
                + #""endToEndIdentification":"INV-42","createdAt":"2026-11-30T14:02:12.345Z","#
                + #""balance":{"currency":"EUR","amount":"1190.55","#
                + #""asOf":"2026-11-30T14:02:12.345Z"}}"#)
    }

    @Test("the bytes of a 402")
    func rejected() throws {
        let outcome = try Example.rejected()
        #expect(outcome.statusCode == 402)
        #expect(outcome.contentType == .problem)
        #expect(
            String(decoding: outcome.body, as: UTF8.self)
                == #"{"type":"/problems/insufficient_funds","#
                + #""title":"The balance does not cover the amount","status":402,"#
                + #""detail":"Send an amount that the balance covers.","#
                + #""instance":"01jdz7y3k9m2qpx","code":"insufficient_funds","retry":"new-key","#
                + #""transferId":"0193a5c4-8f7e-7b1a-9d3e-2f6c1a0b4d5e","#
                + #""transferStatus":"rejected","#
                + #""balance":{"currency":"EUR","amount":"12.00","#
                + #""asOf":"2026-11-30T14:02:12.345Z"}}"#)
    }

    @Test("the bytes of a revocation")
    func revoked() throws {
        let outcome = try Example.revoked()
        #expect(outcome.statusCode == 200)
        #expect(outcome.contentType == .json)
        #expect(
            String(decoding: outcome.body, as: UTF8.self)
                == #"{"status":"revoked","idempotencyKey":"8e03978e-40d5-43dd-bc93-6894a57f9324","#
                + #""revokedAt":"2026-11-30T14:02:12.345Z"}"#)
    }

    @Test("a refusal without an account of the customer's says no balance")
    func noBalance() throws {
        let outcome = try Example.render(
            .rejected(Example.row(.rejected, .accountNotFound), .accountNotFound, balance: nil))
        let text = String(decoding: outcome.body, as: UTF8.self)
        #expect(!text.contains("balance"))
        #expect(text.hasSuffix(#""transferStatus":"rejected"}"#))
    }

    @Test(
        "every refusal has the code of its reason and status 402",
        arguments: RejectionReason.allCases)
    func reasons(_ reason: RejectionReason) throws {
        #expect(ProblemCode(reason).rawValue == reason.code)
        #expect(ProblemCode(reason).status == 402)
        #expect([.newKey, .no].contains(ProblemCode(reason).retry))
    }
}
