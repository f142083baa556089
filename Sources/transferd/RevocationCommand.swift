import Bank
import Configuration
import Identity
import JSON
import Platform
import Store

/// `transferd revocation add|remove|list`
enum RevocationCommand {
    private static let flags: [(name: String, kind: RevocationList.Kind)] = [
        ("customer", .customer), ("session", .session), ("token", .token),
    ]

    static func add(_ invocation: Invocation) throws {
        let database = try invocation.database()
        let entry = try one(invocation)
        try DatabaseFile.require(database)
        let isNew = try database.backOffice.revoke(
            kind: entry.kind.rawValue, entry.value, at: SystemWallClock().now())
        if !invocation.has("json") {
            try Terminal.out(isNew ? "" : "This was revoked already:\n")
        }
        try print([entry], invocation)
    }

    static func remove(_ invocation: Invocation) throws {
        let database = try invocation.database()
        let entry = try one(invocation)
        try DatabaseFile.require(database)
        let wasThere = try database.backOffice.liftRevocation(
            kind: entry.kind.rawValue, entry.value)
        guard wasThere else {
            throw CommandError(
                .damage,
                "The \(entry.kind.name) \(entry.value) is not revoked in \(database). `transferd "
                    + "revocation list --database \(database.argument)` lists what is.")
        }
        if !invocation.has("json") {
            return try Terminal.out(
                "Tokens of the \(entry.kind.name) \(entry.value) are accepted again within "
                    + "seconds.\n")
        }
        try print([entry], invocation)
    }

    static func list(_ invocation: Invocation) throws {
        let database = try invocation.database()
        let wanted = try named(invocation)
        guard wanted.count <= 1 else { throw tooMany(invocation) }
        try DatabaseFile.require(database)
        try print(wanted.isEmpty ? nil : wanted, invocation)
    }

    private static func one(_ invocation: Invocation) throws -> RevocationList.Entry {
        let named = try named(invocation)
        guard let entry = named.first, named.count == 1 else { throw tooMany(invocation) }
        return entry
    }

    private static func tooMany(_ invocation: Invocation) -> UsageError {
        UsageError(
            "Name one: --customer ID, --session SID or --token JTI.", invocation.command)
    }

    private static func named(_ invocation: Invocation) throws -> [RevocationList.Entry] {
        try flags.compactMap { flag in
            guard let value = invocation[flag.name] else { return nil }
            if flag.kind == .customer { _ = try invocation.customer() }
            // As long as a token's claims may be, and without what the store cannot keep.
            guard value.utf8.count <= 256, !value.utf8.contains(0) else {
                throw UsageError(
                    "--\(flag.name) takes 1 to 256 bytes, as the token has them.",
                    invocation.command)
            }
            return RevocationList.Entry(kind: flag.kind, value: value)
        }
    }

    /// Prints the revocations that are in force: all, or those of `wanted`. What was just removed
    /// has no time.
    private static func print(
        _ wanted: [RevocationList.Entry]?, _ invocation: Invocation
    ) throws {
        let all = try invocation.database().backOffice.revocations()
        let found = all.compactMap { row in
            RevocationList.Kind(rawValue: row.kind).map {
                (
                    entry: RevocationList.Entry(kind: $0, value: row.value),
                    time: row.revokedAt.rfc3339
                )
            }
        }.filter { row in wanted.map { $0.contains(row.entry) } ?? true }
        if invocation.has("json") {
            var json = JSONWriter()
            json.beginObject()
            json.beginArray("revocations")
            for row in found {
                json.beginObject()
                json.member("kind", row.entry.kind.name)
                json.member("value", row.entry.value)
                json.member("revokedAt", row.time)
                json.endObject()
            }
            json.endArray()
            json.endObject()
            return try Terminal.out(json: json.finish())
        }
        let rows = found.map { [$0.entry.kind.name, $0.entry.value, $0.time] }
        try Terminal.out(Terminal.table([["kind", "value", "revoked at"]] + rows))
    }
}
