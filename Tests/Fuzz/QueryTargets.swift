import Crypto
import Ledger

@testable import API
@testable import HTTPServer

private let known = ["limit", "cursor", "status"]

/// First line: a query. Second: the value of `Prefer` and of `If-None-Match`.
func fuzzQuery(_ input: [UInt8]) {
    let lines = input.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    checkQuery(Array(lines[0]))
    guard lines.count == 2, !lines[1].contains(0x0A), !lines[1].contains(0x0D) else { return }
    let request = "GET / HTTP/1.1\r\nHost: x\r\nPrefer: ".utf8
    let bytes =
        request + lines[1] + "\r\nIf-None-Match: ".utf8 + lines[1] + "\r\n\r\n".utf8
    guard let head = try? RequestHead(Array(bytes)) else { return }
    if let wait = Preference.wait(head) { require((1...30).contains(wait), "waits \(wait) s") }
    let tags = EntityTag.list(head)
    require(tags != nil, "the tags are lost")
    for tag in tags ?? [] { require(EntityTag.matches(tags, tag), "\(tag) does not match itself") }
}

private func checkQuery(_ bytes: [UInt8]) {
    let query: Query
    do throws(Query.Refusal) {
        query = try Query(bytes.span, known: known)
    } catch {
        require(!error.detail.isEmpty, "refused without a word")
        return
    }
    var again: [UInt8] = []
    for name in known {
        guard let value = query[name] else { continue }
        if !again.isEmpty { again.append(0x26) }
        again += Array(name.utf8) + [0x3D]
        for byte in value.utf8 {
            let digits = String(byte, radix: 16)
            again += Array((digits.utf8.count == 1 ? "%0" : "%").utf8) + Array(digits.utf8)
        }
    }
    guard let other = try? Query(again.span, known: known) else {
        fail("\(shown(again)) is refused")
    }
    for name in known {
        let values = (query[name].map { Array($0.utf8) }, other[name].map { Array($0.utf8) })
        require(values.0 == values.1, "\(shown(again)) is not \(shown(bytes))")
    }
}

/// First byte: what is done. Then a cursor's text, or what a cursor is made of.
func fuzzCursor(_ input: [UInt8]) {
    guard let mode = input.first else { return }
    let seal = HMACSHA256(key: Array("the seal of the cursors of tests".utf8))
    guard let owner = CustomerID("cust-7"), let stranger = CustomerID("cust-8") else {
        fail("no customers")
    }
    let rest = input.dropFirst()
    if mode & 1 == 0 {
        // The fuzzer sees what is compared, and so learns seals.
        let text = String(decoding: rest, as: UTF8.self)
        if let cursor = Cursor(text, for: owner, by: seal) {
            require(cursor.sealed(for: owner, by: seal) == text, "\(text) has two spellings")
        }
        return
    }
    let number = rest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let states = rest.dropFirst(8).prefix(2).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
    let cursor = Cursor(sequence: Int64(bitPattern: number), states: states)
    let text = cursor.sealed(for: owner, by: seal)
    require(Cursor(text, for: owner, by: seal) == cursor, "\(text) does not open")
    require(Cursor(text, for: stranger, by: seal) == nil, "\(text) opens for a stranger")
    var bytes = Array(text.utf8)
    for byte in rest.dropFirst(10).prefix(4) {
        let index = Int(byte) % bytes.count
        let before = bytes[index]
        bytes[index] = byte
        let damaged = String(decoding: bytes, as: UTF8.self)
        require(
            damaged == text || Cursor(damaged, for: owner, by: seal) == nil, "\(damaged) opens")
        bytes[index] = before
    }
}
