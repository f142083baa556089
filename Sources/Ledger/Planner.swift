package import Platform

/// Decides a batch of commands, one after the other, from rows and times that are passed in.
///
/// Pure: the same commands over the same rows give the same plan, and cutting a batch at any point
/// gives the same rows in the end.
package struct Planner {
    private let policy: TransferPolicy
    private let now: Instant
    private let today: BusinessDay
    private var rows = LoadedRows()
    private var ids: UUIDv7Generator
    private var plan = Plan()

    private init(
        policy: TransferPolicy, now: Instant, today: BusinessDay, ids: UUIDv7Generator
    ) {
        self.policy = policy
        self.now = now
        self.today = today
        self.ids = ids
    }

    /// Decides `commands` in order. `rows` are left as they stand once the plan is written, and
    /// `ids`, which names the new transfers, is moved on.
    package static func plan(
        _ commands: [Command], rows: inout LoadedRows, policy: TransferPolicy, now: Instant,
        today: BusinessDay, ids: inout UUIDv7Generator
    ) -> Plan {
        var planner = Planner(policy: policy, now: now, today: today, ids: ids)
        // Swapped in and out: a second owner would have every table copied at its first change.
        swap(&planner.rows, &rows)
        planner.plan.decisions.reserveCapacity(commands.count)
        for (index, command) in commands.enumerated() {
            let decision =
                switch command {
                case .transfer(let command): planner.decide(command, index)
                case .revoke(let command): planner.revoke(command, index)
                case .credit(let command): planner.credit(command)
                case .conclude(let command): planner.conclude(command)
                case .openAccount(let command): planner.open(command)
                case .setAccountStatus(let command): planner.setStatus(command)
                case .setAccountLimits(let command): planner.setLimits(command)
                case .restrictCustomer(let command): planner.restrict(command)
                case .retire(let command): planner.retire(command)
                case .probe: Decision.probed
                }
            planner.plan.decisions.append(decision)
        }
        ids = planner.ids
        swap(&planner.rows, &rows)
        return planner.plan
    }

    // MARK: A transfer

    private mutating func decide(_ command: TransferCommand, _ index: Int) -> Decision {
        if let known = rows.outcomes[command.id] { return answer(command, from: known) }

        let intent: Intent
        switch policy.fieldRules.intent(from: command.intent) {
        case .success(let valid): intent = valid
        case .failure(let errors): return .invalid(errors.errors)
        }

        let customer = command.id.customer
        meet(customer)
        var account = debtorAccount(of: customer, intent.debtorIBAN)
        // The business day in a counter only moves forward, whatever a clock says.
        let day = max(account?.usageDay ?? 0, today.number)
        if var fresh = account, fresh.usageDay < day {
            fresh.usageDay = day
            fresh.usedToday = 0
            account = fresh
        }
        let refusal = rejection(of: intent, by: rows.customers[customer]!, from: account)
        if let refusal {
            let transfer = record(command, intent, account, day, state: .rejected, refusal)
            remember(command, index, .rejected, transfer)
            return .rejected(transfer, refusal, balance: account?.money)
        }
        return execute(command, index, intent, account!, day)
    }

    private func answer(_ command: TransferCommand, from known: KnownOutcome) -> Decision {
        // A revoked intent has no content: any attempt gets the same answer.
        guard let fingerprint = known.fingerprint else { return .known(known) }
        if command.intent.fingerprint(version: fingerprint.version) == fingerprint {
            return .known(known)
        }
        let differs = known.original.map { command.intent.differences(from: $0) } ?? []
        return .reused(known, differs: differs)
    }

    private func debtorAccount(of customer: CustomerID, _ iban: IBAN) -> AccountRow? {
        guard let entry = rows.directory[iban], entry.customer == customer else { return nil }
        return rows.accounts[entry.account]
    }

    /// The first business rule that says no, in the documented order.
    private func rejection(
        of intent: Intent, by customer: CustomerRow, from account: AccountRow?
    ) -> RejectionReason? {
        if customer.restricted { return .customerRestricted }
        guard let account else { return .accountNotFound }
        switch account.status {
        case .closed: return .accountClosed
        case .frozen: return .accountFrozen
        case .active: break
        }
        if account.currency != intent.money.currency { return .currencyNotSupported }
        if intent.creditorIBAN == intent.debtorIBAN { return .sameAccount }
        if rows.blocked.contains(intent.creditorIBAN) { return .beneficiaryBlocked }
        let amount = intent.money.minorUnits
        if let limit = policy.schemeMaximum[account.currency], amount > limit {
            return .transferLimitExceeded
        }
        if let limit = account.perTransferLimit, amount > limit { return .transferLimitExceeded }
        let (used, overflow) = account.usedToday.addingReportingOverflow(amount)
        if overflow { return .dailyLimitExceeded }
        if let limit = account.dailyLimit, used > limit { return .dailyLimitExceeded }
        if account.balance < amount { return .insufficientFunds }
        return nil
    }

    private mutating func execute(
        _ command: TransferCommand, _ index: Int, _ intent: Intent, _ debtor: AccountRow,
        _ day: Int64
    ) -> Decision {
        var account = debtor
        let amount = intent.money.minorUnits
        let transfer = record(command, intent, account, day, state: .accepted, nil)
        account.balance -= amount
        account.usedToday += amount
        rows.underWay[account.id]? += 1
        post(
            customer: command.id.customer, entry: transfer.id.uuid, account: &account,
            amount: -amount, against: .inTransit)
        let connector: ConnectorKind = rows.directory[intent.creditorIBAN] == nil ? .scheme : .book
        plan.outbox.append(
            OutboxRow(customer: command.id.customer, transfer: transfer.id, connector: connector))
        remember(command, index, .executed, transfer)
        return .executed(transfer, balance: account.money)
    }

    private mutating func record(
        _ command: TransferCommand, _ intent: Intent, _ account: AccountRow?, _ day: Int64,
        state: TransferState, _ rejection: RejectionReason?
    ) -> TransferRow {
        let id = TransferID(ids.next(at: now))
        let sequence = announce(command.id.customer, id, state, after: nil)
        let transfer = TransferRow(
            id: id, intent: command.id, state: state, rejection: rejection, returned: nil,
            debtorIBAN: intent.debtorIBAN, debtorAccount: account?.id, money: intent.money,
            creditorIBAN: intent.creditorIBAN, creditorName: intent.creditorName,
            remittanceInformation: intent.remittanceInformation,
            endToEndIdentification: intent.endToEndIdentification,
            confirmedAt: intent.confirmedAt, requestID: command.requestID, businessDay: day,
            posting: rejection == nil ? rows.nextPosting : nil, returnPosting: nil,
            lastSequence: sequence, createdAt: now, updatedAt: now)
        plan.transfers.append(transfer)
        return transfer
    }

    private mutating func remember(
        _ command: TransferCommand, _ index: Int, _ kind: OutcomeKind, _ transfer: TransferRow
    ) {
        plan.outcomes += 1
        rows.outcomes[command.id] = KnownOutcome(
            kind: kind, source: .planned(index), fingerprint: command.intent.fingerprint,
            transfer: transfer.id, receivedAt: command.receivedAt,
            original: command.intent)
    }

    // MARK: A revocation

    /// What has an outcome keeps it; what has none is revoked for ever.
    private mutating func revoke(_ command: RevokeCommand, _ index: Int) -> Decision {
        if let known = rows.outcomes[command.id] { return .known(known) }
        meet(command.id.customer)
        plan.outcomes += 1
        rows.outcomes[command.id] = KnownOutcome(
            kind: .revoked, source: .planned(index), fingerprint: nil, transfer: nil,
            receivedAt: command.receivedAt, original: nil)
        return .revoked
    }

    /// A customer appears with the first account or the first intent.
    private mutating func meet(_ customer: CustomerID) {
        guard rows.customers[customer] == nil else { return }
        rows.customers[customer] = CustomerRow(restricted: false)
        plan.newCustomers.append(customer)
    }

    // MARK: A booking inside this bank

    private mutating func credit(_ command: CreditCommand) -> Decision {
        let id = CreditID(payee: command.payee, transfer: command.transfer)
        if let decided = rows.credits[id] { return .credit(decided.decision) }
        var posting: Int64?
        let decision: CreditDecision
        if let reason = refusal(of: command) {
            decision = .refused(reason)
        } else {
            var account = rows.accounts[command.account]!
            posting = rows.nextPosting
            account.balance += command.money.minorUnits
            post(
                customer: command.payee, entry: command.transfer.uuid, account: &account,
                amount: command.money.minorUnits, against: .inTransit)
            decision = .credited
        }
        let row = CreditRow(
            payee: command.payee, account: command.account, transfer: command.transfer,
            decision: decision, posting: posting)
        rows.credits[id] = row
        plan.credits.append(row)
        return .credit(decision)
    }

    private func refusal(of command: CreditCommand) -> ReturnReason? {
        guard let account = rows.accounts[command.account], account.customer == command.payee else {
            return .payeeAccountNotFound
        }
        switch account.status {
        case .frozen: return .payeeAccountFrozen
        case .closed: return .payeeAccountClosed
        case .active: break
        }
        if account.currency != command.money.currency { return .payeeCurrencyDiffers }
        if account.balance.addingReportingOverflow(command.money.minorUnits).overflow {
            return .payeeBalanceOverflow
        }
        return nil
    }

    /// By compare-and-set: a terminal state is never left, so a repeated report changes nothing.
    private mutating func conclude(_ command: ConcludeCommand) -> Decision {
        guard var transfer = rows.transfers[command.transfer],
            transfer.intent.customer == command.payer
        else { return .accountUnknown }
        if transfer.state.isTerminal {
            plan.finishedOutbox.append(command.outboxID)
            return .concluded(transfer.state, of: transfer.intent)
        }
        // Screening has not let it go, so nobody was to settle it.
        if transfer.state == .held { return .concluded(.held, of: transfer.intent) }
        var debtor = transfer.debtorAccount.flatMap { rows.accounts[$0] }
        if case .refused = command.decision {
            // Without an account that can hold it, the money stays in transit and is looked at.
            guard let account = debtor,
                !account.balance.addingReportingOverflow(transfer.money.minorUnits).overflow
            else { return .concluded(transfer.state, of: transfer.intent) }
        }
        plan.finishedOutbox.append(command.outboxID)
        if let debtor { rows.underWay[debtor.id]? -= 1 }
        // Handed over and answered in one step: inside one bank there is no time between.
        if transfer.state == .accepted { move(&transfer, to: .submitted) }
        switch command.decision {
        case .credited:
            move(&transfer, to: .settled)
        case .refused(let reason):
            transfer.returned = reason
            transfer.returnPosting = rows.nextPosting
            move(&transfer, to: .returned)
            // Money comes back whatever the account's status is now; a return does not give the
            // day's limit back.
            debtor!.balance += transfer.money.minorUnits
            post(
                customer: command.payer, entry: transfer.id.uuid, account: &debtor!,
                amount: transfer.money.minorUnits, against: .inTransit)
        }
        rows.transfers[transfer.id] = transfer
        plan.changedTransfers[transfer.id] = transfer
        return .concluded(transfer.state, of: transfer.intent)
    }

    private mutating func move(_ transfer: inout TransferRow, to state: TransferState) {
        precondition(transfer.state.canMove(to: state))
        transfer.lastSequence = announce(
            transfer.intent.customer, transfer.id, state, after: transfer.lastSequence)
        transfer.state = state
        transfer.updatedAt = now
    }

    // MARK: Accounts

    private mutating func open(_ command: OpenAccountCommand) -> Decision {
        if let entry = rows.directory[command.iban] { return .accountExists(entry) }
        meet(command.customer)
        var account = AccountRow(
            id: command.account, customer: command.customer, iban: command.iban,
            currency: command.opening.currency, status: .active, balance: 0,
            perTransferLimit: command.perTransferLimit, dailyLimit: command.dailyLimit,
            usageDay: 0, usedToday: 0, lastPosting: nil)
        plan.newAccounts.append(account)
        rows.directory[command.iban] = DirectoryEntry(
            customer: command.customer, account: command.account)
        rows.accounts[account.id] = account
        rows.underWay[account.id] = 0
        if command.opening.minorUnits > 0 {
            account.balance = command.opening.minorUnits
            post(
                customer: command.customer, entry: ids.next(at: now), account: &account,
                amount: command.opening.minorUnits, against: .funding)
        }
        return .accountOpened
    }

    private mutating func setStatus(_ command: SetAccountStatusCommand) -> Decision {
        guard let entry = rows.directory[command.iban],
            var account = rows.accounts[entry.account]
        else { return .accountUnknown }
        if account.status == command.status { return .accountStatusSet(entry) }
        if account.status == .closed { return .accountClosed(entry) }
        if command.status == .closed {
            if account.balance != 0 { return .accountNotEmpty(entry, account.money) }
            let payments = rows.underWay[account.id] ?? 0
            if payments > 0 { return .accountAwaits(entry, payments: payments) }
        }
        account.status = command.status
        keep(account)
        return .accountStatusSet(entry)
    }

    private mutating func setLimits(_ command: SetAccountLimitsCommand) -> Decision {
        guard let entry = rows.directory[command.iban],
            var account = rows.accounts[entry.account]
        else { return .accountUnknown }
        if account.status == .closed { return .accountClosed(entry) }
        let before = account
        account.perTransferLimit = command.perTransfer.applied(to: account.perTransferLimit)
        account.dailyLimit = command.daily.applied(to: account.dailyLimit)
        if account != before { keep(account) }
        return .accountLimitsSet(entry)
    }

    private mutating func keep(_ account: AccountRow) {
        rows.accounts[account.id] = account
        plan.changedAccounts[account.id] = account
    }

    private mutating func restrict(_ command: RestrictCustomerCommand) -> Decision {
        guard var customer = rows.customers[command.customer] else { return .customerUnknown }
        if customer.restricted != command.restricted {
            customer.restricted = command.restricted
            rows.customers[command.customer] = customer
            plan.changedCustomers[command.customer] = customer
        }
        return .customerRestricted
    }

    /// Which rows these are only the store can say.
    private mutating func retire(_ command: RetireCommand) -> Decision {
        plan.retirements.append(command)
        return .retired
    }

    // MARK: Postings and events

    /// Writes a pair that sums to zero, chains it to the account and keeps the account.
    private mutating func post(
        customer: CustomerID, entry: UUID128, account: inout AccountRow, amount: Int64,
        against counter: LedgerAccount
    ) {
        let id = rows.nextPosting
        rows.nextPosting += 2
        plan.postings.append(
            PostingRow(
                id: id, customer: customer, entry: entry, ledgerAccount: .customer(account.id),
                currency: account.currency, amount: amount, previous: account.lastPosting))
        plan.postings.append(
            PostingRow(
                id: id + 1, customer: customer, entry: entry, ledgerAccount: counter,
                currency: account.currency, amount: -amount, previous: nil))
        account.lastPosting = id
        rows.accounts[account.id] = account
        plan.changedAccounts[account.id] = account
    }

    /// Takes the customer's next event number.
    private mutating func announce(
        _ customer: CustomerID, _ transfer: TransferID, _ state: TransferState,
        after previous: Int64?
    ) -> Int64 {
        let sequence = rows.sequences[customer, default: 0] + 1
        rows.sequences[customer] = sequence
        plan.events.append(
            EventRow(
                customer: customer, sequence: sequence, transfer: transfer, state: state,
                previous: previous))
        return sequence
    }
}
