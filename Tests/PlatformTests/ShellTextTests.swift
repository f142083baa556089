import Platform
import Testing

@Test(
    "A word of a shell is quoted where it must be",
    arguments: [
        ("bank.db", "bank.db"), ("/var/lib/bank-1.db", "/var/lib/bank-1.db"), ("", "''"),
        ("my bank.db", "'my bank.db'"), ("it's", #"'it'\''s'"#), ("~/bank.db", "'~/bank.db'"),
        ("$(id)", "'$(id)'"), ("postgresql://a@h:1/b", "postgresql://a@h:1/b"),
        ("postgresql:///b?host=a&port=1", "'postgresql:///b?host=a&port=1'"),
    ])
func shellWords(text: String, word: String) {
    #expect(shellQuoted(text) == word)
}
