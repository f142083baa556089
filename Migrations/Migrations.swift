/// One step of the schema: applied once, in order, never changed afterwards.
package struct Migration: Sendable {
    /// 1, 2, 3 … without gaps.
    package let number: Int
    /// The file's name without its number and ending.
    package let name: String
    package let sql: [UInt8]
}

/// The ordered list of each store's migrations.
package enum Migrations {
    /// The SQLite schema's steps. A test compares this list with the folder.
    package static let sqlite: [Migration] = [
        Migration(number: 1, name: "initial", sql: PackageResources._001_initial_sql),
        Migration(number: 2, name: "revocations", sql: PackageResources._002_revocations_sql),
        Migration(number: 3, name: "plain_checks", sql: PackageResources._003_plain_checks_sql),
    ]

    /// The PostgreSQL schema's steps, likewise.
    package static let postgres: [Migration] = [
        Migration(number: 1, name: "ledger", sql: PackageResources._001_ledger_sql)
    ]

    /// Gives the role that the setting `transferd.runtime_role` names what a server needs.
    package static let postgresGrants: [UInt8] = PackageResources.grants_sql
}
