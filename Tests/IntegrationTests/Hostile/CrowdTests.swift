import TestSupport
import Testing

extension DatabaseTests.IntegrationTests.Hostile {
    private static let idle = 10_000
    private static let halfOpen = 1000
    /// The most that an idle connection may cost the process.
    private static let idleConnectionBytes = 2048
    /// The most that one with the beginning of a request may cost it.
    private static let openConnectionBytes = 8 * 1024
    /// What comes and goes beside the connections.
    private static let slackBytes = 8 << 20
    private static let halfAHead = "POST /api/transfers HTTP/1.1\r\nHost: x\r\nAuthorization: Bea"

    private static let hour = 3_600_000

    /// ThreadSanitizer's shadow of memory, and what it keeps of each descriptor.
    static var memoryFactor: Int { isThreadSanitized ? 4 : 1 }

    @Test("10,000 idle and 1,000 half-open connections cost little, stop nobody, and leave nothing")
    func crowds() async throws {
        let faults = try await blocking {
            try OpenFiles.allow(Self.idle + Self.halfOpen + 100)
            let server = try BesiegedServer([
                "CONNECTIONS": Self.idle + Self.halfOpen + 100,
                "FIRST_BYTE_MILLISECONDS": Self.hour,
                "HEAD_MILLISECONDS": Self.hour, "IDLE_MILLISECONDS": Self.hour,
            ])
            let start = try server.footprint()
            var faults = try Self.gather(server, since: start)
            // What a first crowd leaves is used again by a second.
            let between = try server.footprint()
            faults += try Self.gather(server, since: start)
            let end = try server.footprint()
            let most = Self.slackBytes * Self.memoryFactor
            if end.residentBytes > between.residentBytes + most {
                faults.append("the second crowd left more: \(between), \(end)")
            }
            let left =
                (Self.idle + Self.halfOpen) * Self.idleConnectionBytes * Self.memoryFactor + most
            if end.residentBytes > start.residentBytes + left {
                faults.append("memory does not come back: \(start), \(end)")
            }
            if try server.stop() != 40 + 2 * 50 { faults.append("payments are missing") }
            return faults
        }
        #expect(faults == [])
    }

    /// A crowd comes, is there while payments are made, and leaves; what was wrong.
    private static func gather(
        _ server: BesiegedServer, since start: BesiegedServer.Footprint
    ) throws -> [String] {
        var faults: [String] = []
        let kept = try server.connect()
        let silent = try Crowd(idle / 2, port: server.port)
        let keptAlive = try Crowd(idle / 2, port: server.port)
        try keptAlive.send("HEAD /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")
        if try keptAlive.receive().contains(where: { $0 != 200 }) { faults.append("not answered") }
        if try !server.waitForConnections(idle + 1) { faults.append("not all are connected") }
        let idleBytes = try server.process.residentBytes - start.residentBytes
        if idleBytes > (idle * idleConnectionBytes + slackBytes) * memoryFactor {
            faults.append("\(idle) idle connections cost \(idleBytes) bytes")
        }
        let open = try Crowd(halfOpen, port: server.port)
        try open.send(halfAHead)
        if try !server.waitForConnections(idle + halfOpen + 1) { faults.append("not all are in") }
        for _ in 0..<25 {
            // On an old connection, and on new ones.
            let statuses = [try kept.exchange(server.payment).status, try server.pay()]
            if statuses != [201, 201] { faults.append("\(statuses)") }
        }
        let openBytes = try server.process.residentBytes - start.residentBytes - idleBytes
        if openBytes > (halfOpen * openConnectionBytes + slackBytes) * memoryFactor {
            faults.append("\(halfOpen) half-open connections cost \(openBytes) bytes")
        }
        print("\(idle) idle connections: \(idleBytes) bytes; \(halfOpen) half-open: \(openBytes)")
        kept.close()
        for crowd in [silent, keptAlive, open] { crowd.leave() }
        if let difference = try server.difference(from: start) { faults.append(difference) }
        return faults
    }

    @Test("Clients that fall silent are sent away at their deadlines, and payments go on")
    func deadlines() async throws {
        let faults = try await blocking {
            try OpenFiles.allow(3 * Self.halfOpen + 100)
            let server = try BesiegedServer([
                "FIRST_BYTE_MILLISECONDS": 1500, "HEAD_MILLISECONDS": 1500,
                "BODY_MILLISECONDS": 1500, "IDLE_MILLISECONDS": 1500, "LINGER_MILLISECONDS": 200,
            ])
            var faults: [String] = []
            let start = try server.footprint()
            let silent = try Crowd(Self.halfOpen, port: server.port)
            let inHead = try Crowd(Self.halfOpen, port: server.port)
            try inHead.send(Self.halfAHead)
            let inBody = try Crowd(Self.halfOpen, port: server.port)
            try inBody.send(
                "POST /api/transfers HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                    + "Content-Length: 300\r\n\r\n{\"debtorAccount\":")
            for _ in 0..<50 {
                let status = try server.pay()
                if status != 201 { faults.append("\(status)") }
            }
            for (crowd, status) in [(silent, 0), (inHead, 408), (inBody, 408)] {
                let others = try crowd.receiveToEnd().filter { $0 != status }
                if !others.isEmpty { faults.append("for \(status): \(others)") }
            }
            // They have not closed their side.
            if let difference = try server.difference(from: start) { faults.append(difference) }
            for (reason, count) in [("headTimeout", Self.halfOpen), ("bodyTimeout", Self.halfOpen)]
            {
                let series = "http_refusals_total{server=\"api\",reason=\"\(reason)\"}"
                if try server.metric(series) != count { faults.append(series) }
            }
            if try server.stop() != 40 + 50 { faults.append("payments are missing") }
            return faults
        }
        #expect(faults == [])
    }

    @Test("At the connection limit further clients wait, and are served when others leave")
    func connectionLimit() async throws {
        let faults = try await blocking {
            let (limit, late) = (1000, 20)
            try OpenFiles.allow(limit + late)
            let server = try BesiegedServer([
                "CONNECTIONS": limit, "FIRST_BYTE_MILLISECONDS": Self.hour,
                "IDLE_MILLISECONDS": Self.hour,
            ])
            var faults: [String] = []
            let start = try server.footprint()
            let kept = try server.connect()
            if try kept.exchange(server.payment).status != 201 { faults.append("the first") }
            let crowd = try Crowd(limit - 1, port: server.port)
            if try !server.waitForConnections(limit) { faults.append("the limit is not reached") }
            let accepted = try server.metric("http_connections_accepted_total{server=\"api\"}")
            let waiting = try (0..<late).map { _ in
                let client = try server.connect()
                client.send(server.payment)
                return client
            }
            // Those that are in are served.
            for _ in 0..<50 {
                let status = try kept.exchange(server.payment).status
                if status != 201 { faults.append("\(status)") }
            }
            if try server.metric("http_connections_accepted_total{server=\"api\"}") != accepted {
                faults.append("more than the limit")
            }
            if try server.metric("http_connection_limit_reached_total{server=\"api\"}") == 0 {
                faults.append("nobody had to wait")
            }
            crowd.leave(late)
            for client in waiting {
                let status = try client.receive().status
                if status != 201 { faults.append("a late one: \(status)") }
                client.close()
            }
            kept.close()
            crowd.leave()
            if let difference = try server.difference(from: start) { faults.append(difference) }
            if try server.stop() != 40 + 1 + 50 + Int64(late) {
                faults.append("payments are missing")
            }
            return faults
        }
        #expect(faults == [])
    }
}
