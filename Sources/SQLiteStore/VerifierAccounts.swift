import Platform
import Store

extension VerificationRun {
    private struct Account {
        let customer: String
        let id: UUID128
        let iban: String
        let currency: String
        let balance: Int64
        let usageDay: Int64
        let usedToday: Int64
        let lastPosting: Int64?
    }

    private struct Link {
        let customer: String
        let account: UUID128?
        let currency: String
        let amount: Int64
        let previous: Int64?
        /// The posting that executed the entry, where the entry is a transfer.
        let execution: Int64?
        let businessDay: Int64
    }

    /// Balances, chains and counters.
    ///
    /// A page of accounts is one committed state. Their chains are walked afterwards: what hangs on
    /// a posting never changes.
    func verifyAccounts(_ postings: CustomerPostings) throws(SQLiteError) {
        let page = try connection.prepare(
            """
            SELECT customer_id, account_id, iban, currency, balance, usage_day, used_today,
                   last_posting_id
            FROM accounts WHERE (customer_id, account_id) > (?, ?)
            ORDER BY customer_id, account_id LIMIT ?
            """)
        let directory = try connection.prepare(
            "SELECT customer_id, account_id FROM account_ibans WHERE iban = ?")
        let link = try connection.prepare(
            """
            SELECT p.customer_id, p.account_id, p.currency, p.amount, p.previous_posting_id,
                   t.posting_id, t.business_day
            FROM postings AS p LEFT JOIN transfers AS t ON t.transfer_id = p.entry_id
            WHERE p.posting_id = ?
            """)
        var after = (customer: "", account: [UInt8]())
        var walked = (links: 0, allWhole: true)
        var rows = 0
        repeat {
            let accounts: [Account]
            (accounts, rows) = try snapshot { () throws(SQLiteError) in
                page.bind(1, after.customer)
                page.bind(2, after.account)
                page.bind(3, Int64(rangeRows))
                let (accounts, rows) = try read(.accountBalances, page) {
                    row throws(SQLiteError) in
                    after = (row.text(0), row.bytes(1))
                    return Account(
                        customer: row.text(0), id: try row.uuid(1), iban: row.text(2),
                        currency: row.text(3), balance: row.integer(4), usageDay: row.integer(5),
                        usedToday: row.integer(6), lastPosting: row.optionalInteger(7))
                }
                for account in accounts { try verify(account, in: directory) }
                return (accounts, rows)
            }
            count(accounts.count, .dailyUsage)
            try verify(accounts, link, newest: postings.newest, &walked)
            progress(rows, .accountBalances)
        } while rows == rangeRows
        count(walked.links, .postingChains)
        // Chains do not share postings, because each posting names its account.
        if walked.allWhole, walked.links != postings.count {
            damage(
                .postingChains,
                "of the \(postings.count) postings on customers' accounts \(walked.links) are "
                    + "reached from the accounts")
        }
    }

    private func verify(
        _ account: Account, in directory: Statement
    ) throws(SQLiteError) {
        count(1, .directory)
        directory.bind(1, account.iban)
        let isListed = try directory.first { row in
            row.text(0) == account.customer && row.bytes(1) == Self.bytes(account.id)
        }
        if isListed != true {
            damage(.directory, "the IBAN of account \(account.id) does not lead to it")
        }
    }

    private static func bytes(_ id: UUID128) -> [UInt8] {
        var bytes: [UInt8] = []
        id.append(bytesTo: &bytes)
        return bytes
    }

    /// Walks the chains of `accounts`, at most `rangeRows` links in one transaction.
    private func verify(
        _ accounts: [Account], _ link: Statement, newest: Int64,
        _ walked: inout (links: Int, allWhole: Bool)
    ) throws(SQLiteError) {
        var walks = accounts.map { ChainWalk(account: $0, next: $0.lastPosting) }
        var index = 0
        while index < walks.count {
            try snapshot { () throws(SQLiteError) in
                for _ in 0..<rangeRows where index < walks.count {
                    if walks[index].next != nil {
                        try step(&walks[index], link, newest: newest)
                    } else {
                        finish(walks[index])
                        walked.links += walks[index].links
                        if walks[index].isBroken { walked.allWhole = false }
                        index += 1
                    }
                }
            }
        }
    }

    private struct ChainWalk {
        let account: Account
        var next: Int64?
        var sum: Int128 = 0
        var used: Int128 = 0
        /// Links up to the newest posting that was counted.
        var links = 0
        var isBroken = false
    }

    private func step(
        _ walk: inout ChainWalk, _ link: Statement, newest: Int64
    ) throws(SQLiteError) {
        guard let id = walk.next else { return }
        let account = walk.account
        link.bind(1, id)
        let found = try link.firstReadable { row throws(SQLiteError) in
            Link(
                customer: row.text(0), account: try row.optionalUUID(1), currency: row.text(2),
                amount: row.integer(3), previous: row.optionalInteger(4),
                execution: row.optionalInteger(5), businessDay: row.integer(6))
        }
        func breakOff(_ fault: String) {
            damage(.accountBalances, "account \(account.id): \(fault)")
            walk.isBroken = true
            walk.next = nil
        }
        guard let found else { return breakOff("its posting \(id) is not there") }
        guard found.customer == account.customer, found.account == account.id,
            found.currency == account.currency
        else { return breakOff("its chain leads to posting \(id) of another account") }
        if let previous = found.previous, previous >= id {
            return breakOff("posting \(id) names the later posting \(previous)")
        }
        walk.sum += Int128(found.amount)
        if id <= newest { walk.links += 1 }
        if found.execution == id {
            if found.businessDay == account.usageDay { walk.used -= Int128(found.amount) }
            if found.businessDay > account.usageDay {
                damage(.dailyUsage, "account \(account.id) paid on a day after its counter's")
            }
        }
        walk.next = found.previous
    }

    private func finish(_ walk: ChainWalk) {
        let account = walk.account
        if account.balance < 0 {
            damage(.accountBalances, "account \(account.id) has a negative balance")
        }
        // Nothing can be said about a sum that is not whole.
        if walk.isBroken { return }
        if walk.sum != Int128(account.balance) {
            damage(
                .accountBalances,
                "account \(account.id) has a balance of \(account.balance), its postings sum to "
                    + "\(walk.sum)")
        }
        if walk.used != Int128(account.usedToday) {
            damage(
                .dailyUsage,
                "account \(account.id) counts \(account.usedToday) for day \(account.usageDay), "
                    + "its transfers of that day sum to \(walk.used)")
        }
    }
}
