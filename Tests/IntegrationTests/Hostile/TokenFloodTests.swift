import API
import Bank
import Crypto
import Identity
import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// Tokens that nobody signed, each another one, and a bank whose issuer signs with RSA.
private enum Flood {
    /// The public half of a key whose other half nobody kept.
    private static let modulus =
        "3DaWjdR0Xat8GfGj9M0RNGCJ9EgWlcagwpo9y7rS58PA9euf0XOIRql_bqsdQw-CXBI-pZO6yJQ2elIl"
        + "6CgV1OhEt1WGAy-yZj-iABbptVtho-5FrZNr0BgthxQDqVgAYiTPwPtlnk9My4AQqu8PWFm0esK9r8Tw"
        + "ZTERvrRg8bvXq0e121v5qgjnp-CvBNk0oo963sP7Kp3N0NjTp8rXvVSmUSPD11mdnuvQtVVoSzFq2qqE"
        + "Fibj5efdcHkkzlQa9uTRFo29U1P1KROO-mveZTPtHh3hg83a9EFT3sDCqsfGZs-nm-AvypHd0JO6d7U4"
        + "OOIjgsNwQe12QXrsTHqaAQ"

    /// Good tokens are HS256, which the tests can sign; each bad one costs an RSA verification.
    static func options(verificationsPerTurn: Int) throws -> TestBank.Options {
        let keys = Array(
            #"{"keys":[{"kty":"RSA","kid":"rsa","n":"\#(modulus)","e":"AQAB"}]}"#.utf8)
        let verifier = JWTVerifier(
            try JWTVerifier.Configuration(
                issuer: DemoBank.issuer, audience: DemoBank.audience, algorithms: [.rs256, .hs256],
                secret: TestBank.secret), keys: try JWKSet(parsing: keys.span))
        var options = TestBank.Options()
        options.change = { parts, _ in
            parts.verifier = verifier
            parts.settings.verificationsPerTurn = verificationsPerTurn
        }
        return options
    }

    /// Well formed, with claims that would pass and a signature that does not.
    static func token(_ number: Int, at now: Instant) -> String {
        let payload = """
            {"iss":"\(DemoBank.issuer)","aud":"\(DemoBank.audience)","sub":"alice",\
            "scope":"transfers:write","exp":\(now.seconds + 600),"jti":"\(number)"}
            """
        let signature = SeededRandomBytes(seed: UInt64(number)).bytes(256)
        return [
            Array(#"{"alg":"RS256","kid":"rsa"}"#.utf8), Array(payload.utf8), signature,
        ].map(Base64URL.encode).joined(separator: ".")
    }
}

/// A client of a `ScriptedLoop`.
private final class ScriptedPeer: ByteTransport {
    var incoming: [UInt8] = []
    private(set) var outgoing: [UInt8] = []
    let connection: Connection

    init(slot: Int) { connection = Connection(slot: UInt32(slot), limits: HTTPLimits()) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferResult {
        guard !incoming.isEmpty else { return .wouldBlock(.readable) }
        let count = min(buffer.count, incoming.count)
        buffer.copyBytes(from: incoming[..<count])
        incoming.removeFirst(count)
        return .bytes(count)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> TransferResult {
        outgoing += bytes
        return .bytes(bytes.count)
    }

    func shutdownWrite() {}
    func close(reset: Bool) {}

    /// Statuses of the answers so far.
    var statuses: [Int] {
        String(decoding: outgoing, as: UTF8.self).matches(of: #/HTTP/1\.1 (\d{3}) /#)
            .compactMap { Int($0.1) }
    }
}

/// The customers' API on an event loop whose turns a test takes one at a time.
private final class ScriptedLoop {
    private let completions: Completions<StoreAnswer>
    private let driver: ConnectionDriver<TransferAPI>
    private let clock = SystemMonotonicClock()
    private let metrics: MetricsRegistry
    private var peers: [ScriptedPeer] = []

    init(_ bank: TestBank) throws {
        completions = try Completions(loops: 1)
        metrics = bank.bank.parts.metrics
        driver = ConnectionDriver(
            loop: 0, limits: HTTPLimits(), metrics: HTTPMetrics(metrics, server: "scripted"),
            clock: clock,
            handler: TransferAPI(services: bank.bank.services, completions: completions))
    }

    func connect() -> ScriptedPeer {
        let peer = ScriptedPeer(slot: peers.count)
        peers.append(peer)
        peer.connection.open(.other(peer), limits: HTTPLimits(), now: clock.now())
        return peer
    }

    func send(_ request: HTTPRequest, from peer: ScriptedPeer) {
        peer.incoming += request.bytes
        _ = driver.ready(peer.connection, readable: true, writable: false, clock.now())
    }

    func beginTurn() {
        driver.beginTurn()
        while driver.offerPostponed(clock.now()) != nil {}
    }

    /// Takes the store's answers until `peer` has as many as said; within this turn.
    func receive(_ count: Int, by peer: ScriptedPeer) -> Bool {
        becomesTrue {
            var answers: [(Ticket, StoreAnswer)] = []
            completions.mailboxes[0].takeAll(into: &answers)
            for (ticket, answer) in answers {
                let connection = peers[Int(ticket.slot)].connection
                _ = driver.complete(answer, ticket, connection, clock.now())
            }
            return peer.statuses.count >= count
        }
    }

    var hasPostponed: Bool { driver.hasPostponed }

    func verifications() throws -> Double {
        try PrometheusText(metrics.render()).samples["transferd_token_verifications_total"] ?? 0
    }
}

extension DatabaseTests.IntegrationTests.Hostile {
    @Test("A flood of unknown tokens is verified a few a turn, and who is known is served in each")
    func floodByTurns() async throws {
        try await withBank(try Flood.options(verificationsPerTurn: 8), on: [.sqlite]) { bank in
            let (faults, turns) = try await blocking {
                try Self.flood(ScriptedLoop(bank), bank, attackers: 100)
            }
            #expect(faults == [])
            // 100 and the one who is new, 7 of them in the first turn.
            #expect(turns == 12)
            #expect(try bank.count("transfers") == turns + 2)
        }
    }

    /// What went wrong, and how many turns it took until all had their answer.
    private static func flood(
        _ loop: ScriptedLoop, _ bank: TestBank, attackers: Int
    ) throws -> ([String], Int64) {
        var faults: [String] = []
        let server = bank.endpoint
        let known = loop.connect()
        func pay() {
            let answers = known.statuses.count
            loop.send(.payment(server.payment, key: newKey(), token: server.token), from: known)
            if !loop.receive(answers + 1, by: known) { faults.append("a payment had to wait") }
        }
        loop.beginTurn()
        pay()
        let flood = (0..<attackers).map { _ in loop.connect() }
        for (index, peer) in flood.enumerated() {
            let token = Flood.token(index, at: bank.clock.now())
            loop.send(.payment(server.payment, key: newKey(), token: token), from: peer)
        }
        let new = loop.connect()
        loop.send(.get("/api/transfers", token: bank.token("bob")), from: new)
        // The first payment's token was unknown too.
        if flood.filter({ !$0.statuses.isEmpty }).count != 7 { faults.append("the first turn") }
        var turns: Int64 = 0
        var seen = try loop.verifications()
        while loop.hasPostponed, turns < 1000 {
            pay()
            loop.beginTurn()
            turns += 1
            let now = try loop.verifications()
            if now - seen > 8 { faults.append("\(now - seen) verifications in a turn") }
            seen = now
        }
        pay()
        if !loop.receive(1, by: new) || new.statuses != [200] { faults.append("\(new.statuses)") }
        for peer in flood where peer.statuses != [401] { faults.append("\(peer.statuses)") }
        if known.statuses != Array(repeating: 201, count: Int(turns) + 2) {
            faults.append("\(known.statuses)")
        }
        if seen != Double(attackers) + 2 { faults.append("\(seen) verifications") }
        return (faults, turns)
    }

    @Test("A flood over real connections: each gets its 401, and payments go on")
    func floodOverSockets() async throws {
        try await withBank(try Flood.options(verificationsPerTurn: 1), on: [.sqlite]) { bank in
            let server = bank.endpoint
            let (clients, each, payments) = (40, 10, 20)
            let now = bank.clock.now()
            let results = try await concurrently(clients + 1) { index in
                let client = try HTTPClient(port: server.port)
                if index == clients {
                    return try (0..<payments).map { _ in
                        try client.exchange(
                            .payment(server.payment, key: newKey(), token: server.token)
                        ).status
                    }
                }
                // Pipelined, so that more are ready than a turn may verify.
                client.send(
                    (0..<each).flatMap {
                        HTTPRequest.get(
                            "/api/transfers", token: Flood.token(index * each + $0, at: now)
                        ).bytes
                    })
                return try (0..<each).map { _ in
                    let answer = try client.receive()
                    return answer.code == "token_invalid" ? answer.status : 0
                }
            }
            #expect(results.last == Array(repeating: 201, count: payments))
            #expect(results.dropLast().allSatisfy { $0 == Array(repeating: 401, count: each) })
            let samples = try PrometheusText(bank.bank.parts.metrics.render()).samples
            #expect(
                samples["transferd_token_verifications_total"] == Double(clients * each + 1))
            #expect(samples["http_requests_postponed_total{server=\"api\"}"] ?? 0 > 0)
            #expect(try bank.count("transfers") == payments)
        }
    }
}
