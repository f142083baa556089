/// What looks after the database file.
extension CommandTable {
    static let migrate = CommandDescription(
        name: "migrate", summary: "Bring a database up to date, or make a new one.",
        flags: [
            file,
            .optional(
                "runtime-role", "ROLE",
                "On PostgreSQL: gives this role what a server needs, and no more."),
        ], argument: nil,
        text: """
            Applies the migrations that the database does not have yet, all or none. Made anew if
            the file is missing. Run again it changes nothing. Not while a server runs on an old
            one.

            On PostgreSQL the database must be there; name it by a URL of the role that is to own
            the tables, and have servers connect as another.
            """,
        example: "transferd migrate --database /var/lib/bank.db", exitCodes: databaseCodes)

    static let verify = CommandDescription(
        name: "verify", summary: "Prove from the rows that the books are right.",
        flags: [
            file, json,
            .toggle(
                "structure",
                "Also check the file's pages, in one transaction as long as reading the file."),
        ], argument: nil,
        text: """
            Checks that postings sum to zero, that balances and counters equal their postings, that
            every outcome has its transfer and the reverse, and more. Prints each check with the
            number of rows it looked at. Works while a server runs.
            """,
        example: "transferd verify --database /var/lib/bank.db",
        exitCodes: [.damage] + databaseCodes)

    private static let sqliteFile = CommandDescription.Flag.required(
        "database", "FILE", "The SQLite database. PostgreSQL has tools of its own for this.")

    static let backup = CommandDescription(
        name: "backup", summary: "Copy a database while a server works on it.",
        flags: [
            sqliteFile, .required("to", "FILE", "The copy; its folder must exist."),
            .toggle("force", "Replace FILE if it is there. Else that is refused."), json,
        ], argument: nil,
        text: """
            Copies the database as it is at one moment, page by page with small pauses, so that a
            server goes on meanwhile; its write-ahead log grows until the copy is done. The copy
            gets its name only after its pages and its books were verified, and is synced to the
            disk. It holds all that the bank knows, secrets of a demo included. An interrupted
            backup may leave a file FILE.partial-…, which can be deleted.
            """,
        example: "transferd backup --database /var/lib/bank.db --to /backup/bank-1130.db",
        exitCodes: [.damage] + databaseCodes)

    static let restore = CommandDescription(
        name: "restore", summary: "Put a backup in a database's place.",
        flags: [
            .required("from", "FILE", "A file that `transferd backup` made."),
            .required("to", "DATABASE", "Where the server will look for its database."),
            .toggle(
                "force",
                "Take the place of a DATABASE that is there; it is kept beside, under a name that "
                    + "is printed."),
            json,
        ], argument: nil,
        text: """
            Verifies the backup, copies it, verifies the copy, and only then gives it its place. Not
            while a server runs on DATABASE.

            What was committed after the backup is not in it. A client that retries a key of that
            time is executed as if it came first: before customers are let in again, compare with
            the file that was kept and with what left the bank meanwhile.
            """,
        example: "transferd restore --from /backup/bank-1130.db --to /var/lib/bank.db --force",
        exitCodes: [.damage] + databaseCodes)
}
