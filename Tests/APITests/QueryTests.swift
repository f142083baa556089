import Testing

@testable import API

@Suite("Query parameters") struct QueryTests {
    private static func parse(
        _ text: String, known: [String] = ["limit", "cursor"]
    ) -> Result<Query, Query.Refusal> {
        let bytes = Array(text.utf8)
        do throws(Query.Refusal) { return .success(try Query(bytes.span, known: known)) } catch {
            return .failure(error)
        }
    }

    @Test(
        "names and values are percent-decoded",
        arguments: [
            ("limit=5", "5"), ("limit=", ""), ("limit=%35", "5"), ("l%69mit=5", "5"),
            ("limit=%C3%a9", "é"), ("limit=a%26b%3Dc", "a&b=c"), ("limit=a=b", "a=b"),
            ("limit=a+b", "a+b"), ("cursor=x&limit=7", "7"), ("limit=%2525", "%25"),
        ])
    func decodes(_ text: String, _ value: String) throws {
        #expect(try Self.parse(text).get()["limit"] == value)
    }

    @Test("no query and an empty one have no parameters")
    func empty() throws {
        #expect(try Query(nil, known: [])["limit"] == nil)
        #expect(try Self.parse("", known: []).get()["limit"] == nil)
    }

    @Test(
        "what is no list of pairs is refused",
        arguments: [
            "limit", "&", "limit=1&", "&limit=1", "limit=%", "limit=%4", "limit=%zz", "limit=%4g",
            "limit=%ff", "limit=%C3", "%=1",
        ])
    func refusesSyntax(_ text: String) {
        guard case .failure(let refusal) = Self.parse(text) else {
            Issue.record("\(text) passed")
            return
        }
        #expect(refusal.detail.hasPrefix("Write the query as name=value pairs."))
    }

    @Test("a parameter that stands twice is refused, also when one is spelled with escapes")
    func twice() {
        for text in ["limit=1&limit=1", "limit=1&cursor=a&l%69mit=2"] {
            guard case .failure(let refusal) = Self.parse(text) else {
                Issue.record("\(text) passed")
                continue
            }
            #expect(refusal.detail == "The parameter limit stands twice. Send it once.")
        }
    }

    @Test("an unknown parameter is refused with the names of those that are known")
    func unknown() {
        guard case .failure(let some) = Self.parse("offset=1"),
            case .failure(let none) = Self.parse("offset=1", known: []),
            case .failure(let upper) = Self.parse("Limit=1"),
            case .failure(let unnamed) = Self.parse("=1")
        else {
            Issue.record("an unknown parameter passed")
            return
        }
        #expect(some.detail == "The query parameters of this endpoint are limit, cursor.")
        #expect(none.detail == "This endpoint has no query parameters. Leave them out.")
        #expect(upper.detail == some.detail)
        #expect(unnamed.detail == some.detail)
    }
}
