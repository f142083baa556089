package import Ledger
package import Platform
package import Store

// What tests say in one line: customers, accounts, keys, intents. A wrong argument is a wrong test,
// so these stop instead of throwing.

package func customer(_ number: Int) -> CustomerID {
    guard let id = CustomerID("customer-\(number)") else { preconditionFailure("no customer id") }
    return id
}

/// The German IBAN with this account number.
package func iban(_ number: Int) -> IBAN {
    let digits = String(number)
    let account = String(repeating: "0", count: 18 - digits.utf8.count) + digits
    var remainder = 0
    for digit in (account + "131400").utf8 { remainder = (remainder * 10 + Int(digit - 0x30)) % 97 }
    let check = String(98 - remainder)
    let text = "DE" + (check.utf8.count == 1 ? "0" : "") + check + account
    guard let iban = try? IBAN(text) else { preconditionFailure("no IBAN: \(text)") }
    return iban
}

package func key(_ number: Int) -> IdempotencyKey {
    IdempotencyKey(UUID128(high: 0x1000_0000_0000_4000, low: 0x8000 << 48 | UInt64(number)))
}

/// Ordered by number.
package func account(_ number: Int) -> AccountID {
    AccountID(UUID128(high: 0x2000_0000_0000_7000, low: 0x8000 << 48 | UInt64(number)))
}

package func currency(_ code: String) -> Currency {
    guard let currency = Currency(code) else { preconditionFailure("no currency: \(code)") }
    return currency
}

package let eur = currency("EUR")

package func euros(cents: Int64) -> Money { Money(minorUnits: cents, currency: eur) }

package func amount(_ text: String) -> DecimalAmount {
    guard let amount = try? DecimalAmount(text) else { preconditionFailure("no amount: \(text)") }
    return amount
}

package func intent(
    from debtor: IBAN, to creditor: IBAN, _ value: String, _ code: String = "EUR",
    name: String = "Marie Curie", remittance: String? = nil, endToEnd: String? = nil,
    confirmedAt: Instant? = nil
) -> SubmittedIntent {
    guard let code = CurrencyCode(code) else { preconditionFailure("no currency code: \(code)") }
    return SubmittedIntent(
        debtorIBAN: debtor, amount: amount(value), currency: code, creditorIBAN: creditor,
        creditorName: name, remittanceInformation: remittance, endToEndIdentification: endToEnd,
        confirmedAt: confirmedAt)
}

package func transfer(
    _ owner: CustomerID, _ key: IdempotencyKey, _ intent: SubmittedIntent,
    requestID: String = "request-1", receivedAt: Instant = ManualClock.noon
) -> TransferCommand {
    TransferCommand(
        id: IntentID(customer: owner, key: key), intent: intent, requestID: requestID,
        receivedAt: receivedAt)
}

/// Opens account `number` of customer `owner` under IBAN `number`.
package func open(
    _ number: Int, of owner: Int, _ opening: Money, perTransfer: Int64? = nil, daily: Int64? = nil
) -> Command {
    .openAccount(
        OpenAccountCommand(
            customer: customer(owner), account: account(number), iban: iban(number),
            opening: opening, perTransferLimit: perTransfer, dailyLimit: daily))
}

/// The payee's side of `booking`; nil where the creditor has no account here.
package func credit(_ booking: PendingBooking) -> Command? {
    booking.creditor.map {
        .credit(
            CreditCommand(
                payee: $0.customer, account: $0.account, transfer: booking.transfer,
                money: booking.money))
    }
}

package func conclude(_ booking: PendingBooking, _ decision: CreditDecision) -> Command {
    .conclude(
        ConcludeCommand(
            payer: booking.payer, transfer: booking.transfer, outboxID: booking.outboxID,
            decision: decision))
}

/// The policy that tests start from: any text, ten million euros a transfer.
package let testPolicy = TransferPolicy(
    fieldRules: FieldRules(characters: .unicode), schemeMaximum: [eur: 1_000_000_000])
