/// What staff do to customers and to their access.
extension CommandTable {
    private static let customer = CommandDescription.Flag.required(
        "customer", "ID", "The customer: the claim sub of the tokens.")

    static let customerList = CommandDescription(
        name: "customer list", summary: "List customers.",
        flags: [file, json], argument: nil,
        text: """
            Lists the customers by id, with how many accounts each has and whether it is restricted
            or revoked. Works while a server runs.
            """,
        example: "transferd customer list --database transferd-demo.db", exitCodes: databaseCodes)

    static let customerRestrict = change(
        "restrict", "Let a customer make no new transfers.",
        """
        From the next attempt on new transfers are refused with 402 customer_restricted, also by a
        server that is running. The customer still sees everything, and attempts whose outcome is
        stored get that outcome. `transferd customer release` lifts it.
        """)
    static let customerRevoke = change(
        "revoke", "Take a customer's access away.",
        """
        Within seconds every request with a token that this customer was issued up to now (claim
        iat; also one without it) is refused with 401 token_revoked, replays included; a server
        that runs reads this once a second. Tokens of a later login are accepted. The same as
        `transferd revocation add --customer ID`. `transferd customer release` takes it back, and
        then the old tokens count again; to keep a customer from paying, use `customer restrict`.
        """)
    static let customerRelease = change(
        "release", "Give a customer back what restrict and revoke took.",
        """
        Lifts both: the restriction, from the next attempt on, and the revocation of the customer,
        within seconds. Revocations of single sessions and tokens stay; `transferd revocation list`
        shows them. Attempts that were refused with 402 meanwhile stay refused.
        """)

    private static func change(
        _ verb: String, _ summary: String, _ text: String
    ) -> CommandDescription {
        CommandDescription(
            name: "customer " + verb, summary: summary, flags: [file, customer, json],
            argument: nil, text: text,
            example: "transferd customer \(verb) --database transferd-demo.db --customer alice",
            exitCodes: [.damage] + databaseCodes)
    }

    static let revocationAdd = revocation(
        "add", "Refuse the tokens a customer has, a session, or one token.",
        """
        Within seconds every request with such a token is refused with 401 token_revoked, replays
        included. Name exactly one of the three. For a customer these are the tokens issued up to
        now, and again moves that time on. The value need not be known here: it is compared with
        what tokens will say.
        """, [.damage])
    static let revocationRemove = revocation(
        "remove", "Accept again what was refused by `revocation add`.",
        """
        Within seconds such tokens are accepted again, as long as they have not expired and nothing
        else of them is revoked. Name exactly one of the three, as `transferd revocation list`
        prints it. It ends with 1 if there is no such revocation.
        """, [.damage])
    static let revocationList = revocation(
        "list", "List what is revoked.",
        """
        Lists the revocations, newest first; with one of the three flags only that one, if it is
        there. Works while a server runs.
        """, [], example: "")

    private static func revocation(
        _ verb: String, _ summary: String, _ text: String, _ codes: [ExitCode],
        example: String = " --session 7f6c2a"
    ) -> CommandDescription {
        CommandDescription(
            name: "revocation " + verb, summary: summary,
            flags: [
                file,
                .optional("customer", "ID", "All tokens whose claim sub is this."),
                .optional("session", "SID", "All tokens whose claim sid is this."),
                .optional("token", "JTI", "The token whose claim jti is this."), json,
            ], argument: nil, text: text,
            example: "transferd revocation \(verb) --database transferd-demo.db" + example,
            exitCodes: codes + databaseCodes)
    }
}
