/// Requests that RFC 9112 allows, and damaged ones.
struct RequestGenerator {
    private let choices: Choices

    init(seed: UInt64) { choices = Choices(seed: seed) }

    /// A whole request with its body.
    func request() -> [UInt8] {
        let method = choices.one(of: ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"])
        let isHTTP10 = choices.below(8) == 0
        var lines = [
            "\(method) \(target(method)) HTTP/1.\(isHTTP10 ? 0 : 1)",
            choices.one(of: ["Host", "host", "HOST"]) + ":"
                + choices.one(of: [
                    "x", " bank.example", " bank.example:8080", "\t[::1]:80", " 127.0.0.1 ",
                ]),
        ]
        for _ in 0..<choices.below(5) { lines.append(field()) }
        var body = ""
        switch choices.below(isHTTP10 ? 2 : 3) {
        case 0: break
        case 1:
            body = text()
            let zeros = choices.one(of: ["", "", "0", "000"])
            lines.append("Content-Length: \(zeros)\(body.utf8.count)")
        default:
            lines.append(
                "Transfer-Encoding:" + choices.one(of: [" chunked", "Chunked", " CHUNKED "]))
            body = chunks()
        }
        if choices.below(4) == 0 { lines.swapAt(1, lines.count - 1) }
        let before = choices.below(20) == 0 ? "\r\n" : ""
        return Array((before + lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    /// A request that was damaged in a place or two.
    func damaged() -> [UInt8] {
        if choices.below(3) == 0 { return Array(trick().utf8) }
        return choices.mutation(
            of: request(), spice: Array("\r\n\t :;,/?%*0aAfF\0\u{7F}\"=.-_".utf8) + [0x80, 0xFF])
    }

    private func target(_ method: String) -> String {
        if method == "OPTIONS", choices.below(2) == 0 { return "*" }
        let origin = choices.one(of: [
            "/", "/api/transfers", "/a?b=c", "/?", "/a%20b", "/~x;y=1,2/(z)", "/a//b/../c",
            "/@:&=+$!'",
            "/q?a=/?&b=%C3%A9", "/%2F",
        ])
        switch choices.below(8) {
        case 0: return "http://bank.example" + origin
        case 1: return "https://bank.example:443" + origin
        default: return origin
        }
    }

    private func field() -> String {
        let name = choices.one(of: [
            "Accept", "X-Request-Id", "Idempotency-Key", "a", "!#$%&'*+-.^_`|~0", "Authorization",
        ])
        let value = choices.one(of: [
            "", "*/*", "text", "a b\tc", "\"quoted\"", "é", "1, 2, 3", "x=y; z", "~!@#$%^&*()",
        ])
        return name + ":" + choices.one(of: ["", " ", "\t", "  "]) + value
            + choices.one(of: ["", "", " ", "\t "])
    }

    private func text() -> String {
        String(repeating: "body\r\n", count: choices.below(5))
            + String(repeating: "x", count: choices.below(20))
    }

    private func chunks() -> String {
        var chunks = ""
        for _ in 0..<choices.below(4) {
            let data = text() + "."
            let size = String(data.utf8.count, radix: 16, uppercase: choices.below(2) == 0)
            let zeros = choices.one(of: ["", "", "00"])
            let ext = choices.one(of: ["", "", ";a", ";a=b", ";a=\"b\""])
            chunks += zeros + size + ext + "\r\n" + data + "\r\n"
        }
        let trailers = choices.one(of: ["", "", "T: v\r\n", "T:\r\nU: w\r\n"])
        return chunks + choices.one(of: ["0", "000", "0;last"]) + "\r\n" + trailers + "\r\n"
    }

    /// What smuggles requests past servers that disagree.
    private func trick() -> String {
        let body = "0\r\n\r\n"
        let lines = choices.one(of: [
            "Content-Length: 5\r\nTransfer-Encoding: chunked",
            "Content-Length: 5\r\nContent-Length: 6",
            "Content-Length: 5\r\nContent-Length: 5", "Content-Length: +5", "Content-Length: 5,5",
            "Content-Length: 0x5", "Content-Length: 5 5", "Content-Length: -1", "Content-Length:",
            "Content-Length: ٥", "Transfer-Encoding: gzip, chunked",
            "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: xchunked",
            "Transfer-Encoding : chunked", "Transfer-Encoding: \"chunked\"",
            "Transfer-Encoding: chunked;q=1", "Transfer-Encoding:\u{B}chunked",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
            "Transfer-Encoding\r\n : chunked",
            "Transfer-Encoding: identity", "X: y\r\n Transfer-Encoding: chunked",
            "X: y\nTransfer-Encoding: chunked", "X: y\rTransfer-Encoding: chunked", "Host: y",
            "Host",
            ": empty", "Expect: 100-continue", "Expect: x", "Connection: close", "Upgrade: h2c",
            "Connection: Upgrade\r\nUpgrade: websocket",
        ])
        let target = choices.one(of: [
            "/", "", "x", "//", "http://", "http:///", "ftp://x/", "HTTP://bank.example/", "*",
            "/a b",
            "/#f", "/é", "/<>", "/%4", "bank.example:80", "http://a@b/", "http://[::1]/",
        ])
        let version = choices.one(of: [
            "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/1.2", "HTTP/2.0", "http/1.1",
            "HTTP/1.10", "HTTP/01.1", "HTTP /1.1", "",
        ])
        let method = choices.one(of: [
            "POST", "POST", "GET", "get", "CONNECT", "TRACE", "P@ST", "PRI",
        ])
        return "\(method) \(target) \(version)\r\nHost: x\r\n\(lines)\r\n\r\n\(body)"
    }
}
