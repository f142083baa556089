import Documents
import HTTPServer
import Identity
import JSON
import Ledger
import Platform
import Store
import StoreTestSupport
import TestSupport
import Testing

@testable import API

/// The OpenAPI document and the code say the same.
@Suite("OpenAPI document") struct DocumentTests {
    private static let document: JSONValue = {
        guard let document = try? JSONDocument(Documents.openAPI, maximumDepth: 40) else {
            preconditionFailure("the document is not JSON")
        }
        return document.root
    }()

    private static func child(_ value: JSONValue?, _ name: String) -> JSONValue? {
        value?.members.first { $0.name == name }?.value
    }

    private static var paths: [JSONMember] {
        document["paths"].map { Array($0.members) } ?? []
    }

    /// What the document writes for a route. The switch is complete: a new route does not compile
    /// until it has a path here, and then not pass until the document has it.
    private static func path(of route: Route) -> String {
        switch route {
        case .transfers: "/api/transfers"
        case .transferByKey: "/api/transfers/by-key/{key}"
        case .transfer: "/api/transfers/{transferId}"
        case .accounts: "/api/accounts"
        case .account: "/api/accounts/{accountId}"
        case .documentation(.openAPI): "/openapi.json"
        case .documentation(.page): "/docs"
        case .problem: "/problems/{code}"
        }
    }

    private static func routes() throws -> [Route] {
        [
            .transfers, .transferByKey(.success(try Example.intent().key)), .transfer(nil),
            .accounts, .account(nil), .documentation(.openAPI), .documentation(.page),
            .problem(.inFlight),
        ]
    }

    private static func methods(_ item: JSONValue) -> Set<String> {
        Set(item.members.map { $0.name.uppercased() })
    }

    private static func documented(_ path: String) -> Set<String> {
        child(document["paths"], path).map(methods) ?? []
    }

    @Test("every path and method of the code is in the document")
    func routesAreDocumented() throws {
        for route in try Self.routes() {
            let served = Set(
                Method.allCases.filter { $0 != .other && route.has($0) }.map(\.name))
            #expect(Self.documented(Self.path(of: route)) == served, "\(Self.path(of: route))")
            let allow = Set(
                route.allow.description.split(separator: ",").map {
                    String($0.drop { $0 == " " })
                })
            #expect(allow == served)
            #expect(!route.has(.other))
        }
    }

    @Test("every path of the document is one of the code")
    func documentIsServed() throws {
        let known = Set(try Self.routes().map(Self.path))
        #expect(Set(Self.paths.map(\.name)) == known)
        #expect(Self.paths.count == known.count)
        let id = "8e03978e-40d5-43dd-bc93-6894a57f9324"
        for path in Self.paths {
            // What stands in braces is one segment.
            let segments = path.name.split(separator: "/").map {
                $0 == "{code}" ? "in_flight" : $0.hasPrefix("{") ? id : String($0)
            }
            let bytes = Array(("/" + segments.joined(separator: "/")).utf8)
            #expect(Route(bytes.span).map(Self.path) == path.name)
        }
    }

