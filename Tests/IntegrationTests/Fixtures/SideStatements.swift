import TestSupport

extension TestBank {
    /// Takes access away behind the server's back. `kind`: 1 customer, 2 session, 3 token.
    func revoke(_ kind: Int, _ value: String, atMicroseconds time: Int64) throws {
        try database().execute(
            "INSERT INTO revocations VALUES (\(kind), '\(value)', \(instant(time)))")
    }

    func block(_ ibans: String...) throws {
        let rows = ibans.map { "('\($0)', \(instant(0)))" }.joined(separator: ", ")
        try database().execute("INSERT INTO blocked_beneficiaries VALUES \(rows)")
    }

    /// All customers, behind the server's back.
    func setRestricted(_ restricted: Bool) throws {
        let value = store == .sqlite ? (restricted ? "1" : "0") : "\(restricted)"
        try database().execute("UPDATE customers SET restricted = \(value)")
    }

    /// From now on the schema refuses what `event` does where `condition` holds.
    func addTrigger(_ name: String, _ event: String, on table: String, when condition: String)
        throws
    {
        switch store {
        case .sqlite:
            try database().execute(
                """
                CREATE TRIGGER \(name) BEFORE \(event) ON \(table) WHEN \(condition)
                BEGIN SELECT RAISE(ABORT, 'refused by a test'); END
                """)
        case .postgres:
            try database().execute(
                """
                CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    RAISE EXCEPTION 'refused by a test' USING ERRCODE = '23514';
                END $$;
                CREATE TRIGGER \(name) BEFORE \(event) ON \(table) FOR EACH ROW WHEN (\(condition))
                EXECUTE FUNCTION \(name)()
                """)
        }
    }

    func dropTrigger(_ name: String, on table: String) throws {
        switch store {
        case .sqlite: try database().execute("DROP TRIGGER \(name)")
        case .postgres:
            try database().execute("DROP TRIGGER \(name) ON \(table); DROP FUNCTION \(name)()")
        }
    }

    private func instant(_ microseconds: Int64) -> String {
        switch store {
        case .sqlite: "\(microseconds)"
        case .postgres: "to_timestamp(\(microseconds / 1_000_000))"
        }
    }
}
