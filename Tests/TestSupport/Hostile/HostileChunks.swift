extension HostileMessage {
    static let chunks: [HostileMessage] =
        chunkSizes
        + table(
            400, "chunk",
            [
                "bare LF after the size": "1\na\r\n0\r\n\r\n",
                "bare CR after the size": "1\ra\r\n0\r\n\r\n",
                "CR CR LF after the size": "1\r\r\na\r\n0\r\n\r\n",
                "LF CR after the size": "1\n\ra\r\n0\r\n\r\n",
                "bare CR in an extension": "1;a\rb\r\na\r\n0\r\n\r\n",
                "bare LF in an extension": "1;a\nb\r\na\r\n0\r\n\r\n",
                "NUL in an extension": "1;a\0\r\na\r\n0\r\n\r\n",
                "DEL in an extension": "1;a\u{7F}\r\na\r\n0\r\n\r\n",
                "line end in a quoted extension": "1;a=\"\r\nb\"\r\na\r\n0\r\n\r\n",
                "data longer than its size": "1\r\nab\r\n0\r\n\r\n",
                "data shorter than its size": "5\r\nab\r\n0\r\n\r\n",
                "bare LF after the data": "1\r\na\n0\r\n\r\n",
                "bare CR after the data": "1\r\na\r0\r\n\r\n",
                "nothing after the data": "1\r\na0\r\n\r\n",
                "LF CR after the data": "1\r\na\n\r0\r\n\r\n",
                "two line ends after the data": "1\r\na\r\n\r\n0\r\n\r\n",
                "bare LF after the last size": "0\n\r\n", "bare LF at the end": "0\r\n\n",
                "bare CR at the end": "0\r\n\rA", "only bare LFs": "1\na\n0\n\n",
                "no last chunk": "1\r\na\r\n", "a request for a chunk": "{smuggled}",
            ], chunked)
        + table(
            413, "chunk",
            [
                "endless extension": "1;" + String(repeating: "a", count: 2000),
                "many extensions": String(
                    repeating: "1;" + String(repeating: "a", count: 99) + "\r\nb\r\n", count: 11),
                "over the limit": "4001\r\n", "over the limit with an extension": "4001;a\r\n",
                "2 GiB": "80000000\r\n", "4 GiB": "FFFFFFFF\r\n",
                "over the limit together": "2000\r\n" + String(repeating: "a", count: 0x2000)
                    + "\r\n2001\r\n",
            ], chunked)

    private static let chunkSizes = table(
        400, "chunk size",
        [
            "9 digits": "000000001", "wraps to 1 in 32 bits": "100000001",
            "wraps to 1 in 64 bits": "10000000000000001", "16 digits": "FFFFFFFFFFFFFFFF",
            "500 digits": String(repeating: "0", count: 500) + "1", "0x": "0x1",
            "only 0x": "0x", "trailing h": "1h", "plus": "+1", "minus": "-1",
            "minus zero": "-0", "fraction": "1.0", "underscore": "0_1", "comma": "1,",
            "no digit": "G", "none": "", "only an extension": ";a", "space after": "1 ",
            "tab after": "1\t", "space before": " 1", "space before an extension": "1 ;a",
            "quoted": "\"1\"", "full-width digit": "\u{EF}\u{BC}\u{91}",
            "no-break space": "1\u{A0}", "NUL after": "1\0", "NUL before": "\01",
            "vertical tab": "1\u{0B}",
        ]
    ) { chunked($0 + "\r\na\r\n0\r\n\r\n") }

    static let trailers: [HostileMessage] =
        table(
            400, "trailer",
            [
                "folded": "A: b\r\n c", "first line folded": " A: b", "no colon": "A",
                "a request": "GET / HTTP/1.1", "empty name": ": b",
                "space before the colon": "A : b", "bracket in the name": "A[]: b",
                "NUL in the name": "A\0: b", "NUL in the value": "A: \0",
                "DEL in the value": "A: \u{7F}", "bare LF": "A: b\nC: d",
                "bare CR": "A: b\rC: d", "CR CR LF": "A: b\r", "not in ASCII": "\u{C4}: b",
            ]
        ) { chunked("0\r\n" + $0 + "\r\n\r\n") }
        + [
            HostileMessage(
                431, "trailer: endless", chunked("0\r\nA: " + String(repeating: "b", count: 5000))),
            HostileMessage(
                431, "trailer: endless name", chunked("0\r\n" + String(repeating: "b", count: 5000))
            ),
            HostileMessage(
                431, "65 trailers",
                chunked("0\r\n" + String(repeating: "A: b\r\n", count: 65) + "\r\n")),
        ]
}
