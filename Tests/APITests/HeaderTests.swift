import HTTPServer
import Platform
import Testing

@testable import API

@Suite("Request headers") struct HeaderTests {
    @Test(
        "Prefer: wait is read as RFC 7240 writes it, and ignored where it does not",
        arguments: [
            ("wait=5", 5), ("wait=30", 30), ("wait=31", 30), ("wait=99999999999999999999", 30),
            ("WAIT=5", 5), ("wait = 5", 5), ("wait=\"5\"", 5), ("wait=5; x=y", 5),
            ("respond-async, wait=5", 5), ("return=minimal,wait=5,wait=7", 5), ("wait=007", 7),
            ("wait=0", nil), ("wait", nil), ("wait=", nil), ("wait=-1", nil), ("wait=+1", nil),
            ("wait=1.5", nil), ("wait=1s", nil), ("waits=5", nil), ("", nil), (",", nil),
            ("respond-async", nil), ("x;wait=5", nil),
        ] as [(String, Int64?)])
    func prefer(_ value: String, _ expected: Int64?) throws {
        #expect(Preference.wait(try head([("Prefer", value)])) == expected)
    }

    @Test("Prefer may have several lines; without one there is no preference")
    func preferLines() throws {
        #expect(Preference.wait(try head()) == nil)
        let lines = [("Prefer", "respond-async"), ("prefer", "wait=4"), ("Prefer", "wait=9")]
        #expect(Preference.wait(try head(lines)) == 4)
    }

    @Test(
        "If-None-Match is compared weakly with one tag or many",
        arguments: [
            (["\"7\""], true), (["W/\"7\""], true), (["\"6\", \"7\""], true),
            (["\"6\",\t W/\"7\" "], true), (["*"], true), (["\"6\"", "\"7\""], true),
            (["\"6\""], false), (["7"], false), (["\"77\""], false), ([""], false),
            (["w/\"7\""], false), ([], false),
        ])
    func ifNoneMatch(_ lines: [String], _ matches: Bool) throws {
        let head = try head(lines.map { ("If-None-Match", $0) })
        #expect(EntityTag.matches(EntityTag.list(head), "\"7\"") == matches)
        #expect((EntityTag.list(head) == nil) == lines.isEmpty)
    }

    @Test(
        "application/json is the one media type",
        arguments: [
            ("application/json", true), ("Application/JSON", true),
            ("application/json; charset=utf-8", true), ("application/json;charset=UTF-8", true),
            ("application/json; charset=\"utf-8\"", true),
            ("application/json;\tcharset=utf-8", true),
            ("appli cation/js on", false), ("application/json; char set=utf-8", false),
            ("application/json ; charset=utf-8", true),
            ("application/json;", false), ("application/json; charset=latin1", false),
            ("application/json; version=1", false), ("text/plain", false), ("", false),
            ("application/jsonp", false), ("application/json, application/json", false),
            ("application/vnd.api+json", false), ("application/json; charset=utf-8; x=y", false),
        ])
    func mediaType(_ value: String, _ isJSON: Bool) throws {
        #expect(MediaType.isJSON(try head([("Content-Type", value)])) == isJSON)
    }

    @Test("no media type, two of them, or an encoded body are not JSON")
    func mediaTypeLines() throws {
        let json = ("Content-Type", "application/json")
        #expect(!MediaType.isJSON(try head()))
        #expect(!MediaType.isJSON(try head([json, json])))
        #expect(!MediaType.isJSON(try head([json, ("Content-Encoding", "gzip")])))
    }

    @Test(
        "a token of at most 128 characters is the request id",
        arguments: ["a", "A-1_b.c~d", "!#$%&'*+-.^_`|~", String(repeating: "x", count: 128)])
    func takesRequestID(_ value: String) throws {
        let head = try head([("X-Request-Id", value)])
        #expect(RequestID.of(head, random: SeededRandomBytes(seed: 1)) == value)
    }

    @Test(
        "anything else is replaced by an id that is made",
        arguments: [
            [], [""], ["a b"], ["a\tb"], ["a,b"], ["é"], ["\"a\""], ["a;b"], ["a/b"], ["a", "a"],
            ["{a}"], ["a@b"], [String(repeating: "x", count: 129)],
        ])
    func makesRequestID(_ lines: [String]) throws {
        let head = try head(lines.map { ("X-Request-Id", $0) })
        let random = SeededRandomBytes(seed: 1)
        let ids = (0..<100).map { _ in RequestID.of(head, random: random) }
        #expect(Set(ids).count == 100)
        let alphabet = Set("0123456789abcdefghjkmnpqrstvwxyz")
        for id in ids {
            #expect(id.count == 15)
            #expect(Set(id).isSubset(of: alphabet))
        }
    }
}
