/// What `verify` proves, each from the rows alone.
package enum VerificationCheck: String, Sendable, CaseIterable {
    /// The database file's own pages and indexes.
    case fileStructure = "file structure"
    /// Postings come in pairs n and n + 1 of one entry, customer and currency that sum to zero.
    case postingPairs = "posting pairs"
    /// Each pair is the one execution, return or credit of its transfer, or an opening.
    case postingEntries = "posting entries"
    /// All postings of a currency sum to zero.
    case currencyTotals = "currency totals"
    /// An account's postings sum to its balance, which is not negative.
    case accountBalances = "account balances"
    /// Every posting on a customer's account is reached from that account.
    case postingChains = "posting chains"
    /// A day's counter is the sum of what was executed on that day.
    case dailyUsage = "daily usage"
    /// A transfer's money is in transit until it is credited or the transfer has ended.
    case transitBalances = "transit balances"
    /// Each transfer has its outcome.
    case transferOutcomes = "transfer outcomes"
    /// Each outcome has its transfer in a state that fits, and is the only one of its key.
    case outcomes = "outcomes"
    /// The stored fingerprint is that of the stored intent.
    case fingerprints = "fingerprints"
    /// A customer's events are numbered from 1 without gaps.
    case eventSequences = "event sequences"
    /// A transfer's events lead to its state by steps that exist, and all of them do.
    case eventChains = "event chains"
    /// Each account has its IBAN in the directory and the reverse.
    case directory = "IBAN directory"
    /// Exactly the transfers that have not ended have work for settlement, once each.
    case outbox = "outbox"
    /// Each credit has its posting, and each decision fits what became of the transfer.
    case credits = "credits"
}

/// What a verification looked at, and what it found.
package struct VerificationReport: Sendable {
    /// Damages beyond this many are counted and not described.
    package static let describedDamages = 100

    /// Each check with the rows that it looked at, in the order in which they began.
    package private(set) var checks: [(name: String, rows: Int)] = []
    /// "check: what is wrong with which row", in the order of discovery. Names ids, never IBANs,
    /// names or texts.
    package private(set) var damages: [String] = []
    /// All damages, described or not.
    package private(set) var damageCount = 0

    package init() {}

    package var isSound: Bool { damageCount == 0 }

    /// `check` has looked at `rows` more rows. Returns all that it has looked at.
    @discardableResult
    package mutating func count(_ rows: Int, _ check: VerificationCheck) -> Int {
        guard let index = checks.firstIndex(where: { $0.name == check.rawValue }) else {
            checks.append((check.rawValue, rows))
            return rows
        }
        checks[index].rows += rows
        return checks[index].rows
    }

    /// Notes one damage that the check found.
    package mutating func add(_ check: VerificationCheck, _ damage: String) {
        damageCount += 1
        if damages.count < Self.describedDamages { damages.append("\(check.rawValue): \(damage)") }
    }
}
