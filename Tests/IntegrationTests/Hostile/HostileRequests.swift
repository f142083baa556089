import TestSupport

extension HostileRequest {
    static let all: [HostileRequest] =
        keys + tokens + mediaTypes + targets + methods + bodies + connections

    private typealias Change = @Sendable (String) -> String

    /// A request for each row: what it is called, and what it does to a good request's part.
    private static func changed(
        _ kind: String, _ answer: String, _ rows: KeyValuePairs<String, Change>,
        _ message: @escaping @Sendable (RequestParts, Change) -> String
    ) -> [HostileRequest] {
        rows.map { name, change in
            HostileRequest("\(kind): \(name)", answer) { message($0, change) }
        }
    }

    private static func each(
        _ kind: String, _ answer: String, payments: Int = 0, _ texts: [String],
        _ message: @escaping @Sendable (RequestParts, String) -> String
    ) -> [HostileRequest] {
        texts.map { text in
            HostileRequest("\(kind) \(text.debugDescription)", answer, payments: payments) {
                message($0, text)
            }
        }
    }

    @Sendable private static func withKey(_ parts: RequestParts, _ change: Change) -> String {
        parts.post(
            parts.authorization + RequestParts.contentType
                + change(parts.idempotencyKey).replacing("{other}", with: parts.otherKey))
    }

    private static let keys: [HostileRequest] =
        changed(
            "key", "400 idempotency_key_invalid",
            [
                "two": { $0 + "Idempotency-Key: {other}\r\n" }, "two equal ones": { $0 + $0 },
                "two in another case": { $0 + "idempotency-KEY: {other}\r\n" },
                "and an empty one": { $0 + "Idempotency-Key:\r\n" },
                "a list": { $0.replacing("\r\n", with: ", {other}\r\n") },
                "a parameter": { $0.replacing("\r\n", with: ";a=b\r\n") },
                "single quotes": {
                    $0.replacing(": ", with: ": '").replacing("\r\n", with: "'\r\n")
                },
                "a no-break space": { $0.replacing("\r\n", with: "\u{A0}\r\n") },
                "a tab inside": { $0.replacing("\r\n", with: "\ta\r\n") },
                "nothing": { _ in "Idempotency-Key: \r\n" },
                "empty quotes": { _ in "Idempotency-Key: \"\"\r\n" },
            ], withKey)
        + changed(
            "key", "400 request_invalid",
            [
                "NUL": { $0.replacing("\r\n", with: "\0\r\n") },
                "folded": { $0.replacing(": ", with: ":\r\n ") },
                "behind a bare CR": { "A: b\r" + $0 }, "behind a bare LF": { "A: b\n" + $0 },
            ], withKey)
        + changed(
            "key", "400 idempotency_key_missing",
            [
                "an underscore for the dash": { $0.replacing("-Key:", with: "_Key:") },
                "X- before the name": { "X-" + $0 }, "none": { _ in "" },
            ], withKey)

    @Sendable private static func withToken(_ parts: RequestParts, _ change: Change) -> String {
        parts.post(
            change(parts.authorization) + parts.idempotencyKey + RequestParts.contentType)
    }

    private static let tokens: [HostileRequest] =
        changed(
            "token", "401 token_invalid",
            [
                "two": { $0 + $0 }, "and an empty one": { $0 + "Authorization:\r\n" },
                "a list": { $0.replacing("\r\n", with: ", Bearer x\r\n") },
                "a word after it": { $0.replacing("\r\n", with: " x\r\n") },
                "a tab for the space": { $0.replacing("Bearer ", with: "Bearer\t") },
                "another scheme": { $0.replacing("Bearer", with: "Basic") },
                "no scheme": { $0.replacing("Bearer ", with: "") },
                "quotes": {
                    $0.replacing("Bearer ", with: "Bearer \"").replacing("\r\n", with: "\"\r\n")
                },
                "a high byte": { $0.replacing(".", with: "\u{AE}") },
                "8 KiB": {
                    $0.replacing("\r\n", with: String(repeating: "a", count: 8200) + "\r\n")
                },
            ], withToken)
        + changed(
            "token", "400 request_invalid",
            [
                "NUL": { $0.replacing(".", with: "\0") },
                "folded": { $0.replacing(": ", with: ":\r\n ") },
            ], withToken)
        + changed(
            "token", "401 token_missing",
            [
                "for a proxy": { "Proxy-" + $0 }, "none": { _ in "" },
                "a cookie": {
                    $0.replacing("Authorization: Bearer ", with: "Cookie: access_token=")
                },
            ], withToken)

