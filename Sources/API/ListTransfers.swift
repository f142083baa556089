import HTTPServer
import JSON
import Ledger
import Platform
import Store

extension TransferAPI {
    private static let pageDefault = 50
    private static let pageMaximum = 200

    /// `GET /api/transfers?limit=&cursor=&status=`: the customer's transfers, newest first.
    mutating func listTransfers(
        _ head: borrowing RequestHead, _ ticket: Ticket, _ customer: CustomerID, _ requestID: String
    ) -> HandlerAnswer {
        func refuse(_ detail: String) -> HandlerAnswer {
            .respond(Problem(.requestInvalid, detail).response(requestID))
        }
        let query: Query
        do throws(Query.Refusal) {
            query = try Query(head.query, known: ["limit", "cursor", "status"])
        } catch { return refuse(error.detail) }
        var limit = Self.pageDefault
        if let text = query["limit"] {
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
                (1...Self.pageMaximum).contains(number)
            else { return refuse("Send a limit from 1 to \(Self.pageMaximum).") }
            limit = number
        }
        var states: UInt16 = 0
        if let name = query["status"] {
            states = Self.mask(named: name)
            guard states != 0 else {
                return refuse(
                    "Send a status of accepted, submitted, settled, returned, unknown, rejected "
                        + "or expired.")
            }
        }
        var before = Int64.max
        if let text = query["cursor"] {
            guard let cursor = Cursor(text, for: customer, by: services.cursorSeal),
                cursor.states == states
            else {
                return refuse(
                    "Send a cursor of this list as it was answered, with the same status, or none "
                        + "to begin with the newest transfer.")
            }
            before = cursor.sequence
        }
        return read(
            .list(customer, before: before, states: states, limit: limit), ticket,
            Parked(requestID: requestID))
    }

    func list(
        _ page: TransferPage, _ customer: CustomerID, _ states: UInt16, _ requestID: String
    ) -> Response {
        var json = JSONWriter(reservingCapacity: 256 + page.transfers.count * 512)
        json.beginObject()
        json.beginArray("transfers")
        for row in page.transfers {
            json.beginObject()
            json.transferMembers(row, status: row.state.publicName)
            if let reason = row.rejection { json.member("code", reason.code) }
            json.member("createdAt", plain: row.createdAt.appendRFC3339)
            json.member("updatedAt", plain: row.updatedAt.appendRFC3339)
            json.endObject()
        }
        json.endArray()
        if let next = page.next {
            let cursor = Cursor(sequence: next, states: states)
            json.member("cursor", cursor.sealed(for: customer, by: services.cursorSeal))
        } else {
            json.nullMember("cursor")
        }
        json.member("hasMore", page.next != nil)
        json.endObject()
        return Self.ok(json.finish(), requestID)
    }

    /// The states that clients see under one name; 0 for no such name.
    private static func mask(named name: String) -> UInt16 {
        TransferState.allCases.reduce(0) { mask, state in
            state != .revoked && state.publicName == name ? mask | state.bit : mask
        }
    }
}
