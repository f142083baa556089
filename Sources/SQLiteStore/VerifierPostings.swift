import Platform
import Store

extension VerificationRun {
    /// The postings on customers' accounts up to a certain one.
    struct CustomerPostings {
        /// Postings up to this id count; later ones have arrived since.
        var newest: Int64 = 0
        var count = 0
    }

    private struct Leg {
        let id: Int64
        let customer: String
        let entry: UUID128
        /// As `LedgerAccount.code`.
        let kind: Int64
        let account: UUID128?
        let currency: String
        let amount: Int64
        let previous: Int64?
    }

    /// What a transfer says about its postings.
    private struct Entry {
        let customer: String
        let account: UUID128?
        let currency: String
        let amount: Int64
        let execution: Int64?
        let returning: Int64?
    }

    /// Pairs, their entries and the totals, up to the newest posting at the start.
    func verifyPostings() throws(SQLiteError) -> CustomerPostings {
        var customers = CustomerPostings()
        customers.newest = try connection.integer("SELECT max(posting_id) FROM postings") ?? 0
        var totals: [String: Int128] = [:]
        var after: Int64 = 0
        let page = try connection.prepare(
            """
            SELECT posting_id, customer_id, entry_id, ledger_account, account_id, currency, amount,
                   previous_posting_id
            FROM postings WHERE posting_id > ? AND posting_id <= ? ORDER BY posting_id LIMIT ?
            """)
        let entries = try EntryLookup(connection)
        try ranges(.postingPairs) { () throws(SQLiteError) in
            page.bind(1, after)
            page.bind(2, customers.newest)
            page.bind(3, Int64(rangeRows))
            var last = after
            var (legs, rows) = try read(.postingPairs, page) { row throws(SQLiteError) in
                last = row.integer(0)
                return Leg(
                    id: row.integer(0), customer: row.text(1), entry: try row.uuid(2),
                    kind: row.integer(3), account: try row.optionalUUID(4), currency: row.text(5),
                    amount: row.integer(6), previous: row.optionalInteger(7))
            }
            // A pair is not cut in two: its first leg is read again with its second.
            let isCut = rows == rangeRows && last % 2 != 0
            if isCut, legs.last?.id == last { legs.removeLast() }
            after = isCut ? last - 1 : last
            for leg in legs {
                totals[leg.currency, default: 0] += Int128(leg.amount)
                if leg.kind == 0 { customers.count += 1 }
            }
            try verify(legs, entries)
            return rows
        }
        count(totals.count, .currencyTotals)
        for (currency, total) in totals.sorted(by: { $0.key < $1.key }) where total != 0 {
            damage(.currencyTotals, "the postings in \(currency) sum to \(total) minor units")
        }
        return customers
    }

    private func verify(_ legs: [Leg], _ entries: EntryLookup) throws(SQLiteError) {
        var index = 0
        while index < legs.count {
            let leg = legs[index]
            index += 1
            guard leg.id % 2 != 0, index < legs.count, legs[index].id == leg.id + 1 else {
                damage(.postingPairs, "posting \(leg.id) has no partner")
                continue
            }
            let counter = legs[index]
            index += 1
            if let fault = Self.fault(leg, counter) {
                damage(.postingPairs, "postings \(leg.id) and \(counter.id) \(fault)")
                continue
            }
            count(1, .postingEntries)
            if let fault = try fault(of: leg, isOpening: counter.kind == 2, entries) {
                damage(.postingEntries, "posting \(leg.id) of entry \(leg.entry) \(fault)")
            }
        }
    }

    private static func fault(_ leg: Leg, _ counter: Leg) -> String? {
        if leg.entry != counter.entry { return "belong to two entries" }
        if leg.customer != counter.customer { return "belong to two customers" }
        if leg.currency != counter.currency { return "are in two currencies" }
        if leg.kind != 0 || leg.account == nil { return "touch no customer's account" }
        if counter.kind != 1 && counter.kind != 2 { return "touch two customers' accounts" }
        let (sum, overflow) = leg.amount.addingReportingOverflow(counter.amount)
        return sum == 0 && !overflow ? nil : "do not sum to zero"
    }

    /// What is wrong between a pair and the one that it says it belongs to.
    private func fault(
        of leg: Leg, isOpening: Bool, _ entries: EntryLookup
    ) throws(SQLiteError) -> String? {
        let transfer = try entries.transfer(leg.entry)
        if isOpening {
            if transfer != nil { return "is an opening and a transfer" }
            if leg.previous != nil { return "is an opening and not its account's first posting" }
            return leg.amount > 0 ? nil : "is an opening that takes money"
        }
        guard let transfer else { return "belongs to no transfer" }
        guard leg.currency == transfer.currency else { return "is not in its transfer's currency" }
        let isOfDebtor = leg.customer == transfer.customer && leg.account == transfer.account
        if transfer.execution == leg.id {
            guard isOfDebtor else { return "executes its transfer on another account" }
            return leg.amount == -transfer.amount
                ? nil : "executes its transfer with another amount"
        }
        if transfer.returning == leg.id {
            guard isOfDebtor else { return "returns its transfer to another account" }
            return leg.amount == transfer.amount ? nil : "returns its transfer with another amount"
        }
        if let credit = try entries.credit(leg.customer, leg.entry), credit.posting == leg.id {
            guard credit.account == leg.account else { return "credits another account" }
            return leg.amount == transfer.amount ? nil : "credits another amount"
        }
        return "is named neither by its transfer nor by a credit"
    }

    private final class EntryLookup {
        private let transferByID: Statement
        private let creditByID: Statement

        init(_ connection: Connection) throws(SQLiteError) {
            transferByID = try connection.prepare(
                """
                SELECT customer_id, debtor_account_id, currency, amount, posting_id,
                       return_posting_id
                FROM transfers WHERE transfer_id = ?
                """)
            creditByID = try connection.prepare(
                """
                SELECT account_id, posting_id FROM credits
                WHERE customer_id = ? AND transfer_id = ?
                """)
        }

        func transfer(_ id: UUID128) throws(SQLiteError) -> Entry? {
            transferByID.bind(1, id)
            return try transferByID.firstReadable { row throws(SQLiteError) in
                Entry(
                    customer: row.text(0), account: try row.optionalUUID(1), currency: row.text(2),
                    amount: row.integer(3), execution: row.optionalInteger(4),
                    returning: row.optionalInteger(5))
            }
        }

        func credit(
            _ payee: String, _ transfer: UUID128
        ) throws(SQLiteError) -> (account: UUID128, posting: Int64?)? {
            creditByID.bind(1, payee)
            creditByID.bind(2, transfer)
            return try creditByID.firstReadable { row throws(SQLiteError) in
                (try row.uuid(0), row.optionalInteger(1))
            }
        }
    }
}
