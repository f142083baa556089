import JSON
import TestSupport
import Testing

/// Expects what every answer of the API carries.
func expectCommonFields(
    _ answer: HTTPAnswer, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(answer["Cache-Control"] == "no-store", "\(answer)", sourceLocation: sourceLocation)
    #expect(
        answer["Date"]?.hasSuffix(" GMT") == true, "\(answer)", sourceLocation: sourceLocation)
    let id = answer["X-Request-Id"] ?? ""
    #expect((1...128).contains(id.utf8.count), "\(answer)", sourceLocation: sourceLocation)
}

/// Expects a problem with exactly these members: the seven that all have, then `more`.
func expectProblem(
    _ answer: HTTPAnswer, _ status: Int, _ code: String, retry: String, more: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
) {
    expectCommonFields(answer, sourceLocation: sourceLocation)
    #expect(answer.status == status, "\(answer)", sourceLocation: sourceLocation)
    #expect(
        answer["Content-Type"] == "application/problem+json", "\(answer)",
        sourceLocation: sourceLocation)
    let json = answer.json
    #expect(json?["code"]?.string == code, "\(answer)", sourceLocation: sourceLocation)
    #expect(json?["retry"]?.string == retry, "\(answer)", sourceLocation: sourceLocation)
    #expect(json?["type"]?.string == "/problems/\(code)", sourceLocation: sourceLocation)
    #expect(json?["status"]?.int64 == Int64(status), "\(answer)", sourceLocation: sourceLocation)
    #expect(json?["title"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
    #expect(json?["detail"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
    #expect(
        json?["instance"]?.string == answer["X-Request-Id"], "\(answer)",
        sourceLocation: sourceLocation)
    #expect(
        answer.memberNames
            == ["type", "title", "status", "detail", "instance", "code", "retry"] + more,
        "\(answer)", sourceLocation: sourceLocation)
}

/// Expects that `answer` repeats `first`: the same status, type, place and bytes, marked as a replay.
func expectReplay(
    _ answer: HTTPAnswer, of first: HTTPAnswer, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(answer.status == first.status, "\(answer)", sourceLocation: sourceLocation)
    #expect(answer.body == first.body, "\(answer)", sourceLocation: sourceLocation)
    for field in ["Content-Type", "Location"] {
        #expect(answer[field] == first[field], "\(answer)", sourceLocation: sourceLocation)
    }
    #expect(answer["Idempotent-Replayed"] == "true", "\(answer)", sourceLocation: sourceLocation)
}

extension HTTPAnswer {
    /// Pointers of the member `errors`.
    var errorPointers: [String] {
        json?["errors"]?.elements.compactMap { $0["pointer"]?.string } ?? []
    }

    /// Pointers of the member `differs`.
    var differs: [String] { json?["differs"]?.elements.compactMap(\.string) ?? [] }

    /// Elements of the member `accounts`.
    var accounts: [JSONValue] { json?["accounts"].map { Array($0.elements) } ?? [] }

    var transferID: String? { json?["transferId"]?.string }

    /// The member `status` of a transfer.
    var transferStatus: String? { json?["status"]?.string }
}
