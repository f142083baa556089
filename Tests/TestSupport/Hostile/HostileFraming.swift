extension HostileMessage {
    static let lengths: [HostileMessage] = lengthValues + twoLengths

    private static let lengthValues: [HostileMessage] =
        table(
            400, "length",
            [
                "plus": "+1", "minus": "-1", "minus zero": "-0", "empty": "",
                "blank": " \t", "hexadecimal": "0x1", "bare hexadecimal": "A",
                "fraction": "1.0", "exponent": "1e0", "gap": "1 0", "tab inside": "1\t0",
                "underscore": "1_0", "thousands": "1,000", "list": "1, 1",
                "list of two numbers": "1, 2", "comma after": "1,", "comma before": ",1",
                "semicolon": "1;", "parameter": "1;a=b", "quoted": "\"1\"", "word": "one",
                "NaN": "NaN", "full-width digit": "\u{EF}\u{BC}\u{91}",
                "Arabic digit": "\u{D9}\u{A1}", "superscript": "\u{B9}",
                "no-break space after": "1\u{A0}", "no-break space before": "\u{A0}1",
                "byte-order mark": "\u{EF}\u{BB}\u{BF}1", "vertical tab": "1\u{0B}",
                "NUL after": "1\0", "33 digits": String(repeating: "0", count: 32) + "1",
                "1000 digits": String(repeating: "1", count: 1000), "folded": "1\r\n 0",
            ]
        ) { post("Content-Length: " + $0 + "\r\n", "a") }
        + table(
            413, "length",
            [
                "beyond the limit": "16385", "wraps to 1 in 32 bits": "4294967297",
                "largest of 64 bits": "9223372036854775807",
                "negative in 64 bits": "9223372036854775808",
                "wraps to 0 in 64 bits": "18446744073709551616",
                "wraps to 1 in 64 bits": "18446744073709551617",
                "32 digits": String(repeating: "9", count: 32),
            ]
        ) { post("Content-Length: " + $0 + "\r\n", "a") }

    private static let twoLengths: [HostileMessage] = [
        HostileMessage(
            400, "two equal lengths", post("Content-Length: 1\r\nContent-Length: 1\r\n", "a")),
        HostileMessage(
            400, "two lengths", post("Content-Length: 1\r\nContent-Length: 2\r\n", "ab")),
        HostileMessage(
            400, "two lengths, the larger first",
            post("Content-Length: 200\r\nContent-Length: 0\r\n", "{smuggled}")),
        HostileMessage(
            400, "two lengths in another case",
            post("Content-Length: 1\r\ncONTENT-lENGTH: 2\r\n", "ab")),
        HostileMessage(
            400, "two lengths far apart",
            post("Content-Length: 1\r\nA: b\r\nC: d\r\nContent-Length: 0\r\n", "a")),
        HostileMessage(
            400, "a length and an empty one", post("Content-Length: 1\r\nContent-Length:\r\n", "a")),
        HostileMessage(
            400, "three lengths",
            post("Content-Length: 0\r\nContent-Length: 0\r\nContent-Length: 1\r\n", "a")),
        HostileMessage(
            400, "two lengths on a GET", get("Content-Length: 0\r\nContent-Length: 1\r\n")),
        HostileMessage(
            400, "two lengths in HTTP/1.0",
            "POST {path} HTTP/1.0\r\n{fields}Content-Length: 0\r\nContent-Length: 1\r\n\r\na"),
        HostileMessage(400, "space before the colon", post("Content-Length : 1\r\n", "a")),
        HostileMessage(400, "tab before the colon", post("Content-Length\t: 1\r\n", "a")),
        HostileMessage(
            400, "a second length with a space before its colon",
            post("Content-Length: 1\r\nContent-Length : 0\r\n", "a")),
        HostileMessage(
            400, "a second length on a folded line",
            post("Content-Length: 1\r\n Content-Length: 0\r\n", "a")),
        HostileMessage(
            400, "a length behind a bare LF", post("A: b\nContent-Length: 1\r\n", "a")),
        HostileMessage(
            400, "a length behind a bare CR", post("A: b\rContent-Length: 1\r\n", "a")),
        HostileMessage(400, "no colon", post("Content-Length 1\r\n", "a")),
        HostileMessage(400, "equals sign for the colon", post("Content-Length= 1\r\n", "a")),
    ]

    static let codings: [HostileMessage] =
        codingValues + [
            HostileMessage(
                400, "CL.TE",
                post(
                    "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n{smuggled}")),
            HostileMessage(
                400, "TE.CL",
                post(
                    "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
                    "5c\r\n{smuggled}\r\n0\r\n\r\n")),
            HostileMessage(
                400, "length 0 and coding",
                post("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")),
            HostileMessage(
                400, "length and a coding that is none",
                post("Content-Length: 1\r\nTransfer-Encoding: identity\r\n", "a")),
            HostileMessage(
                400, "length and an empty coding",
                post("Content-Length: 1\r\nTransfer-Encoding:\r\n", "a")),
            HostileMessage(
                400, "length and coding on a GET",
                get("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n"),
            HostileMessage(
                400, "both, twice",
                post(
                    "Content-Length: 5\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n"
                        + "Transfer-Encoding: chunked\r\n", "0\r\n\r\n")),
            HostileMessage(
                501, "two codings",
                post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")),
            HostileMessage(
                501, "TE.TE, the second unknown",
                post("Transfer-Encoding: chunked\r\nTransfer-Encoding: cow\r\n", "0\r\n\r\n")),
            HostileMessage(
                501, "TE.TE, the first unknown",
                post("Transfer-Encoding: cow\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")),
            HostileMessage(
                501, "TE.TE in another case",
                post("Transfer-Encoding: chunked\r\nTransfer-encoding: x\r\n", "0\r\n\r\n")),
            HostileMessage(
                501, "TE.TE, the second empty",
                post("Transfer-Encoding: chunked\r\nTransfer-Encoding:\r\n", "0\r\n\r\n")),
            HostileMessage(
                400, "HTTP/1.0",
                "POST {path} HTTP/1.0\r\n{fields}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            HostileMessage(
                400, "HTTP/1.0 with a length",
                "POST {path} HTTP/1.0\r\n{fields}Content-Length: 5\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ]
        + table(
            400, "coding",
            [
                "space before the colon": "Transfer-Encoding : chunked",
                "tab before the colon": "Transfer-Encoding\t: chunked",
                "line end before the colon": "Transfer-Encoding\r\n: chunked",
                "bare LF before the colon": "Transfer-Encoding\n: chunked",
                "bare LF after the colon": "Transfer-Encoding:\nchunked",
                "folded": "Transfer-Encoding:\r\n chunked",
                "folded with a tab": "Transfer-Encoding:\r\n\tchunked",
                "leading space": " Transfer-Encoding: chunked",
                "leading tab": "\tTransfer-Encoding: chunked",
                "behind a bare LF": "A: b\nTransfer-Encoding: chunked",
                "behind a bare CR": "A: b\rTransfer-Encoding: chunked",
                "NUL in the name": "Transfer-\0Encoding: chunked",
                "no-break space in the name": "Transfer-Encoding\u{A0}: chunked",
                "soft hyphen in the name": "Transfer\u{AD}Encoding: chunked",
                "vertical tab": "Transfer-Encoding: \u{0B}chunked",
                "form feed": "Transfer-Encoding: chunked\u{0C}",
                "NUL": "Transfer-Encoding: chunked\0",
                "backspace": "Transfer-Encoding: x\u{08}chunked",
            ]
        ) { post($0 + "\r\nContent-Length: 5\r\n", "0\r\n\r\n") }

    private static let codingValues = table(
        501, "coding",
        [
            "gzip": "gzip", "identity": "identity", "deflate": "deflate",
            "chunked twice": "chunked, chunked", "gzip, chunked": "gzip, chunked",
            "chunked, gzip": "chunked, gzip", "identity, chunked": "identity, chunked",
            "chunked, identity": "chunked, identity", "comma after": "chunked,",
            "comma before": ",chunked", "without a comma": "chunked chunked",
            "xchunked": "xchunked", "chunkedx": "chunkedx", "chunke": "chunke",
            "parameter": "chunked;q=1", "semicolon": "chunked;", "quoted": "\"chunked\"",
            "single quotes": "'chunked'", "empty": "", "trailers": "trailers", "null": "null",
            "brackets": "[chunked]", "colon": ": chunked",
            "no-break space before": "\u{A0}chunked", "no-break space after": "chunked\u{A0}",
            "next line": "chunked\u{85}", "byte-order mark": "\u{EF}\u{BB}\u{BF}chunked",
            "Kelvin sign": "chun\u{E2}\u{84}\u{AA}ed", "high byte": "chunked\u{FF}",
        ]
    ) { post("Transfer-Encoding: " + $0 + "\r\n", "0\r\n\r\n") }
}
