import Ledger
import Platform
import Store

/// Locks and reads what a batch touches, inside its transaction, in one flush.
struct BatchLoader {
    /// What was found, and whom the batch may write.
    struct Found {
        var rows = LoadedRows()
        var stored = LoadedOutcomes()
        /// Customers whose row this transaction has locked.
        var locked: Set<CustomerID> = []
        /// Customers that there are, locked or not.
        var existing: Set<CustomerID> = []
        /// Keys that an attempt in another process holds.
        var held: Set<IntentID> = []
        /// The database's time after the locks.
        var time = Instant(microseconds: 0)
        /// Where the database's log stood then; 0 where it does not tell.
        var position: Int64 = 0
    }

    let connection: Connection
    let usesAdvisoryLocks: Bool

    /// `patient`: waits for customers that are locked, up to the transaction's time-out.
    func load(_ request: BatchRequest, patient: Bool) throws(PostgresError) -> Found {
        try send(request, patient: patient)
        try connection.sendFlush()
        return try receive(request)
    }

    /// This and the next: the two halves of `load`.
    func send(_ request: BatchRequest, patient: Bool) throws(PostgresError) {
        let intents = request.intents
        let hashes = usesAdvisoryLocks ? request.keyHashes : []
        if !hashes.isEmpty {
            var parameters = Parameters(capacity: 32 + 12 * hashes.count)
            parameters.bigints(hashes) { $0 }
            try connection.send(Statements.tryKeys, parameters)
        }
        if !request.customers.isEmpty {
            let everybody =
                intents.indices.map { index in
                    Lockable(
                        customer: intents[index].customer, key: intents[index].key,
                        hash: usesAdvisoryLocks ? hashes[index] : nil)
                } + request.owners.map { Lockable(customer: $0, key: nil, hash: nil) }
            var keys = Parameters(capacity: 64 + 60 * everybody.count)
            keys.texts(everybody) { $0.customer.text }
            keys.uuids(everybody) { $0.key?.uuid }
            keys.bigints(everybody) { $0.hash }
            try connection.send(
                patient ? Statements.lockCustomers : Statements.lockFreeCustomers, keys)
            try connection.send(Statements.customers, Self.texts(request.customers) { $0.text })
        }
        if !intents.isEmpty {
            var keys = Parameters(capacity: 64 + 48 * intents.count)
            keys.texts(intents) { $0.customer.text }
            keys.uuids(intents) { $0.key.uuid }
            try connection.send(Statements.outcomes, keys)
        }
        if !request.ibans.isEmpty {
            try connection.send(Statements.directory, Self.texts(request.ibans) { $0.text })
        }
        if !request.accountIBANs.isEmpty {
            var parameters = Parameters(capacity: 64 + 64 * request.accountIBANs.count)
            parameters.texts(request.accountIBANs) { $0.customer.text }
            parameters.texts(request.accountIBANs) { $0.value.text }
            try connection.send(Statements.accountsByIBAN, parameters)
        }
        if !request.accountIDs.isEmpty {
            try connection.send(
                Statements.accountsByID, Self.holdings(request.accountIDs) { $0.uuid })
        }
        if !request.closing.isEmpty {
            try connection.send(Statements.underWay, Self.holdings(request.closing) { $0.uuid })
        }
        if !request.counted.isEmpty {
            try connection.send(Statements.sequences, Self.texts(request.counted) { $0.text })
        }
        if !request.creditors.isEmpty {
            try connection.send(Statements.blocked, Self.texts(request.creditors) { $0.text })
        }
        if !request.transfers.isEmpty {
            let named = Self.holdings(request.transfers) { $0.uuid }
            try connection.send(Statements.transfers, named)
            try connection.send(Statements.accountsOfTransfers, named)
        }
        if !request.credits.isEmpty {
            try connection.send(Statements.credits, Self.holdings(request.credits) { $0.uuid })
        }
        try connection.send(
            connection.tellsPosition ? Statements.clockAndPosition : Statements.clock)
    }

    private struct Lockable {
        let customer: CustomerID
        let key: IdempotencyKey?
        let hash: Int64?
    }

    private static func texts<Values: Collection>(
        _ values: Values, _ text: (Values.Element) -> String
    ) -> Parameters {
        var parameters = Parameters(capacity: 32 + 40 * values.count)
        parameters.texts(values, text)
        return parameters
    }

    static func holdings<Value>(
        _ holdings: some Collection<BatchRequest.Holding<Value>>, _ id: (Value) -> UUID128
    ) -> Parameters {
        var parameters = Parameters(capacity: 64 + 48 * holdings.count)
        parameters.texts(holdings) { $0.customer.text }
        parameters.uuids(holdings) { id($0.value) }
        return parameters
    }

