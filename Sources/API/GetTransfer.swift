import HTTPServer
import JSON
import Ledger
import Platform
import Store

extension TransferAPI {
    /// `GET /api/transfers/by-key/{key}`: where the intent stands now. With `Prefer: wait` the answer
    /// waits for news: for another state than the one that `If-None-Match` names, or for the end of
    /// an attempt in flight.
    mutating func getTransfer(
        _ head: borrowing RequestHead, _ intent: IntentID, _ ticket: Ticket, _ caller: Caller,
        _ requestID: String
    ) -> HandlerAnswer {
        var request = Parked(
            requestID: requestID, waitSeconds: isDraining ? nil : Preference.wait(head),
            tags: EntityTag.list(head), token: caller.token)
        if request.waitSeconds != nil {
            request.watched = intent
            services.changes.watch(intent, ticket, sink)
            wait(for: nil, ticket, request)
        }
        let answer = read(
            .intent(intent, inFlight: services.inFlight.contains(intent)), ticket, request)
        guard case .respond(let response) = answer else { return answer }
        forget(ticket, request)
        return .respond(request.applied(to: response))
    }

    /// Nil while the client prefers to wait for news.
    mutating func finishRead(
        _ answer: ReadAnswer, _ ticket: Ticket, _ request: Parked
    ) -> Response? {
        if let refusal = gate.refusalAfterWait(request, at: services.clock.now()) {
            return refused(refusal, request.requestID)
        }
        if request.watched != nil, request.holds {
            switch answer {
            case .transfer(let view) where EntityTag.matches(request.tags, Self.tag(view)):
                return nil
            case .revoked where EntityTag.matches(request.tags, Self.revokedTag):
                return nil
            case .inFlight where request.tags == nil: return nil
            default: break
            }
        }
        return readAnswer(answer, request)
    }

    static func tag(_ view: TransferView) -> String { "\"\(view.transfer.lastSequence)\"" }
    static let revokedTag = "\"revoked\""

    /// The answer to any read.
    private func readAnswer(_ answer: ReadAnswer, _ request: Parked) -> Response {
        let requestID = request.requestID
        switch answer {
        case .transfer(let view):
            return tagged(transfer(view, requestID), Self.tag(view), request)
        case .decided(let view): return decided(view, requestID)
        case .revoked(let intent, let view, let asOf):
            return tagged(
                Self.revoked(intent, view, asOf, requestID), Self.revokedTag, request)
        case .inFlight(let intent, let asOf): return Self.inFlight(intent, asOf, requestID)
        case .outcome: return unavailable(.internalError, requestID)
        case .list(let page, let customer, let states):
            return list(page, customer, states, requestID)
        case .accounts(let accounts, let asOf):
            var json = JSONWriter(reservingCapacity: 1024)
            json.beginObject()
            json.beginArray("accounts")
            for account in accounts { write(account, asOf, to: &json) }
            json.endArray()
            json.endObject()
            return Self.ok(json.finish(), requestID)
        case .account(let account, let asOf):
            var json = JSONWriter()
            write(account, asOf, to: &json)
            return Self.ok(json.finish(), requestID)
        case .notFound(let query): return Self.notFound(query, requestID)
        case .failed: return unavailable(.storeUnavailable, requestID)
        }
    }

    /// The answer with its tag, or 304 to a client that has it already.
    private func tagged(_ response: Response, _ tag: String, _ request: Parked) -> Response {
        var answer = response
        if EntityTag.matches(request.tags, tag) {
            answer = Response(status: 304).withCommonFields(request.requestID)
        }
        answer.setField("ETag", tag)
        return answer
    }

    func transfer(_ view: TransferView, _ requestID: String) -> Response {
        var json = JSONWriter(reservingCapacity: 1024)
        write(view, to: &json)
        return Self.ok(json.finish(), requestID)
    }

