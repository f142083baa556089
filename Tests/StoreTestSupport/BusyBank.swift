package import Ledger
package import Store

/// A ledger with every kind of row that there can be, in a store that a test made.
///
/// Customer 1 has accounts 1 and 2, customer 2 accounts 3 and 5 (in yen), customer 3 account 4,
/// which is frozen before it is paid. IBAN 900 is another bank's.
package enum BusyBank {
    /// Keys of customer 1 by what became of the transfer.
    package static let settled = key(1)
    package static let returned = key(2)
    /// The payee has the money, the payer's side does not know yet.
    package static let credited = key(3)
    package static let pending = key(4)
    package static let scheme = key(5)
    package static let rejected = key(6)
    /// On the day after all others.
    package static let tomorrow = key(7)

    package static func fill(_ store: some TransferStore, _ clock: ManualClock) throws {
        let writer = try store.makeWriter()
        let reader = try store.makeReader()
        let payer = customer(1)
        func pay(_ key: IdempotencyKey, to creditor: Int, _ value: String) -> Command {
            .transfer(transfer(payer, key, intent(from: iban(1), to: iban(creditor), value)))
        }
        _ = try writer.commit([
            open(1, of: 1, euros(cents: 100_000), perTransfer: 500_000, daily: 60_000),
            open(2, of: 1, euros(cents: 50_000)), open(3, of: 2, euros(cents: 10_000)),
            open(4, of: 3, euros(cents: 0)),
            open(5, of: 2, Money(minorUnits: 10_000, currency: currency("JPY"))),
        ])
        _ = try writer.commit([
            pay(settled, to: 3, "10.00"), pay(returned, to: 4, "20.00"),
            pay(credited, to: 3, "30.00"),
            .transfer(transfer(customer(2), key(1), intent(from: iban(3), to: iban(1), "5.00"))),
        ])
        clock.advance(seconds: 1)
        _ = try writer.commit([
            .setAccountStatus(SetAccountStatusCommand(iban: iban(4), status: .frozen))
        ])
        let bookings = try reader.pendingBookings(after: 0, limit: 100)
        let credits = try writer.commit(bookings.compactMap(credit))
        var ends: [Command] = []
        for (booking, result) in zip(bookings, credits) where booking.money != euros(cents: 3000) {
            if case .decided(.credit(let decision)) = result {
                ends.append(conclude(booking, decision))
            }
        }
        clock.advance(seconds: 1)
        _ = try writer.commit(ends)
        _ = try writer.commit([
            pay(pending, to: 3, "40.00"), pay(scheme, to: 900, "50.00"),
            pay(rejected, to: 3, "590.00"),
            .transfer(
                transfer(customer(2), key(2), intent(from: iban(5), to: iban(900), "100", "JPY"))),
        ])
        clock.advance(seconds: UTCDays.secondsPerDay)
        _ = try writer.commit([pay(tomorrow, to: 3, "7.00")])
    }
}
