import HTTPServer
import JSON
import Ledger

/// An error answer (RFC 9457). The one place where errors become responses.
struct Problem {
    let code: ProblemCode
    /// For people: what is wrong here and what to send. Never repeats a value of the request.
    let detail: String
    /// Where the HTTP standard has its own status for the fault (414, 417, 501, 505).
    var statusOverride: Int?
    var errors: [FieldError] = []

    init(_ code: ProblemCode, _ detail: String, errors: [FieldError] = []) {
        self.code = code
        self.detail = detail
        self.errors = errors
    }

    /// The members that every problem has; the object stays open for more.
    static func begin(
        _ code: ProblemCode, detail: String, instance: String, status: Int? = nil
    ) -> JSONWriter {
        var json = JSONWriter(reservingCapacity: 512)
        json.beginObject()
        json.member(
            "type",
            plain: { bytes in
                bytes += "/problems/".utf8
                bytes += code.rawValue.utf8
            })
        json.member("title", code.title.description)
        json.member("status", Int64(status ?? code.status))
        json.member("detail", detail)
        json.member("instance", instance)
        json.member("code", code.rawValue)
        json.member("retry", code.retry.rawValue)
        return json
    }

    /// `more` adds members of this kind of problem.
    func response(
        _ requestID: String, more: (inout JSONWriter) -> Void = { _ in }
    ) -> Response {
        var json = Self.begin(
            code, detail: detail, instance: requestID, status: statusOverride)
        if !errors.isEmpty {
            json.beginArray("errors")
            for error in errors {
                json.beginObject()
                json.member("pointer", error.pointer)
                json.member("detail", error.detail)
                json.endObject()
            }
            json.endArray()
        }
        more(&json)
        json.endObject()
        var response = Response(status: statusOverride ?? code.status, body: json.finish())
        response.setField("Content-Type", "application/problem+json")
        return response.withCommonFields(requestID)
    }
}

extension Response {
    /// What every answer of the API carries.
    func withCommonFields(_ requestID: String) -> Response {
        var response = self
        response.setField("Cache-Control", "no-store")
        response.setField("X-Request-Id", requestID)
        return response
    }
}
