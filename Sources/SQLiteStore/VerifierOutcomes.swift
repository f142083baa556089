import Crypto
import Ledger
import Platform
import Store

extension VerificationRun {
    private struct Outcome {
        let id: Int64
        let customer: String
        let key: UUID128
        let kind: OutcomeKind
        let fingerprint: Fingerprint?
        let transfer: UUID128?
    }

    /// Outcomes and their fingerprints, up to the newest one at the start.
    func verifyOutcomes() throws(SQLiteError) {
        let end = try connection.integer("SELECT max(outcome_id) FROM outcomes") ?? 0
        let page = try connection.prepare(
            """
            SELECT outcome_id, customer_id, idempotency_key, kind, fingerprint,
                   fingerprint_version, transfer_id
            FROM outcomes WHERE outcome_id > ? AND outcome_id <= ? ORDER BY outcome_id LIMIT ?
            """)
        let ofKey = try connection.prepare(
            "SELECT count(*) FROM outcomes WHERE customer_id = ? AND idempotency_key = ?")
        let transferByID = try connection.prepare(SQL.selectTransfer + " WHERE transfer_id = ?")
        var after: Int64 = 0
        try ranges(.outcomes) { () throws(SQLiteError) in
            page.bind(1, after)
            page.bind(2, end)
            page.bind(3, Int64(rangeRows))
            let (outcomes, rows) = try read(.outcomes, page) { row throws(SQLiteError) in
                after = row.integer(0)
                return try Self.outcome(row)
            }
            for outcome in outcomes {
                ofKey.bind(1, outcome.customer)
                ofKey.bind(2, outcome.key)
                if try ofKey.first({ $0.integer(0) }) != 1 {
                    damage(.outcomes, "outcome \(outcome.id) is not the only one of its key")
                }
                try verify(outcome, transferByID)
            }
            return rows
        }
    }

    private static func outcome(_ row: Row) throws(SQLiteError) -> Outcome {
        var fingerprint: Fingerprint?
        if !row.isNull(4) {
            fingerprint = Fingerprint(
                version: Int16(truncatingIfNeeded: row.integer(5)), digest: try row.digest(4))
        }
        return Outcome(
            id: row.integer(0), customer: row.text(1), key: try row.uuid(2),
            kind: try row.value(3, as: OutcomeKind.self), fingerprint: fingerprint,
            transfer: try row.optionalUUID(6))
    }

    private func verify(_ outcome: Outcome, _ transferByID: Statement) throws(SQLiteError) {
        if outcome.kind == .revoked {
            if outcome.transfer != nil {
                damage(.outcomes, "outcome \(outcome.id) is revoked and has a transfer")
            }
            if outcome.fingerprint != nil {
                damage(.fingerprints, "outcome \(outcome.id) is revoked and has a fingerprint")
            }
            return
        }
        guard let fingerprint = outcome.fingerprint else {
            return damage(.fingerprints, "outcome \(outcome.id) has no fingerprint")
        }
        var transfer: TransferRow?
        if let id = outcome.transfer {
            transferByID.bind(1, id)
            transfer = try transferByID.firstReadable { row throws(SQLiteError) in
                try row.transfer()
            }
        }
        guard let transfer else {
            return damage(.outcomes, "outcome \(outcome.id) has no transfer")
        }
        if transfer.intent.customer.text != outcome.customer
            || transfer.intent.key.uuid != outcome.key
        {
            damage(.outcomes, "outcome \(outcome.id) names a transfer of another key")
        }
        if !outcome.kind.fits(transfer.state) {
            damage(
                .outcomes,
                "outcome \(outcome.id) is \(outcome.kind), its transfer \(transfer.state)")
        }
        count(1, .fingerprints)
        guard let computed = transfer.submitted?.fingerprint(version: fingerprint.version) else {
            return damage(
                .fingerprints,
                "outcome \(outcome.id) has a fingerprint of version \(fingerprint.version), which "
                    + "this program cannot compute")
        }
        if computed != fingerprint {
            damage(.fingerprints, "outcome \(outcome.id) has another intent's fingerprint")
        }
    }
}

extension OutcomeKind {
    /// Whether a transfer with an outcome of this kind can be in `state`.
    fileprivate func fits(_ state: TransferState) -> Bool {
        switch state {
        case .accepted, .held, .submitted, .unknown, .settled, .returned: self == .executed
        case .rejected: self == .rejected
        case .expired: self == .expired
        case .revoked: false
        }
    }
}