    @Test("security and scope of every operation are those that the code asks for")
    func scopes() throws {
        for route in try Self.routes() {
            let item = Self.child(Self.document["paths"], Self.path(of: route))
            for method in Method.allCases where route.has(method) {
                let operation = Self.child(item, method.name.lowercased())
                let security = operation?["security"]
                let scopes = security?.elements.flatMap { requirement in
                    requirement["bearer"].map { $0.elements.compactMap(\.string) } ?? []
                }
                let needed = method == .options ? [] : route.scope(method)
                #expect(
                    scopes == (needed.text.isEmpty ? [] : [needed.text]),
                    "\(method.name) \(Self.path(of: route))")
            }
        }
    }

    @Test("every problem code is in the document's table with its status, advice and title")
    func table() {
        let rows = Self.document["x-problem-codes"].map { Array($0.members) } ?? []
        #expect(rows.map(\.name) == ProblemCode.allCases.map(\.rawValue))
        for row in rows {
            guard let code = ProblemCode(rawValue: row.name) else { continue }
            #expect(row.value["status"]?.int64 == Int64(code.status))
            #expect(row.value["retry"]?.string == code.retry.rawValue)
            #expect(row.value["title"]?.string == code.title.description)
        }
    }

    @Test("the schemas list all codes, all advice and all reasons of the code, and nothing else")
    func enumerations() {
        let schemas = Self.document["components"]?["schemas"]
        func names(_ schema: StaticString) -> [String] {
            schemas?[schema]?["enum"]?.elements.compactMap(\.string) ?? []
        }
        #expect(names("ProblemCode") == ProblemCode.allCases.map(\.rawValue))
        #expect(names("RetryAdvice") == RetryAdvice.allCases.map(\.rawValue))
        #expect(names("RejectionCode") == RejectionReason.allCases.map(\.code))
        let states = TransferState.allCases.filter { $0 != .held && $0 != .revoked }
        #expect(names("TransferStatus") == states.map(\.publicName))
    }

    /// The problems that answers may carry: (name of the answer, status, codes, advice).
    private static var answers: [(name: String, status: Int64, codes: [String], retry: [String])] {
        let responses = document["components"]?["responses"]
        return (responses.map { Array($0.members) } ?? []).compactMap { response in
            guard let content = response.value["content"],
                let schema = child(content, "application/problem+json")?["schema"],
                let own = schema["allOf"]?.elements.dropFirst().first(where: { _ in true }),
                let members = own["properties"], let status = members["status"]?["const"]?.int64
            else { return nil }
            func names(_ name: StaticString) -> [String] {
                members[name]?["enum"]?.elements.compactMap(\.string) ?? []
            }
            return (response.name, status, names("code"), names("retry"))
        }
    }

    @Test("each answer's codes have its status and advice, and every code is some answer's")
    func answersHaveCodes() throws {
        #expect(Self.answers.count >= 20)
        for answer in Self.answers {
            let codes = try answer.codes.map { try #require(ProblemCode(rawValue: $0)) }
            #expect(!codes.isEmpty, "\(answer.name)")
            for code in codes {
                let others: [Int64] = code == .requestInvalid ? [414, 417, 501, 505] : []
                #expect(
                    Int64(code.status) == answer.status || others.contains(answer.status),
                    "\(answer.name) \(code)")
            }
            #expect(Set(codes.map(\.retry.rawValue)) == Set(answer.retry), "\(answer.name)")
        }
        #expect(
            Set(Self.answers.flatMap(\.codes)) == Set(ProblemCode.allCases.map(\.rawValue)))
        let refused = Set(Refusal.all.map { Int64($0.status) })
        #expect(refused.isSubset(of: Set(Self.answers.map(\.status))))
    }

    @Test("every refusal of the HTTP server is an answer of every operation that GET or POST has")
    func refusalsAreEverywhere() {
        for path in Self.paths {
            for operation in path.value.members
            where ["get", "post", "delete"].contains(operation.name) {
                let statuses = Set(operation.value["responses"]?.members.map(\.name) ?? [])
                for refusal in Refusal.all {
                    #expect(
                        statuses.contains("\(refusal.status)"), "\(operation.name) \(path.name)")
                }
            }
        }
    }

    @Test("the request examples are intents")
    func requestExamples() throws {
        let post = Self.child(Self.document["paths"], "/api/transfers")?["post"]
        let content = Self.child(post?["requestBody"]?["content"], "application/json")
        let examples = content?["examples"].map { Array($0.members) } ?? []
        #expect(examples.count == 2)
        let rules = FieldRules(characters: .sepa)
        for example in examples {
            let bytes = try #require(example.value["value"]).rawBytes
            let intent = try IntentDecoder.decode(bytes.span, rules: rules).get()
            // As the bank looks at it once the key is known to be new.
            _ = try rules.intent(from: intent).get()
        }
    }

    @Test("the examples of stored answers are what the renderer writes")
    func storedExamples() throws {
        let post = Self.child(Self.document["paths"], "/api/transfers")?["post"]
        let created = Self.example(Self.child(post?["responses"], "201"), "executed")
        #expect(try Self.sameJSON(created, Example.executed().body))
        let rejected = Self.child(Self.document["components"]?["responses"], "Rejected")
        #expect(
            try Self.sameJSON(
                Self.example(rejected, "insufficient_funds"), Example.rejected().body))
        let delete = Self.child(Self.document["paths"], "/api/transfers/by-key/{key}")?["delete"]
        let revoked = Self.example(Self.child(delete?["responses"], "200"), "revoked")
        #expect(try Self.sameJSON(revoked, Example.revoked().body))
    }

    @Test("the examples of problems say what the code says of their kind")
    func problemExamples() throws {
        var seen: Set<String> = []
        let responses = Self.document["components"]?["responses"]
        for response in responses.map({ Array($0.members) }) ?? [] {
            let content = Self.child(response.value["content"], "application/problem+json")
            for example in content?["examples"]?.members.map({ $0 }) ?? [] {
                let value = try #require(example.value["value"])
                let code = try #require(ProblemCode(rawValue: example.name))
                seen.insert(code.rawValue)
                let status = try #require(value["status"]?.int64)
                let begun = Problem.begin(
                    code, detail: try #require(value["detail"]?.string),
                    instance: try #require(value["instance"]?.string), status: Int(status))
                var text = begun
                text.endObject()
                let expected = try JSONDocument(text.finish(), maximumDepth: 2).root
                for member in expected.members {
                    #expect(
                        Self.child(value, member.name)?.rawBytes == member.value.rawBytes,
                        "\(response.name) \(member.name)")
                }
            }
        }
        #expect(seen.count >= 25)
    }

    private static func example(_ response: JSONValue?, _ name: StaticString) -> JSONValue? {
        let content = response?["content"]
        let media =
            child(content, "application/json") ?? child(content, "application/problem+json")
        return media?["examples"]?[name]?["value"]
    }

    /// Equal but for white space, with members in the same order.
    private static func sameJSON(_ value: JSONValue?, _ bytes: [UInt8]) throws -> Bool {
        func compact(_ bytes: [UInt8]) throws -> [UInt8] {
            try Python.run(
                "import json,sys; print(json.dumps(json.load(open(sys.argv[1]))))", input: bytes)
        }
        return try compact(try #require(value).rawBytes) == compact(bytes)
    }

    @Test("the document is OpenAPI 3.1, and its examples fit its schemas")
    func isValid() throws {
        let interpreter = try Python.interpreter(
            importing: "openapi_spec_validator", package: "openapi-spec-validator")
        let output = try Python.run(
            Scripts.validate, input: Documents.openAPI, interpreter: interpreter)
        #expect(String(decoding: output, as: UTF8.self) == "ok\n")
    }

    @Test("the document stands in its canonical form")
    func isCanonical() throws {
        let output = try Python.run(Scripts.format, input: Documents.openAPI)
        // On a difference, write this output over the file.
        #expect(output == Documents.openAPI)
    }
}