    /// A transfer as it stands now.
    func write(_ view: TransferView, to json: inout JSONWriter) {
        let row = view.transfer
        json.beginObject()
        json.transferMembers(row, status: row.state.publicName)
        if let reason = row.rejection { json.member("code", reason.code) }
        json.member("createdAt", plain: row.createdAt.appendRFC3339)
        json.beginArray("history")
        // A screening hold is not for the client's eyes: it is still accepted.
        for entry in view.history where entry.state != .held {
            json.beginObject()
            json.member("status", entry.state.publicName)
            json.member("at", plain: entry.at.appendRFC3339)
            json.endObject()
        }
        json.endArray()
        json.member("firstReceivedAt", plain: view.firstReceivedAt.appendRFC3339)
        json.member(
            "replayableUntil",
            plain: row.createdAt.advanced(seconds: services.settings.retentionDays * 86400)
                .appendRFC3339)
        json.member("asOf", plain: view.asOf.appendRFC3339)
        json.endObject()
    }

    private static func revoked(
        _ intent: IntentID, _ view: RevocationView, _ asOf: Instant, _ requestID: String
    ) -> Response {
        var json = JSONWriter()
        json.revocation(intent, at: view.revokedAt)
        json.beginArray("history")
        json.beginObject()
        json.member("status", TransferState.revoked.publicName)
        json.member("at", plain: view.revokedAt.appendRFC3339)
        json.endObject()
        json.endArray()
        json.member("firstReceivedAt", plain: view.firstReceivedAt.appendRFC3339)
        json.member("asOf", plain: asOf.appendRFC3339)
        json.endObject()
        return ok(json.finish(), requestID)
    }

    private static func inFlight(
        _ intent: IntentID, _ asOf: Instant, _ requestID: String
    ) -> Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("status", "in_flight")
        json.member("idempotencyKey", plain: intent.key.uuid.append(textTo:))
        json.member("asOf", plain: asOf.appendRFC3339)
        json.endObject()
        var response = ok(json.finish(), requestID)
        response.setField("Retry-After", "1")
        return response
    }

    private static func notFound(_ query: ReadQuery, _ requestID: String) -> Response {
        switch query {
        case .intent, .outcome, .decidedIntent:
            Problem(
                .keyUnknown,
                "No attempt with this key has been committed; one may still be on its way."
            ).response(requestID)
        case .transfer:
            Problem(.transferNotFound, "This customer has no transfer with this id.")
                .response(requestID)
        case .list, .accounts, .account:
            Problem(.notFound, "This customer has no account with this id.").response(requestID)
        }
    }

    static func ok(_ body: [UInt8], _ requestID: String) -> Response {
        var response = Response(status: 200, body: body)
        response.setField("Content-Type", "application/json")
        return response.withCommonFields(requestID)
    }

    private func write(_ account: AccountRow, _ asOf: Instant, to json: inout JSONWriter) {
        let today = services.calendar.day(of: asOf).number
        json.beginObject()
        json.member("accountId", plain: account.id.uuid.append(textTo:))
        json.member("iban", account.iban.text)
        json.member("currency", plain: account.currency.code.append(textTo:))
        json.member("status", account.status.name)
        json.balance(account.money, asOf: asOf)
        json.beginObject("limits")
        Self.limit("perTransfer", account.perTransferLimit, account.currency, &json)
        Self.limit("daily", account.dailyLimit, account.currency, &json)
        // A counter of an earlier day says nothing about today.
        let used = account.usageDay >= today ? account.usedToday : 0
        Self.limit("usedToday", used, account.currency, &json)
        json.endObject()
        json.endObject()
    }

    /// A decimal string in the account's currency; null for no limit.
    private static func limit(
        _ name: StaticString, _ minorUnits: Int64?, _ currency: Currency, _ json: inout JSONWriter
    ) {
        guard let minorUnits else { return json.nullMember(name) }
        json.member(
            name, plain: Money(minorUnits: minorUnits, currency: currency).appendDecimal)
    }
}
