extension HostileMessage {
    static let lineEnds = table(
        400, "",
        [
            "bare LF after the request line": "GET {path} HTTP/1.1\nHost: x\r\n{fields}\r\n",
            "bare CR after the request line": "GET {path} HTTP/1.1\rHost: x\r\n{fields}\r\n",
            "LF CR after the request line": "GET {path} HTTP/1.1\n\rHost: x\r\n{fields}\r\n",
            "bare LF after a field": "GET {path} HTTP/1.1\r\nHost: x\nA: b\r\n{fields}\r\n",
            "bare LF at the end": "GET {path} HTTP/1.1\r\nHost: x\r\n{fields}\n",
            "bare LFs at the end": "GET {path} HTTP/1.1\r\nHost: x\n\n",
            "only bare LFs": "GET {path} HTTP/1.1\nHost: x\n\n",
            "only bare CRs": "GET {path} HTTP/1.1\rHost: x\r\r",
            "bare CR in a value": get("A: b\rContent-Length: 5\r\n"),
            "bare CR before a value": get("A:\rb\r\n"),
            "bare CR before the colon": get("A\r: c\r\n"), "CR CR LF": get("A: b\r\r\n"),
            "CR at the end of the head": get("\r"),
            "line end before the colon": get("A\r\n: b\r\n"),
            "obs-fold": get("A: b\r\n c\r\n"), "obs-fold with a tab": get("A: b\r\n\tc\r\n"),
            "obs-fold of an empty line": get("A: b\r\n \r\n"),
            "obs-fold of a hidden length": get("A: b\r\n Content-Length: 5\r\n"),
            "first field folded": "GET {path} HTTP/1.1\r\n Host: x\r\n{fields}\r\n",
            "bare LF first": "\n" + get(""), "bare CR first": "\r" + get(""),
            "LF after a line end": "\r\n\n" + get(""),
            "two empty lines first": "\r\n\r\n" + get(""),
            "100 empty lines first": String(repeating: "\r\n", count: 100) + get(""),
        ]
    ) { $0 }

    /// Each control byte, in each place where a byte may stand.
    static let controlBytes: [HostileMessage] = (Array(0x00..<0x20) + [0x7F]).flatMap { byte in
        let control = Character(UnicodeScalar(UInt8(byte)))
        let name = "0x" + String(byte, radix: 16)
        let messages = table(
            400, name,
            [
                "method": "GE\(control)T {path} HTTP/1.1\r\nHost: x\r\n\r\n",
                "target": "GET {path}\(control)a HTTP/1.1\r\nHost: x\r\n\r\n",
                "version": "GET {path} HTTP/1.1\(control)\r\nHost: x\r\n\r\n",
                "field name": get("A\(control)B: c\r\n"),
                "Host": "GET {path} HTTP/1.1\r\nHost: x\(control)y\r\n\r\n",
            ]
        ) { $0 }
        // A tab may stand in a value.
        return byte == 0x09
            ? messages
            : messages + table(400, name, ["value": get("A: b\(control)c\r\n")]) { $0 }
    }

    static let fieldNames: [HostileMessage] =
        "\"(),/;<=>?@[\\]{} ".map {
            HostileMessage(400, "field name: \($0)", get("A\($0)B: c\r\n"))
        }
        + table(
            400, "field name",
            [
                "empty name": ": b", "no colon": "A", "only a colon": ":", "high byte": "\u{C4}: c",
                "UTF-8": "\u{C3}\u{84}: c", "no-break space": "A\u{A0}: c",
                "space after the name": "A : c", "tab after the name": "A\t: c",
                "a request line": "GET / HTTP/1.1", "quoted": "\"A\": c",
            ]
        ) { get($0 + "\r\n") }

    static let hosts: [HostileMessage] =
        [HostileMessage(400, "no Host", "GET {path} HTTP/1.1\r\n{fields}\r\n")]
        + table(
            400, "Host",
            [
                "two": "x\r\nHost: x", "two that differ": "x\r\nHost: y",
                "two in another case": "x\r\nhOST: x", "a second, empty one": "x\r\nHost:",
                "empty": "", "blank": " ", "path": "x/y", "user": "u@x",
                "user and password": "u:p@x", "list": "x, y", "list without a space": "x,y",
                "port too large": "x:99999", "65536": "x:65536", "port not a number": "x:http",
                "negative port": "x:-1", "two ports": "x:80:80", "only a port": ":80",
                "URL": "http://x", "query": "x?y", "fragment": "x#y", "space inside": "x y",
                "quoted": "\"x\"", "high byte": "\u{FC}",
                "backslash": "x\\y", "open bracket": "[::1", "empty brackets": "[]",
                "zone": "[::1%25lo]", "text after the bracket": "[::1]x", "line break": "x\r\n y",
            ]
        ) { "GET {path} HTTP/1.1\r\nHost: " + $0 + "\r\n{fields}\r\n" }

    static let expectations = table(
        417, "expectation",
        [
            "unknown": "magic", "empty": "", "list": "100-continue, magic",
            "twice in a list": "100-continue, 100-continue", "parameter": "100-continue;q=1",
            "200-ok": "200-ok", "quoted": "\"100-continue\"",
            "no-break space": "100-continue\u{A0}",
            "two": "100-continue\r\nExpect: 100-continue",
            "two that differ": "100-continue\r\nExpect: magic",
            "100 continue": "100 continue",
        ]
    ) { post("Content-Length: 1\r\nExpect: " + $0 + "\r\n", "a") }

    static let sizes: [HostileMessage] = [
        HostileMessage(431, "65 fields", get(String(repeating: "A: b\r\n", count: 64))),
        HostileMessage(431, "1000 fields", get(String(repeating: "A: b\r\n", count: 1000))),
        HostileMessage(
            431, "value over the head's limit", get("A: " + String(repeating: "b", count: 17_000))),
        HostileMessage(
            431, "name over the head's limit", get(String(repeating: "b", count: 17_000) + ": c")),
        HostileMessage(
            431, "endless blanks before a value",
            get("A:" + String(repeating: " ", count: 17_000) + "b")),
        HostileMessage(
            414, "target over the limit",
            "GET /" + String(repeating: "a", count: 8000) + " HTTP/1.1\r\nHost: x\r\n\r\n"),
        HostileMessage(
            414, "query over the limit",
            "GET {path}?" + String(repeating: "a", count: 8000) + " HTTP/1.1\r\nHost: x\r\n\r\n"),
        HostileMessage(
            414, "absolute target over the limit",
            "GET http://" + String(repeating: "a", count: 8000) + "/ HTTP/1.1\r\nHost: x\r\n\r\n"),
        HostileMessage(
            414, "endless request line", "GET /" + String(repeating: "a", count: 9000)),
        HostileMessage(414, "endless method", String(repeating: "A", count: 9000)),
        HostileMessage(
            414, "endless version", "GET / HTTP/1." + String(repeating: "1", count: 9000)),
    ]
}
