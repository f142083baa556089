import Platform
import TestSupport

/// One client thread of a load: makes intents, sends some twice and some with other content, and
/// retries each attempt until it knows what became of it.
struct LoadClient: Sendable {
    let server: ServerInGenerations
    let beliefs: Beliefs
    let random: SeededRandomBytes
    /// What other clients are asked to send as well.
    let errands: Guarded<[(intent: Int, content: Int)]>

    func run() throws {
        var connection: (process: Int32, client: HTTPClient)?
        while !server.isFinishing {
            let (intent, content) = nextAttempt()
            send(intent, content, &connection)
        }
        while let errand = errands.withLock({ $0.popLast() }) {
            send(errand.intent, errand.content, &connection)
        }
    }

    private func number(below bound: Int) -> Int { Int(random.word() % UInt64(bound)) }

    private func nextAttempt() -> (intent: Int, content: Int) {
        if number(below: 3) == 0, let errand = errands.withLock({ $0.popLast() }) {
            return errand
        }
        if number(below: 5) == 0, let old = beliefs.known(random.word()) { return old }
        let isAlice = number(below: 3) > 0
        var payment = Payment(
            debtor: isAlice ? IBANs.alice : IBANs.bob,
            creditor: [IBANs.elsewhere, isAlice ? IBANs.bob : IBANs.alice][number(below: 2)],
            amount: "\(number(below: 3)).\(10 + number(below: 90))")
        // Now and then more than there is.
        if number(below: 20) == 0 { payment.amount = "99999.00" }
        var contents = [payment]
        let isReused = number(below: 6) == 0
        if isReused { contents.append(payment.with { $0.name = "Somebody Else" }) }
        let index = beliefs.add(
            Beliefs.Intent(
                key: newKey(), customer: isAlice ? "alice" : "bob", contents: contents))
        if isReused { errands.withLock { $0.append((index, 1)) } }
        if number(below: 4) == 0 { errands.withLock { $0.append((index, 0)) } }
        return (index, 0)
    }

    /// Retries with the same key until the outcome is known.
    private func send(
        _ index: Int, _ content: Int, _ connection: inout (process: Int32, client: HTTPClient)?
    ) {
        let intent = beliefs.intent(index)
        let clock = SystemMonotonicClock()
        let end = clock.now().advanced(milliseconds: 60_000)
        while clock.now() < end {
            guard let process = server.current() else { break }
            do {
                if connection?.process != process.process {
                    connection = (process.process, try HTTPClient(port: process.port))
                }
                guard let client = connection?.client else { continue }
                let answer = try client.exchange(
                    .payment(
                        intent.contents[content], key: intent.key,
                        token: process.tokens[intent.customer] ?? ""))
                server.answered()
                if beliefs.heard(answer, to: index, content: content) { return }
            } catch HTTPClient.Failure.malformed(let text) {
                beliefs.violated("not an answer: \(text)")
                connection = nil
            } catch {
                // Nobody knows what became of it: the same key again.
                connection = nil
            }
        }
        beliefs.violated("no outcome within a minute: \(index)")
    }
}
