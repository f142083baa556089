import Bank
import HTTPServer

extension SettingsTable {
    private static let kibibyte: Int64 = 1024
    private static let day: Int64 = 86_400_000

    /// Every member of `HTTPLimits`, for the customers' port.
    static let httpLimits: [Setting] = sizes + times + connections

    private static let sizes: [Setting] = [
        .integer(
            "server.headBytes", \.server.api.limits.headBytes, 256...1024 * kibibyte,
            unit: "bytes", "A request line and its header lines together; beyond it 431."),
        .integer(
            "server.headFieldLines", \.server.api.limits.headFieldLines, 1...1000,
            unit: "lines", "Header lines of one request; beyond it 431."),
        .integer(
            "server.requestTargetBytes", \.server.api.limits.requestTargetBytes,
            64...1024 * kibibyte, unit: "bytes", "The request's target; beyond it 414."),
        .integer(
            "server.leadingEmptyLines", \.server.api.limits.leadingEmptyLines, 1...100,
            unit: "lines", "Empty lines tolerated before a request line."),
        .integer(
            "server.bodyBytes", \.server.api.limits.bodyBytes, 512...64 * 1024 * kibibyte,
            unit: "bytes", "The body of a request, decoded; beyond it 413."),
        .integer(
            "server.chunkExtensionBytes", \.server.api.limits.chunkExtensionBytes,
            1...1024 * kibibyte, unit: "bytes",
            "All chunk extensions of one body together; beyond it 413."),
        .integer(
            "server.trailerBytes", \.server.api.limits.trailerBytes, 1...1024 * kibibyte,
            unit: "bytes", "The trailer section after a chunked body; beyond it 431."),
    ]

    private static let times: [Setting] = [
        .integer(
            "server.firstByteMilliseconds", \.server.api.limits.firstByteMilliseconds, 1...day,
            unit: "milliseconds",
            "From accepting a connection to its first byte; then it is closed."),
        .integer(
            "server.headMilliseconds", \.server.api.limits.headMilliseconds, 1...day,
            unit: "milliseconds", "From a request's first byte to the end of its head; then 408."),
        .integer(
            "server.bodyMilliseconds", \.server.api.limits.bodyMilliseconds, 1...day,
            unit: "milliseconds", "From the end of the head to the end of the body; then 408."),
        .integer(
            "server.idleMilliseconds", \.server.api.limits.idleMilliseconds, 1...day,
            unit: "milliseconds",
            "From an answer to the next request's first byte; then the connection is closed. Longer "
                + "than the load balancer's own."),
        .integer(
            "server.writeStallMilliseconds", \.server.api.limits.writeStallMilliseconds, 1...day,
            unit: "milliseconds",
            "Without a byte of an answer taken by the client; then the connection is reset."),
        .integer(
            "server.responseMilliseconds", \.server.api.limits.responseMilliseconds, 1...day,
            unit: "milliseconds",
            "From an answer's first delay by the client to its end; then the connection is reset."),
        .integer(
            "server.lingerMilliseconds", \.server.api.limits.lingerMilliseconds, 1...day,
            unit: "milliseconds",
            "After our last byte: how long the client's are read and dropped before closing."),
        .integer(
            "server.lingerBytes", \.server.api.limits.lingerBytes, 1...1024 * 1024 * kibibyte,
            unit: "bytes", "How much is read and dropped before closing."),
        .integer(
            "server.drainIdleMilliseconds", \.server.api.limits.drainIdleMilliseconds, 1...day,
            unit: "milliseconds",
            "From the beginning of a drain to closing a connection that asks for nothing."),
        .integer(
            "server.acceptPauseMilliseconds", \.server.api.limits.acceptPauseMilliseconds,
            1...60_000, unit: "milliseconds",
            "How long nothing is accepted after running out of descriptors or memory."),
    ]

    private static let connections: [Setting] = [
        .integer(
            "server.connections", \.server.api.limits.connections, 1...1_000_000,
            unit: "connections",
            "Open connections; beyond it new ones wait in the kernel. Each needs a file "
                + "descriptor: `ulimit -Hn` must allow them."),
        .integer(
            "server.pipelinedInputBytes", \.server.api.limits.pipelinedInputBytes,
            kibibyte...64 * 1024 * kibibyte, unit: "bytes",
            "Later requests of a connection that are read while one executes."),
        .integer(
            "server.unsentBytes", \.server.api.limits.unsentBytes,
            kibibyte...64 * 1024 * kibibyte, unit: "bytes",
            "Answers that the kernel holds for a client that does not take them."),
        .integer(
            "server.gatheredOutputBytes", \.server.api.limits.gatheredOutputBytes,
            kibibyte...64 * 1024 * kibibyte, unit: "bytes",
            "Answers of a connection that are gathered before they must be sent."),
        .integer(
            "server.pooledBufferBytes", \.server.api.limits.pooledBufferBytes,
            1...64 * 1024 * kibibyte, unit: "bytes",
            "Buffers larger than this are freed after use."),
        .integer(
            "server.pooledBuffers", \.server.api.limits.pooledBuffers, 1...1_000_000,
            unit: "buffers", "Sets of buffers that an event loop keeps for the next requests."),
    ]
}
