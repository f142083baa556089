import HTTPServer
import JSON
import Ledger
import Platform
import StoreTestSupport
import Testing

/// A request's head with these field lines.
func head(
    _ fields: [(String, String)] = [], target: String = "/api/transfers", method: String = "GET"
) throws -> RequestHead {
    var text = "\(method) \(target) HTTP/1.1\r\nHost: test\r\n"
    for (name, value) in fields { text += "\(name): \(value)\r\n" }
    return try RequestHead(Array((text + "\r\n").utf8))
}

func customerID(_ text: String) throws -> CustomerID { try #require(CustomerID(text)) }

/// A clock's time in seconds after its start.
func seconds(_ count: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(count * 1_000_000_000))
}

func instant(_ text: String) throws -> Instant { try #require(Instant(rfc3339: text.utf8)) }
