import Bank
import Configuration
import Ledger
import Platform
import Store

/// `transferd account open|freeze|unfreeze|limits|close`: each is one command of the ledger in a
/// short transaction of its own, with the locks that a server beside it has.
extension AccountCommand {
    static func open(_ invocation: Invocation) throws {
        let database = try invocation.database()
        let code = invocation["currency"] ?? ""
        let customer = try invocation.requiredCustomer()
        guard let currency = Currency(code) else {
            throw UsageError(
                "--currency \(code) is no currency of ISO 4217 that money is kept in. "
                    + CurrencyCode.refusalDetail, invocation.command)
        }
        let iban = try iban(invocation["iban"] ?? "", invocation)
        let random = SystemRandomBytes()
        var ids = UUIDv7Generator(random: random)
        let id = AccountID(ids.next(at: SystemWallClock().now()))
        let command = OpenAccountCommand(
            customer: customer, account: id, iban: iban,
            opening: Money(
                minorUnits: try units("opening", currency, invocation) ?? 0, currency: currency),
            perTransferLimit: try units("per-transfer", currency, invocation),
            dailyLimit: try units("daily", currency, invocation))
        try DatabaseFile.require(database)
        switch try DatabaseFile.store(database).decide(.openAccount(command)) {
        case .accountExists(let entry):
            throw CommandError(
                .damage,
                "The IBAN \(iban.text) is taken by account \(entry.account) of \(entry.customer). "
                    + "Nothing was changed; give another --iban.")
        case .accountOpened: try show(.id(id), invocation)
        case let decision: throw unexpected(decision)
        }
    }

    /// Freezes an account, lets it pay again, or closes it.
    static func set(_ status: AccountStatus, _ invocation: Invocation) throws {
        let account = try find(invocation)
        try change(
            .setAccountStatus(SetAccountStatusCommand(iban: account.iban, status: status)),
            account, invocation)
    }

    static func limits(_ invocation: Invocation) throws {
        guard invocation.has("per-transfer") || invocation.has("daily") else {
            throw UsageError(
                "Name a limit: --per-transfer AMOUNT, --daily AMOUNT, or none in place of AMOUNT.",
                invocation.command)
        }
        let account = try find(invocation)
        func limit(_ flag: String) throws(UsageError) -> LimitChange {
            if invocation[flag] == "none" { return .lift }
            return try units(flag, account.currency, invocation).map { .set($0) } ?? .keep
        }
        let command = SetAccountLimitsCommand(
            iban: account.iban, perTransfer: try limit("per-transfer"), daily: try limit("daily"))
        try change(.setAccountLimits(command), account, invocation)
    }

    private static func change(
        _ command: Command, _ account: AccountRow, _ invocation: Invocation
    ) throws {
        let database = try invocation.database()
        switch try DatabaseFile.store(database).decide(command) {
        case .accountStatusSet, .accountLimitsSet: try show(.id(account.id), invocation)
        case .accountClosed:
            throw CommandError(
                .damage,
                "The account \(account.id) is closed, and stays so. Nothing was changed. "
                    + "`transferd account open` opens another, under another IBAN.")
        case .accountNotEmpty(_, let money):
            throw CommandError(
                .damage,
                "There are \(money) on the account \(account.id), so it was not closed. Let its "
                    + "customer pay them out first, and freeze it if nothing else may come in "
                    + "meanwhile.")
        case .accountAwaits(_, let payments):
            throw CommandError(
                .damage,
                "From the account \(account.id) \(payments == 1 ? "one payment has" : "\(payments) payments have") "
                    + "not ended, and their money may come back, so it was not closed. Freeze it, "
                    + "and close it when they are settled or returned.")
        case .accountUnknown: throw try missing(invocation)
        case let decision: throw unexpected(decision)
        }
    }

    private static func show(
        _ selector: AccountSelector, _ invocation: Invocation
    ) throws {
        let database = try invocation.database()
        guard let account = try database.backOffice.account(selector) else {
            throw try missing(invocation)
        }
        try print(account, invocation)
    }

    /// The amount of a flag in minor units; nil where it was not given.
    private static func units(
        _ flag: String, _ currency: Currency, _ invocation: Invocation
    ) throws(UsageError) -> Int64? {
        guard let text = invocation[flag] else { return nil }
        let amount: DecimalAmount
        do throws(AmountRefusal) { amount = try DecimalAmount(text) } catch {
            throw UsageError("--\(flag) \(text) is no amount. \(error.detail)", invocation.command)
        }
        do throws(ScaleRefusal) { return try Money(amount, currency).minorUnits } catch {
            throw UsageError(
                "--\(flag) \(text) is no amount of \(currency). "
                    + error.detail(currency: currency.code), invocation.command)
        }
    }

    private static func unexpected(_ decision: Decision) -> CommandError {
        CommandError(.internalError, "The ledger answered \(decision). Run `transferd verify`.")
    }
}
