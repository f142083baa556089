import Platform

/// Runs `body` on a thread of its own and gives its result to the awaiting test.
///
/// Sockets and databases block, and Swift's cooperative pool must not; and what a foreign thread
/// expects is lost to the wrong test, so it returns values instead.
package func blocking<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    let thread = Guarded<Thread?>(nil)
    let result: Result<Value, any Error> = await withCheckedContinuation { continuation in
        thread.withLock {
            $0 = Thread(name: "test") { continuation.resume(returning: Result { try body() }) }
        }
    }
    thread.withLock { $0 }?.join()
    return try result.get()
}

/// Runs `body` for each of `0..<count` at once, each on a thread of its own that starts when all
/// are there. Results are in the order of the indexes; the first error is thrown.
package func concurrently<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Value
) async throws -> [Value] {
    try await blocking {
        let gate = StartingGate(count)
        let results = Guarded<[Int: Result<Value, any Error>]>([:])
        let threads = (0..<count).map { index in
            Thread(name: "test-\(index)") {
                gate.pass()
                let result = Result { try body(index) }
                results.withLock { $0[index] = result }
            }
        }
        for thread in threads { thread.join() }
        return try results.withLock { found in try (0..<count).map { try found[$0]!.get() } }
    }
}

/// Lets threads go on when all have come.
private final class StartingGate: @unchecked Sendable {
    // Sendable: `missing` is touched only with `lock` held.
    private let lock = Lock()
    private let opened = Condition()
    private var missing: Int

    init(_ count: Int) { missing = count }

    func pass() {
        lock.withLock {
            missing -= 1
            if missing == 0 { opened.broadcast() }
            while missing > 0 { opened.wait(lock) }
        }
    }
}

/// Whether `condition` holds now or becomes true within `seconds`; asked again every millisecond.
package func eventually(
    within seconds: Int64 = 20, _ condition: @escaping @Sendable () throws -> Bool
) async throws -> Bool {
    try await blocking { try becomesTrue(within: seconds, condition) }
}

/// As `eventually`, on the caller's thread.
package func becomesTrue(
    within seconds: Int64 = 20, _ condition: () throws -> Bool
) rethrows -> Bool {
    let clock = SystemMonotonicClock()
    let end = clock.now().advanced(milliseconds: seconds * 1000)
    let (lock, never) = (Lock(), Condition())
    while clock.now() < end {
        if try condition() { return true }
        lock.withLock { never.wait(lock, until: clock.now().advanced(milliseconds: 1)) }
    }
    return try condition()
}