    private static let mediaTypes = each(
        "media type", "415 media_type_unsupported",
        [
            "", "Content-Type: application/json\r\nContent-Type: application/json\r\n",
            "Content-Type: application/json\r\nContent-Type: text/plain\r\n",
            "Content-Type: application/json, text/plain\r\n",
            "Content-Type: application/json\u{A0}\r\n",
            "Content-Type: application/json; charset=utf-16\r\n",
            "Content-Type: application/json;\r\n",
            "Content-Type: application/json; charset=utf-8; charset=utf-8\r\n",
            "Content-Type: text/plain; x=application/json\r\n",
            "Content-Type: multipart/form-data; boundary=x\r\n",
            "Content-Type: application/json\r\nContent-Encoding: gzip\r\n",
            "Content-Type: application/json\r\nContent-Encoding: identity\r\n",
            "Content_Type: application/json\r\n",
        ]
    ) { $0.post($0.authorization + $0.idempotencyKey + $1) }

    private static let targets: [HostileRequest] =
        each(
            "target", "404 not_found",
            [
                "/api/transfers/", "//api/transfers", "/api//transfers", "/api/./transfers",
                "/api/x/../transfers", "/API/transfers", "/api/Transfers", "/api/%74ransfers",
                "/api%2Ftransfers", "/%2561pi/transfers", "/api/transfers%00",
                "/api/transfers%20", "/api/transfers%3F", "/api/transfers%0D%0A",
                "/api/transfers;a=b", "/api/transfers.json", "/api/%c0%aftransfers",
                "/api%5Ctransfers", "/./api/transfers", "/%2e/api/transfers",
            ]
        ) { $0.post($0.fields, target: $1) }
        + each(
            "target", "201", payments: 1,
            ["http://evil.example/api/transfers", "HTTP://X:1/api/transfers", "/api/transfers?"]
        ) { $0.post($0.fields, target: $1) }
        + each(
            "target", "400 request_invalid",
            [
                "/api/transfers?a=b", "/api/transfers?Idempotency-Key=1", "/api/transfers?&",
                "/api/transfers?a", "/api/transfers?access_token=x", "/api/transfers?%00=",
            ]
        ) { $0.post($0.fields, target: $1) }

    private static let methods: [HostileRequest] =
        each(
            "method", "405 method_not_allowed",
            ["post", "Post", "PUT", "PATCH", "TRACE", "COPY", "POSTX", "DELETE"]
        ) { $0.post($0.fields, method: $1) }
        + [
            HostileRequest("OPTIONS with a payment", "204") {
                $0.post($0.fields, method: "OPTIONS")
            },
            HostileRequest("GET with a payment", "200") { $0.post($0.fields, method: "GET") },
            HostileRequest("GET that says POST elsewhere", "200") {
                $0.post(
                    $0.fields + "X-HTTP-Method-Override: POST\r\nX-Method: POST\r\n", method: "GET")
            },
            HostileRequest("GET by key with a payment", "404 key_unknown") {
                $0.post($0.fields, target: "/api/transfers/by-key/" + $0.key, method: "GET")
            },
        ]