    func receive(_ request: BatchRequest) throws(PostgresError) -> Found {
        var found = Found()
        if !request.intents.isEmpty, usesAdvisoryLocks {
            try connection.receive().eachRow { row in
                found.held.insert(request.intents[Int(row.integer(0)) - 1])
            }
        }
        if !request.customers.isEmpty {
            try connection.receive().eachRow { row throws(PostgresError) in
                let id = try row.customer(0)
                found.locked.insert(id)
                found.rows.customers[id] = CustomerRow(restricted: row.boolean(1))
            }
            try connection.receive().eachRow { row throws(PostgresError) in
                found.existing.insert(try row.customer(0))
            }
        }
        if !request.intents.isEmpty {
            try connection.receive().eachRow { row throws(PostgresError) in
                found.stored.outcomes[request.intents[Int(row.integer(0)) - 1]] =
                    try row.outcome(from: 1)
            }
        }
        if !request.ibans.isEmpty {
            try connection.receive().eachRow { row throws(PostgresError) in
                found.rows.directory[try row.iban(0)] = DirectoryEntry(
                    customer: try row.customer(1), account: AccountID(try row.uuid(2)))
            }
        }
        if !request.accountIBANs.isEmpty { try receiveAccounts(&found) }
        if !request.accountIDs.isEmpty { try receiveAccounts(&found) }
        if !request.closing.isEmpty {
            try connection.receive().eachRow { row throws(PostgresError) in
                found.rows.underWay[AccountID(try row.uuid(0))] = Int(row.integer(1))
            }
        }
        if !request.counted.isEmpty {
            try connection.receive().eachRow { row throws(PostgresError) in
                found.rows.sequences[try row.customer(0)] = row.integer(1)
            }
        }
        if !request.creditors.isEmpty {
            try connection.receive().eachRow { row throws(PostgresError) in
                found.rows.blocked.insert(try row.iban(0))
            }
        }
        if !request.transfers.isEmpty {
            try connection.receive().eachRow { row throws(PostgresError) in
                let transfer = try row.transfer()
                found.rows.transfers[transfer.id] = transfer
            }
            try receiveAccounts(&found)
        }
        if !request.credits.isEmpty { try receiveCredits(&found) }
        try connection.receive().eachRow { row in
            found.time = row.instant(0)
            found.position = row.integer(1)
        }
        return found
    }

    private func receiveAccounts(_ found: inout Found) throws(PostgresError) {
        try connection.receive().eachRow { row throws(PostgresError) in
            let account = try row.account()
            found.rows.accounts[account.id] = account
        }
    }

    private func receiveCredits(_ found: inout Found) throws(PostgresError) {
        try connection.receive().eachRow { row throws(PostgresError) in
            let id = CreditID(payee: try row.customer(0), transfer: TransferID(try row.uuid(1)))
            found.rows.credits[id] = CreditRow(
                payee: id.payee, account: AccountID(try row.uuid(2)), transfer: id.transfer,
                decision: try row.creditDecision(3, reason: 4), posting: row.optionalInteger(5))
        }
    }

    // MARK: What only some outcomes need

    /// Tells the planner of the stored outcomes, and reads the transfers of those whose bytes are
    /// gone or whose content differs from what a command says.
    func complete(_ found: inout Found, for commands: [Command]) throws(PostgresError) {
        var wanted: Set<BatchRequest.Holding<TransferID>> = []
        var reused: Set<IntentID> = []
        for command in commands {
            guard let id = command.intent, let outcome = found.stored.outcomes[id],
                let transfer = outcome.transfer
            else { continue }
            if outcome.body.isEmpty {
                wanted.insert(BatchRequest.Holding(customer: id.customer, value: transfer))
            }
            if let content = command.submitted, let fingerprint = outcome.fingerprint,
                content.fingerprint(version: fingerprint.version) != fingerprint
            {
                reused.insert(id)
                wanted.insert(BatchRequest.Holding(customer: id.customer, value: transfer))
            }
        }
        var transfers: [TransferID: TransferRow] = [:]
        if !wanted.isEmpty {
            try connection.send(Statements.transfers, Self.holdings(wanted) { $0.uuid })
            try connection.sendFlush()
            try connection.receive().eachRow { row throws(PostgresError) in
                let transfer = try row.transfer()
                transfers[transfer.id] = transfer
            }
        }
        for (id, outcome) in found.stored.outcomes {
            let transfer = outcome.transfer.flatMap { transfers[$0] }
            if outcome.body.isEmpty { found.stored.retired[id] = transfer }
            found.rows.outcomes[id] = KnownOutcome(
                kind: outcome.kind, source: .stored, fingerprint: outcome.fingerprint,
                transfer: outcome.transfer, receivedAt: outcome.receivedAt,
                original: reused.contains(id) ? transfer?.submitted : nil)
        }
    }
}
