import Platform
import Store

extension VerificationRun {
    private struct Event {
        let customer: String
        let sequence: Int64
        let transfer: UUID128
        /// What the transfer's row says; nil without such a transfer.
        let transferCustomer: String?
        let lastSequence: Int64
    }

    /// Numbers without gaps, and every event on the chain of its transfer. Whether the steps of a
    /// chain exist is proved from the transfer.
    func verifyEvents() throws(SQLiteError) {
        let page = try connection.prepare(
            """
            SELECT e.customer_id, e.sequence, e.transfer_id, t.customer_id, t.last_sequence
            FROM events AS e LEFT JOIN transfers AS t ON t.transfer_id = e.transfer_id
            WHERE (e.customer_id, e.sequence) > (?, ?)
            ORDER BY e.customer_id, e.sequence LIMIT ?
            """)
        let previous = try connection.prepare(
            "SELECT previous_sequence FROM events WHERE customer_id = ? AND sequence = ?")
        var cursor = (customer: "", sequence: Int64.min)
        var newest = (customer: "", sequence: Int64(0))
        try ranges(.eventSequences) { () throws(SQLiteError) in
            page.bind(1, cursor.customer)
            page.bind(2, cursor.sequence)
            page.bind(3, Int64(rangeRows))
            let (events, rows) = try read(.eventSequences, page) { row throws(SQLiteError) in
                cursor = (row.text(0), row.integer(1))
                return Event(
                    customer: row.text(0), sequence: row.integer(1), transfer: try row.uuid(2),
                    transferCustomer: row.optionalText(3), lastSequence: row.integer(4))
            }
            for event in events {
                let expected = event.customer == newest.customer ? newest.sequence + 1 : 1
                if event.sequence != expected {
                    damage(
                        .eventSequences,
                        "customer \(event.customer) has event \(event.sequence) where "
                            + "\(expected) belongs")
                }
                newest = (event.customer, event.sequence)
                if let fault = try fault(of: event, previous) {
                    damage(
                        .eventChains,
                        "event \(event.sequence) of customer \(event.customer) \(fault)")
                }
            }
            count(events.count, .eventChains)
            return rows
        }
    }

    private func fault(of event: Event, _ previous: Statement) throws(SQLiteError) -> String? {
        guard let customer = event.transferCustomer else { return "has no transfer" }
        guard customer == event.customer else { return "is of another customer's transfer" }
        var sequence = event.lastSequence
        while sequence > event.sequence {
            previous.bind(1, customer)
            previous.bind(2, sequence)
            let next = try previous.first { $0.optionalInteger(0) }
            guard let next, next < sequence else { break }
            sequence = next
        }
        return sequence == event.sequence ? nil : "is not on the chain of its transfer"
    }
}