    private static let bodies: [HostileRequest] =
        changed(
            "body", "400 request_invalid",
            [
                "overlong UTF-8": { $0.replacing("Marie", with: "M\u{C0}\u{AF}rie") },
                "half a character": { $0.replacing("Marie", with: "Mari\u{C3}") },
                "surrogates in UTF-8": { $0.replacing("Marie", with: "\u{ED}\u{A0}\u{80}") },
                "a lone surrogate": { $0.replacing("Marie", with: "\\ud800") },
                "NUL": { $0.replacing("Marie", with: "M\0") },
                "an escaped NUL": { $0.replacing("Marie", with: "M\\u0000") },
                "a byte-order mark": { "\u{EF}\u{BB}\u{BF}" + $0 },
                "UTF-16": { $0.map { "\0\($0)" }.joined() }, "two": { $0 + $0 },
                "a bracket too many": { $0 + "}" }, "a bracket too few": { String($0.dropLast()) },
                "nothing": { _ in "" }, "a list": { "[" + $0 + "]" }, "a text": { _ in "\"a\"" },
                "a member twice": {
                    $0.replacing(
                        "\"creditorName\"", with: "\"creditorName\":\"A\",\"creditorName\"")
                },
                "a member twice in disguise": {
                    $0.replacing(
                        "\"creditorName\"", with: "\"creditorNam\\u0065\":\"A\",\"creditorName\"")
                },
                "a prototype": { $0.replacing("{\"debtor", with: "{\"__proto__\":{},\"debtor") },
                "a form": { _ in "amount=1&currency=EUR" },
            ]
        ) { parts, change in parts.post(parts.fields, change(parts.body)) }
        + [
            HostileRequest(
                "a length that cuts the body", "400 request_invalid", "400 request_invalid"
            ) {
                "POST /api/transfers HTTP/1.1\r\nHost: x\r\n" + $0.fields
                    + "Content-Length: \($0.body.utf8.count - 1)\r\n\r\n" + $0.body + "\r\n"
            },
            HostileRequest("a length that takes the next request in", "400 request_invalid") {
                let next = $0.post($0.fields.replacing($0.key, with: $0.otherKey))
                return "POST /api/transfers HTTP/1.1\r\nHost: x\r\n" + $0.fields
                    + "Content-Length: \($0.body.utf8.count + next.utf8.count)\r\n\r\n" + $0.body
                    + next
            },
        ]

    private static let connections: [HostileRequest] = [
        HostileRequest("a key in a trailer", "400 idempotency_key_missing") {
            $0.chunked($0.authorization + RequestParts.contentType, trailers: $0.idempotencyKey)
        },
        HostileRequest("an announced key in a trailer", "400 idempotency_key_missing") {
            $0.chunked(
                $0.authorization + RequestParts.contentType + "Trailer: Idempotency-Key\r\n",
                trailers: $0.idempotencyKey)
        },
        HostileRequest("a token in a trailer", "401 token_missing") {
            $0.chunked($0.idempotencyKey + RequestParts.contentType, trailers: $0.authorization)
        },
        HostileRequest("another key in a trailer", "201", payments: 1) {
            $0.chunked($0.fields, trailers: "Idempotency-Key: \($0.otherKey)\r\n")
        },
        HostileRequest("a length in a trailer", "201", payments: 1) {
            $0.chunked($0.fields, trailers: "Content-Length: 0\r\n")
        },
        HostileRequest("Connection names the key", "201", payments: 1) {
            $0.post($0.fields + "Connection: Idempotency-Key, Authorization\r\n")
        },
        HostileRequest("Connection names the length", "201", payments: 1) {
            $0.post($0.fields + "Connection: Content-Length, Host\r\n")
        },
        HostileRequest("an upgrade to HTTP/2", "201", payments: 1) {
            $0.post(
                $0.fields + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                    + "HTTP2-Settings: AAMAAABkAAQAAP__\r\n")
        },
        HostileRequest("the same twice at once", "201", "201", payments: 1) {
            $0.post($0.fields) + $0.post($0.fields)
        },
        HostileRequest("the same with a length and in chunks", "201", "201", payments: 1) {
            $0.post($0.fields) + $0.chunked($0.fields)
        },
        HostileRequest("another behind the last", "201", payments: 1) {
            $0.post($0.fields + "Connection: close\r\n")
                + $0.post($0.fields.replacing($0.key, with: $0.otherKey))
        },
        HostileRequest("another behind HTTP/1.0", "201", payments: 1) {
            $0.post($0.fields, version: "HTTP/1.0")
                + $0.post($0.fields.replacing($0.key, with: $0.otherKey))
        },
        HostileRequest("another behind garbage", "201", "400 request_invalid", payments: 1) {
            $0.post($0.fields) + "\u{16}\u{3}\u{1}"
                + $0.post($0.fields.replacing($0.key, with: $0.otherKey))
        },
        HostileRequest("a client that ends at once", "201", payments: 1, ends: true) {
            $0.post($0.fields)
        },
        HostileRequest("an end one byte too early", ends: true) {
            String($0.post($0.fields).dropLast())
        },
        HostileRequest("an end before the last chunk", ends: true) {
            String($0.chunked($0.fields).dropLast(3))
        },
        HostileRequest("an end before the last line end", ends: true) {
            String(String.UnicodeScalarView($0.chunked($0.fields).unicodeScalars.dropLast()))
        },
        HostileRequest("an end in the head", ends: true) {
            "POST /api/transfers HTTP/1.1\r\nHost: x\r\n" + $0.fields
        },
    ]
}
