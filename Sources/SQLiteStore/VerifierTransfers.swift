import Ledger
import Platform
import Store

extension VerificationRun {
    /// Transit balances, events, outcomes and outbox rows of each transfer, up to the newest one at
    /// the start. `pending` are the transfers that had an outbox row before this began.
    func verifyTransfers(pending: Set<TransferID>) throws(SQLiteError) {
        let page = try connection.prepare(
            SQL.selectTransfer
                + " WHERE transfer_id > ? AND transfer_id <= ? ORDER BY transfer_id LIMIT ?")
        let newest = try connection.prepare("SELECT max(transfer_id) FROM transfers")
        let lookup = try TransferLookup(connection)
        let end = try newest.first { $0.bytes(0) } ?? []
        var after: [UInt8] = []
        try ranges(.transitBalances) { () throws(SQLiteError) in
            page.bind(1, after)
            page.bind(2, end)
            page.bind(3, Int64(rangeRows))
            let (transfers, rows) = try read(.transitBalances, page) { row throws(SQLiteError) in
                after = row.bytes(0)
                return try row.transfer()
            }
            var open: Set<TransferID> = []
            for transfer in transfers {
                if let fault = try lookup.transitFault(of: transfer) {
                    damage(.transitBalances, "transfer \(transfer.id) \(fault)")
                }
                if let fault = try lookup.eventFault(of: transfer) {
                    damage(.eventChains, "transfer \(transfer.id) \(fault)")
                }
                if try lookup.outcome(of: transfer.intent) != transfer.id {
                    damage(.transferOutcomes, "transfer \(transfer.id) is not its key's outcome")
                }
                if !transfer.state.isTerminal, !pending.contains(transfer.id) {
                    open.insert(transfer.id)
                }
            }
            count(transfers.count, .transferOutcomes)
            try verifyPending(open)
            return rows
        }
    }

    /// Looks again, in the state that the transfers were read from, for outbox rows that were not
    /// there earlier: those of transfers that are newer than that.
    private func verifyPending(_ transfers: Set<TransferID>) throws(SQLiteError) {
        guard !transfers.isEmpty else { return }
        var missing = transfers
        try connection.prepare("SELECT transfer_id FROM outbox").eachRow {
            row throws(SQLiteError) in
            if let id = UUID128(bytes: row.bytes(0)) { missing.remove(TransferID(id)) }
        }
        for id in missing.sorted() {
            damage(.outbox, "transfer \(id) has not ended and has no outbox row")
        }
    }
}

/// What the other tables say about one transfer.
private final class TransferLookup {
    private let legByID: Statement
    private let creditByTransfer: Statement
    private let eventBySequence: Statement
    private let outcomeByKey: Statement

    init(_ connection: Connection) throws(SQLiteError) {
        legByID = try connection.prepare(
            """
            SELECT ledger_account, currency, amount FROM postings
            WHERE posting_id = ? AND entry_id = ?
            """)
        creditByTransfer = try connection.prepare(
            """
            SELECT c.posting_id FROM account_ibans AS i
            JOIN credits AS c ON c.customer_id = i.customer_id AND c.transfer_id = ?
            WHERE i.iban = ? AND c.decision = 1
            """)
        eventBySequence = try connection.prepare(
            """
            SELECT transfer_id, state, previous_sequence FROM events
            WHERE customer_id = ? AND sequence = ?
            """)
        outcomeByKey = try connection.prepare(
            "SELECT transfer_id FROM outcomes WHERE customer_id = ? AND idempotency_key = ?")
    }

    func outcome(of intent: IntentID) throws(SQLiteError) -> TransferID? {
        outcomeByKey.bind(1, intent.customer)
        outcomeByKey.bind(2, intent.key.uuid)
        return try outcomeByKey.firstReadable { row throws(SQLiteError) in
            try row.optionalUUID(0).map { TransferID($0) }
        }
    }

    /// What is in transit for the transfer, held against where it stands.
    func transitFault(of transfer: TransferRow) throws(SQLiteError) -> String? {
        creditByTransfer.bind(1, transfer.id.uuid)
        creditByTransfer.bind(2, transfer.creditorIBAN)
        let credit = try creditByTransfer.first { $0.optionalInteger(0) }
        var inTransit: Int128 = 0
        for posting in [transfer.posting, transfer.returnPosting, credit] {
            guard let posting else { continue }
            // The second of the pair stands against the customer's account.
            let (id, overflow) = posting.addingReportingOverflow(1)
            if overflow { return "names a posting that cannot be" }
            legByID.bind(1, id)
            legByID.bind(2, transfer.id.uuid)
            let leg = try legByID.first { row in
                (kind: row.integer(0), currency: row.text(1), amount: row.integer(2))
            }
            guard let leg else { return "names posting \(posting), whose pair is not there" }
            guard leg.kind == 1, leg.currency == transfer.money.currency.description else {
                return "has posting \(id) elsewhere than in transit in its currency"
            }
            inTransit += Int128(leg.amount)
        }
        let isUnderWay = transfer.posting != nil && !transfer.state.isTerminal && credit == nil
        let expected = isUnderWay ? Int128(transfer.money.minorUnits) : 0
        if inTransit == expected { return nil }
        return "is \(transfer.state) with \(inTransit) minor units in transit, not \(expected)"
    }

    /// Walks the events back from the newest.
    func eventFault(of transfer: TransferRow) throws(SQLiteError) -> String? {
        var later: TransferState?
        var sequence = transfer.lastSequence
        while true {
            eventBySequence.bind(1, transfer.intent.customer)
            eventBySequence.bind(2, sequence)
            let event = try eventBySequence.first { row in
                (
                    transfer: row.bytes(0), state: row.integer(1), previous: row.optionalInteger(2)
                )
            }
            guard let event else { return "has no event \(sequence)" }
            guard UUID128(bytes: event.transfer) == transfer.id.uuid else {
                return "names event \(sequence), which is another transfer's"
            }
            guard let raw = Int16(exactly: event.state), let state = TransferState(rawValue: raw)
            else { return "has event \(sequence) with a state that does not exist" }
            if let later {
                guard state.canMove(to: later) else { return "went from \(state) to \(later)" }
            } else if state != transfer.state {
                return "is \(transfer.state), its newest event says \(state)"
            }
            guard let previous = event.previous else {
                let isFirst = state == .accepted || state == .rejected || state == .expired
                return isFirst ? nil : "began as \(state)"
            }
            guard previous < sequence else { return "has event \(sequence) before an earlier one" }
            later = state
            sequence = previous
        }
    }
}
