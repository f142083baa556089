import Ledger
import Platform
import Store

extension VerificationRun {
    /// Each IBAN of the directory against its account; the reverse is proved with the accounts.
    func verifyDirectory() throws(SQLiteError) {
        let page = try connection.prepare(
            """
            SELECT i.iban, i.account_id, a.iban FROM account_ibans AS i
            LEFT JOIN accounts AS a
                ON a.customer_id = i.customer_id AND a.account_id = i.account_id
            WHERE i.iban > ? ORDER BY i.iban LIMIT ?
            """)
        var after = ""
        try ranges(.directory) { () throws(SQLiteError) in
            page.bind(1, after)
            page.bind(2, Int64(rangeRows))
            return try read(.directory, page) { row throws(SQLiteError) in
                after = row.text(0)
                if row.optionalText(2) != after {
                    damage(
                        .directory, "account \(try row.uuid(1)) is not there or has another IBAN")
                }
            }.rows
        }
    }

    /// The outbox against the transfers. Returns the transfers that it named.
    func verifyOutbox() throws(SQLiteError) -> Set<TransferID> {
        let page = try connection.prepare(
            """
            SELECT o.outbox_id, o.transfer_id, o.customer_id, o.connector, t.customer_id, t.state,
                   i.iban
            FROM outbox AS o
            LEFT JOIN transfers AS t ON t.transfer_id = o.transfer_id
            LEFT JOIN account_ibans AS i ON i.iban = t.creditor_iban
            WHERE o.outbox_id > ? ORDER BY o.outbox_id LIMIT ?
            """)
        var named: Set<TransferID> = []
        var after = Int64.min
        try ranges(.outbox) { () throws(SQLiteError) in
            page.bind(1, after)
            page.bind(2, Int64(rangeRows))
            return try read(.outbox, page) { row throws(SQLiteError) in
                after = row.integer(0)
                let id = TransferID(try row.uuid(1))
                if !named.insert(id).inserted {
                    damage(.outbox, "transfer \(id) is in the outbox twice")
                }
                if let fault = try Self.outboxFault(row) {
                    damage(.outbox, "row \(after) \(fault)")
                }
            }.rows
        }
        return named
    }

    private static func outboxFault(_ row: Row) throws(SQLiteError) -> String? {
        if row.isNull(4) { return "names no transfer" }
        if row.text(2) != row.text(4) { return "is of another customer than its transfer" }
        if try row.value(5, as: TransferState.self).isTerminal {
            return "names a transfer that has ended"
        }
        let connector = try row.value(3, as: ConnectorKind.self)
        return connector == .book && row.isNull(6) ? "is a booking to no account here" : nil
    }

    private struct Credit {
        let payee: String
        let transfer: TransferID
        let account: UUID128
        let decision: CreditDecision
        let posting: Int64?
    }

    /// Credits against their postings and transfers.
    func verifyCredits() throws(SQLiteError) {
        let page = try connection.prepare(
            """
            SELECT customer_id, transfer_id, account_id, decision, reason, posting_id
            FROM credits WHERE (customer_id, transfer_id) > (?, ?)
            ORDER BY customer_id, transfer_id LIMIT ?
            """)
        let transferByID = try connection.prepare(SQL.selectTransfer + " WHERE transfer_id = ?")
        let owner = try connection.prepare(
            "SELECT customer_id, account_id FROM account_ibans WHERE iban = ?")
        let posting = try connection.prepare(
            "SELECT entry_id, customer_id, account_id FROM postings WHERE posting_id = ?")
        var after = (payee: "", transfer: [UInt8]())
        try ranges(.credits) { () throws(SQLiteError) in
            page.bind(1, after.payee)
            page.bind(2, after.transfer)
            page.bind(3, Int64(rangeRows))
            let (credits, rows) = try read(.credits, page) { row throws(SQLiteError) in
                after = (row.text(0), row.bytes(1))
                return Credit(
                    payee: row.text(0), transfer: TransferID(try row.uuid(1)),
                    account: try row.uuid(2), decision: try row.creditDecision(3, reason: 4),
                    posting: row.optionalInteger(5))
            }
            for credit in credits {
                transferByID.bind(1, credit.transfer.uuid)
                let transfer = try transferByID.firstReadable { row throws(SQLiteError) in
                    try row.transfer()
                }
                if let fault = try fault(of: credit, transfer, owner, posting) {
                    damage(.credits, "the credit of transfer \(credit.transfer) \(fault)")
                }
            }
            return rows
        }
    }

    private func fault(
        of credit: Credit, _ transfer: TransferRow?, _ owner: Statement, _ posting: Statement
    ) throws(SQLiteError) -> String? {
        guard let transfer else { return "has no transfer" }
        guard case .credited = credit.decision else {
            if credit.posting != nil { return "is refused and has a posting" }
            // A refusal gives the money back, and nothing else ends such a transfer.
            return [.settled, .rejected, .expired].contains(transfer.state)
                ? "is refused, its transfer \(transfer.state)" : nil
        }
        if [.returned, .rejected, .expired].contains(transfer.state) {
            return "is made, its transfer \(transfer.state)"
        }
        owner.bind(1, transfer.creditorIBAN)
        let isPayee = try owner.firstReadable { row throws(SQLiteError) in
            let account = try row.uuid(1)
            return row.text(0) == credit.payee && account == credit.account
        }
        guard isPayee == true else { return "is on another account than the creditor's" }
        guard let id = credit.posting else { return "is made and has no posting" }
        posting.bind(1, id)
        let isPosted = try posting.firstReadable { row throws(SQLiteError) in
            let (entry, account) = (try row.uuid(0), try row.optionalUUID(2))
            return entry == credit.transfer.uuid && row.text(1) == credit.payee
                && account == credit.account
        }
        return isPosted == true ? nil : "names posting \(id), which is not it"
    }
}
