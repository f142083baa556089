import Platform
import Testing

@testable import HTTPServer

/// Random streams, cut and interleaved at random, from fixed seeds.
@Suite struct RandomInputTests {
    private struct Dice {
        let random: SeededRandomBytes
        init(_ seed: UInt64) { random = SeededRandomBytes(seed: seed) }
        func roll(_ sides: Int) -> Int { Int(random.word() % UInt64(sides)) }
    }

    private static let corpus = [
        "GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n",
        "\r\nHEAD /a HTTP/1.1\r\nHost: x\r\nConnection: x, y\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
        "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2;e\r\nhe\r\n3\r\nllo\r\n0\r\nT: v\r\n\r\n",
        "PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n!",
        "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    ]

    /// Feeds `stream` in pieces and answers everything at once; gives back the requests' bodies, or
    /// a refusal's name at the end.
    private static func run(_ stream: [UInt8], pieces: () -> Int) -> [String] {
        var seen: [String] = []
        let bench = StateBench()
        var start = 0
        while start < stream.count {
            let end = min(stream.count, start + pieces())
            stream[start..<end].withUnsafeBufferPointer { bench.state.receive($0) }
            start = end
            carrying: while true {
                switch bench.next() {
                case .admit: bench.state.admitRead(bench.now)
                case .handle:
                    seen.append(String(decoding: bench.state.buffers.body, as: UTF8.self))
                    bench.answer("")
                case .refuse(let refusal):
                    seen.append(refusal.name)
                    bench.answer(Response(status: refusal.status))
                case .write: _ = bench.sent()
                case .shutdownWrite, .close, .reset: return seen
                case .wait: break carrying
                }
            }
        }
        return seen
    }

    @Test("What is understood does not depend on how the stream is cut", arguments: 0..<200)
    func cuts(_ seed: Int) {
        let dice = Dice(UInt64(seed))
        var stream = Array(
            (0..<6).map { _ in Self.corpus[dice.roll(Self.corpus.count)] }.joined().utf8)
        // Half of the streams are damaged in a place or two.
        for _ in 0..<dice.roll(3) where seed % 2 == 1 {
            let at = dice.roll(stream.count)
            switch dice.roll(3) {
            case 0: stream[at] = UInt8(dice.roll(256))
            case 1: stream.remove(at: at)
            default: stream.insert([13, 10, 0x20, 0x3A, 0x30][dice.roll(5)], at: at)
            }
        }
        let whole = Self.run(stream) { stream.count }
        if seed % 2 == 0 { #expect(whole.count == 6) }
        #expect(Self.run(stream) { 1 } == whole)
        for _ in 0..<5 { #expect(Self.run(stream) { 1 + dice.roll(40) } == whole) }
    }

    @Test(
        "Whatever happens in whatever order, the machine neither loops nor answers twice",
        arguments: 0..<300)
    func events(_ seed: Int) {
        let dice = Dice(UInt64(seed) + 10_000)
        let bench = StateBench()
        var handled = 0
        var answered = 0
        var isParked = false
        for _ in 0..<200 {
            switch dice.roll(10) {
            case 0...4:
                guard bench.state.readRoom > 0 else { break }
                let text = Self.corpus[dice.roll(Self.corpus.count)]
                bench.receive(
                    String(
                        decoding: text.utf8.prefix(1 + dice.roll(text.utf8.count)), as: UTF8.self))
            case 5: bench.receive(dice.roll(20) == 0 ? "\0" : "")
            case 6:
                if isParked {
                    isParked = false
                    answered += 1
                    bench.answer("late")
                } else if bench.state.phase == .postponed {
                    bench.state.offerAgain()
                }
            case 7: if bench.state.writeIsBlocked { bench.state.writable() }
            case 8: if dice.roll(20) == 0 { bench.state.receiveEnd() }
            default:
                bench.advance(milliseconds: Int64(dice.roll(3000)))
                if bench.state.deadline <= bench.now { bench.state.deadlineReached() }
            }
            var steps = 0
            carrying: while true {
                steps += 1
                #expect(steps < 2000)
                switch bench.next() {
                case .admit:
                    if dice.roll(4) == 0 {
                        handled += 1
                        answered += 1
                        bench.answer(Response(status: 404))
                    } else {
                        bench.state.admitRead(bench.now)
                    }
                case .handle:
                    switch dice.roll(3) {
                    case 0:
                        (handled, isParked) = (handled + 1, true)
                        bench.state.park()
                    case 1:
                        (handled, answered) = (handled + 1, answered + 1)
                        bench.answer("now")
                    default: bench.state.postpone()
                    }
                case .refuse(let refusal): bench.answer(Response(status: refusal.status))
                case .write:
                    if dice.roll(5) == 0 {
                        bench.state.writeBlocked(bench.now)
                    } else {
                        bench.state.wrote(1 + dice.roll(bench.state.pendingOutput))
                    }
                case .wait: break carrying
                case .shutdownWrite: continue
                case .close, .reset:
                    #expect(handled - answered == (isParked ? 1 : 0))
                    return
                }
            }
            #expect(handled - answered == (isParked ? 1 : 0))
        }
    }
}
