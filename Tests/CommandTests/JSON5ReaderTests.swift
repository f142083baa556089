import Bank
import HTTPServer
import Testing

@testable import Configuration

@Suite struct JSON5ReaderTests {
    @Test(
        "JSON with comments, bare names, trailing commas and both quotes is read",
        arguments: [
            "{server: {port: 9000}}",
            "{\"server\": {\"port\": 9000}}",
            "{'server': {port: 9000,},}",
            "// a comment\n{server: /* another\n one */ {port: 9000 // the last\n}}\n",
            "\r\n{\r\n\tserver:\r\n{port:9000}}\r\n",
            "{server: {port: 9000}, log: {level: \"de\\u0062u\\\ng\"}}",
        ])
    func reads(text: String) throws {
        var configuration: ServeConfiguration?
        do throws(ConfigurationError) {
            configuration = try load(
                text,
                [
                    "TRANSFERD_DATABASE": "d", "TRANSFERD_TOKENS_ISSUER": "i",
                    "TRANSFERD_TOKENS_AUDIENCE": "a", "TRANSFERD_TOKENS_JWKS_FILE": "j",
                ])
        } catch { Issue.record("refused: \(error)") }
        #expect(configuration?.server.api.port == 9000)
    }

    @Test(
        "What is wrong with a file is told with its line",
        arguments: [
            ("", 1, "ends"),
            ("{\n", 2, "name"),
            ("{server: {port: 1}", 1, "missing"),
            ("{\nserver: {port 1}}", 2, "colon"),
            ("{\nserver: {port: 1 loops: 2}}", 2, "comma"),
            ("{\nserver: {\nport: 1,\nport: 2}}", 4, "port stands twice, first on line 3"),
            ("{server: {},\n\nserver: {}}", 3, "server stands twice, first on line 1"),
            ("{\nlog: {level: debug}}", 2, "quotes"),
            ("{\nlog: {level: \"debug}}\n", 3, "closing quote"),
            ("{log: {level: \"a\\x\"}}", 1, "escape"),
            ("{log: {level: \"\\ud800\"}}", 1, "hexadecimal"),
            ("{log: {level: \"\\u+041\"}}", 1, "hexadecimal"),
            ("{}\n}", 2, "follows"),
            ("{}\n/* never", 2, "comment"),
            ("/ {}", 1, "//"),
            ("{server: [[[[[[[[[[1]]]]]]]]]]}", 1, "deep"),
        ])
    func faults(text: String, line: Int, what: String) {
        let message = refusal(text)
        #expect(message.hasPrefix("my.json5 line \(line):"), "\(message)")
        #expect(message.contains(what), "\(message)")
    }

    @Test("A file that is not text is refused")
    func notText() {
        #expect(throws: ConfigurationError.self) {
            try ConfigurationLoader.load(
                file: [0x7B, 0xFF, 0x7D], name: "x", environment: [:], database: nil)
        }
    }

    @Test(
        "Only whole numbers are numbers",
        arguments: ["1.0", "1e3", "0x10", "9223372036854775808", "-", "Infinity", "true"])
    func numbers(text: String) {
        #expect(!refusal("{server: {port: \(text)}}").isEmpty)
        #expect(refusal("{server: {port: \(text)}}").contains("line 1"))
    }
}
