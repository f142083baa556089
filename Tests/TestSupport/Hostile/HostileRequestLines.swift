extension HostileMessage {
    private static func line(_ line: String) -> String { line + "\r\nHost: x\r\n{fields}\r\n" }

    static let requestLines: [HostileMessage] =
        table(
            505, "",
            [
                "HTTP/2.0": "GET {path} HTTP/2.0", "HTTP/3.0": "GET {path} HTTP/3.0",
                "HTTP/1.2": "GET {path} HTTP/1.2", "HTTP/1.9": "GET {path} HTTP/1.9",
                "HTTP/0.9 by name": "GET {path} HTTP/0.9", "HTTP/0.0": "GET {path} HTTP/0.0",
                "HTTP/9.9": "GET {path} HTTP/9.9",
            ], line)
        + table(
            400, "request line",
            [
                "HTTP/0.9": "GET {path}", "HTTP/0.9 with a space": "GET {path} ",
                "only a method": "GET", "method and space": "GET ", "no method": " {path} HTTP/1.1",
                "no target": "GET HTTP/1.1", "empty target": "GET  HTTP/1.1",
                "lower-case version": "GET {path} http/1.1",
                "mixed-case version": "GET {path} Http/1.1",
                "version of two digits": "GET {path} HTTP/1.10",
                "major version of two digits": "GET {path} HTTP/11.1",
                "leading zero": "GET {path} HTTP/01.1", "major version only": "GET {path} HTTP/1",
                "comma": "GET {path} HTTP/1,1", "no slash": "GET {path} HTTP1.1",
                "space in the version": "GET {path} HTTP /1.1", "signed": "GET {path} HTTP/+1.1",
                "hexadecimal": "GET {path} HTTP/1.A", "another protocol": "GET {path} HTCPCP/1.0",
                "full-width version": "GET {path} HTTP/\u{EF}\u{BC}\u{91}.1",
                "two spaces after the method": "GET  {path} HTTP/1.1",
                "two spaces before the version": "GET {path}  HTTP/1.1",
                "trailing space": "GET {path} HTTP/1.1 ", "trailing word": "GET {path} HTTP/1.1 x",
                "no-break spaces": "GET\u{A0}{path}\u{A0}HTTP/1.1",
                "leading space": " GET {path} HTTP/1.1",
                "colon after the method": "GET: {path} HTTP/1.1",
                "quoted method": "\"GET\" {path} HTTP/1.1",
                "method not in ASCII": "G\u{C9}T {path} HTTP/1.1",
                "slash in the method": "GET/ {path} HTTP/1.1", "brackets": "[GET] {path} HTTP/1.1",
                "two targets": "GET {path} {path} HTTP/1.1", "reversed": "HTTP/1.1 {path} GET",
                "a status line": "HTTP/1.1 200 OK", "a field line": "Host: x",
                "byte-order mark": "\u{EF}\u{BB}\u{BF}GET {path} HTTP/1.1",
            ], line)

    static let requestTargets = table(
        400, "target",
        [
            "authority form": "GET x:80 HTTP/1.1", "asterisk for GET": "GET * HTTP/1.1",
            "asterisk for POST": "POST * HTTP/1.1", "asterisk and more": "OPTIONS *x HTTP/1.1",
            "two asterisks": "OPTIONS ** HTTP/1.1", "relative": "GET echo HTTP/1.1",
            "dots": "GET ../../etc/passwd HTTP/1.1", "query only": "GET ?a HTTP/1.1",
            "fragment": "GET {path}#a HTTP/1.1", "fragment only": "GET # HTTP/1.1",
            "space": "GET /a b HTTP/1.1", "backslash": "GET \\a HTTP/1.1",
            "backslash inside": "GET /a\\..\\b HTTP/1.1", "high byte": "GET /\u{E9} HTTP/1.1",
            "UTF-8": "GET /\u{C3}\u{A9} HTTP/1.1", "overlong slash": "GET /\u{C0}\u{AF} HTTP/1.1",
            "high byte in the query": "GET /a?\u{FF} HTTP/1.1", "quote": "GET /\"a\" HTTP/1.1",
            "angle brackets": "GET /<a> HTTP/1.1", "braces": "GET /{a} HTTP/1.1",
            "square brackets": "GET /[a] HTTP/1.1", "pipe": "GET /a|b HTTP/1.1",
            "caret": "GET /a^b HTTP/1.1", "backtick": "GET /`a` HTTP/1.1",
            "broken percent-encoding": "GET /%zz HTTP/1.1",
            "half a percent-encoding": "GET /%a HTTP/1.1",
            "only a percent sign": "GET /% HTTP/1.1",
            "IIS percent-encoding": "GET /%u002e HTTP/1.1",
            "broken percent-encoding in the query": "GET /a?%0 HTTP/1.1",
            "user": "GET http://u@x/ HTTP/1.1", "user and password": "GET http://u:p@x/ HTTP/1.1",
            "file": "GET file:///etc/passwd HTTP/1.1", "ftp": "GET ftp://x/ HTTP/1.1",
            "gopher": "GET gopher://x/ HTTP/1.1", "javascript": "GET javascript:alert(1) HTTP/1.1",
            "no host": "GET http:///a HTTP/1.1", "one slash": "GET http:/x/a HTTP/1.1",
            "no slash": "GET http:x/a HTTP/1.1", "only a scheme": "GET http:// HTTP/1.1",
            "port too large": "GET http://x:65536/ HTTP/1.1",
            "port not a number": "GET http://x:a/ HTTP/1.1",
            "open bracket": "GET http://[::1/ HTTP/1.1",
            "backslash host": "GET http://x\\y/ HTTP/1.1",
            "fragment in a URL": "GET http://x/#a HTTP/1.1", "CONNECT": "CONNECT x:443 HTTP/1.1",
            "CONNECT to a path": "CONNECT {path} HTTP/1.1",
            "CONNECT to itself": "CONNECT 127.0.0.1:1 HTTP/1.1",
            "CONNECT to a URL": "CONNECT http://x/ HTTP/1.1", "PRI": "PRI * HTTP/1.1",
        ], line)

    static let otherProtocols: [HostileMessage] =
        [
            HostileMessage(
                505, "HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0")
        ]
        + table(
            400, "",
            [
                "TLS 1.3": "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{FC}\u{3}\u{3}",
                "TLS 1.0": "\u{16}\u{3}\u{0}\0\u{2F}\u{1}\0\0",
                "SSL 2": "\u{80}\u{2E}\u{1}\0\u{2}\0\u{15}\0\0\0\u{10}",
                "TLS alert": "\u{15}\u{3}\u{1}\0\u{2}\u{2}\u{28}",
                "HTTP/2 frame": "\0\0\u{12}\u{4}\0\0\0\0\0\0\u{3}\0\0\0\u{80}",
                "HTTP/2 preface without its line": "\r\nSM\r\n\r\n",
                "PROXY 1": "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n" + get(""),
                "PROXY 2": "\r\n\r\n\0\r\nQUIT\n\u{21}\u{11}\0\u{C}" + get(""),
                "SSH": "SSH-2.0-OpenSSH_9.6\r\n", "SMTP": "EHLO x\r\n",
                "FTP": "USER anonymous\r\nPASS x\r\n", "Redis": "*1\r\n$4\r\nPING\r\n",
                "Redis inline": "PING\r\n", "memcached": "get a\r\n",
                "RTSP": "OPTIONS rtsp://x/ RTSP/1.0\r\nCSeq: 1\r\n\r\n",
                "SIP": "OPTIONS sip:a@x SIP/2.0\r\n\r\n", "FastCGI": "\u{1}\u{1}\0\u{1}\0\u{8}\0\0",
                "WebSocket frame": "\u{81}\u{85}\u{37}\u{FA}\u{21}\u{3D}",
                "PostgreSQL": "\0\0\0\u{8}\u{4}\u{D2}\u{16}\u{2F}",
                "SOCKS 5": "\u{5}\u{1}\0", "UTF-16": "\u{FF}\u{FE}G\0E\0T\0 \0/\0",
                "JSON": "{\"debtorAccount\":{}}\r\n",
                "only NULs": String(repeating: "\0", count: 100),
            ]
        ) { $0 }
}
