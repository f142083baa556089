import PostgresStore
import Testing

@Test(
    "An address is shown without its secrets, and leads to the same place",
    arguments: [
        ("postgresql://server@db.example:5433/bank", "postgresql://server@db.example:5433/bank"),
        ("postgresql://server:s3cret@db.example/bank", "postgresql://server@db.example/bank"),
        (
            "postgres://server:@a:1,b:2/bank?sslmode=require",
            "postgres://server@a:1,b:2/bank?sslmode=require"
        ),
        ("postgresql:///bank?password=s3cret", "postgresql:///bank"),
        (
            "postgresql:///bank?host=/run&passw%6Frd=s3cret&port=1",
            "postgresql:///bank?host=/run&port=1"
        ),
        ("postgresql://u:a:b@[::1]:5433/bank", "postgresql://u@[::1]:5433/bank"),
        ("postgresql://db.example:5433/bank", "postgresql://db.example:5433/bank"),
        ("postgresql://u:s3cret@h", "postgresql://u@h"),
    ])
func withoutPassword(text: String, shown: String) throws {
    let address = try PostgresAddress(text)
    #expect(address.withoutPassword == shown)
    #expect(try PostgresAddress(shown).description == address.description)
}
