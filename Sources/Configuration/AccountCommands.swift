/// What staff do to accounts.
extension CommandTable {
    static let accountList = CommandDescription(
        name: "account list", summary: "List accounts.",
        flags: [
            file,
            .optional("customer", "ID", "Only this customer's."),
            json,
        ], argument: nil,
        text: "Lists the accounts in the order of opening. Works while a server runs.",
        example: "transferd account list --database transferd-demo.db",
        exitCodes: databaseCodes)

    static let accountShow = account(
        "show", "Show one account.", "Shows one account. Works while a server runs.")
    static let accountFreeze = account(
        "freeze", "Freeze an account: it neither pays nor is paid.",
        """
        From the next attempt on the account's transfers are refused with 402 account_frozen, also
        by a server that is running. Attempts whose outcome is stored get that outcome.
        """)
    static let accountUnfreeze = account(
        "unfreeze", "Let a frozen account pay again.",
        """
        From the next attempt on the account pays and is paid again, also at a server that is
        running. Attempts that were refused meanwhile stay refused.
        """)

    static let accountLimits = account(
        "limits", "Change what an account may pay at once and in a day.",
        """
        Sets or lifts the account's own limits from the next attempt on, also at a server that is
        running; what is not named stays. The scheme's maximum holds beside them. Without a limit
        to change it is refused. To stop payments, freeze the account.
        """,
        flags: [
            .optional(
                "per-transfer", "AMOUNT|none",
                "The largest single transfer, such as 500.00 in the account's currency."),
            .optional("daily", "AMOUNT|none", "The most that may leave it in one day of the bank."),
        ], example: " \\\n    --per-transfer 500.00 --daily none")
    static let accountClose = account(
        "close", "Close an account for ever.",
        """
        Refused while there is money on the account (let its customer pay it out first), and while
        a payment from it has not ended, because its money may come back. From the next attempt on
        the account neither pays nor is paid (402 account_closed), and nothing opens it again.
        """)

    static let accountOpen = CommandDescription(
        name: "account open", summary: "Open an account, and its customer if need be.",
        flags: [
            file, .required("customer", "ID", "Whose it is: the claim sub of the tokens."),
            .required("iban", "IBAN", "The account's IBAN, which no account has yet."),
            .required("currency", "CODE", "The account's currency, such as EUR."),
            .optional(
                "opening", "AMOUNT",
                "Money to begin with, such as 100.00, from the bank's funding account. Default "
                    + "none."),
            .optional(
                "per-transfer", "AMOUNT", "The largest single transfer. Default no limit."),
            .optional(
                "daily", "AMOUNT",
                "The most that may leave it in one day of the bank. Default no limit."),
            json,
        ], argument: nil,
        text: """
            Opens an account in one short transaction, also beside a running server, and prints it.
            Amounts are decimal numbers with at most as many decimals as the currency has. An IBAN
            that is taken is refused, also if its account is closed.
            """,
        example: """
            transferd account open --database transferd-demo.db --customer dora \\
                --iban DE02120300000000202051 --currency EUR --opening 100.00
            """,
        exitCodes: [.damage] + databaseCodes)

    private static let iban = CommandDescription.Flag.optional(
        "iban", "IBAN", "The account's IBAN; instead of ACCOUNTID.")

    private static func account(
        _ verb: String, _ summary: String, _ text: String, flags: [CommandDescription.Flag] = [],
        example: String = ""
    ) -> CommandDescription {
        CommandDescription(
            name: "account " + verb, summary: summary, flags: [file, iban] + flags + [json],
            argument: "ACCOUNTID", text: text,
            example: "transferd account \(verb) --database transferd-demo.db "
                + "--iban DE89370400440532013000\(example)",
            exitCodes: [.damage] + databaseCodes)
    }
}
