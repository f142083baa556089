/// Every bound of the HTTP server, with its unit in its name. All are at least 1.
package struct HTTPLimits: Sendable {
    /// Bytes of a request line and its field lines together; beyond it 431.
    package var headBytes = 16 * 1024
    /// Field lines of one head, and of one trailer section; beyond it 431.
    package var headFieldLines = 64
    /// Bytes of a request-target (RFC 9112 section 3 recommends at least 8000); beyond it 414.
    package var requestTargetBytes = 8000
    /// Empty lines tolerated before a request line (RFC 9112 section 2.2).
    package var leadingEmptyLines = 1
    /// Bytes of a body, counted after decoding; beyond it 413.
    package var bodyBytes = 16 * 1024
    /// Bytes of all chunk extensions of one body together; beyond it 413.
    package var chunkExtensionBytes = 1024
    /// Bytes of a trailer section; beyond it 431.
    package var trailerBytes = 4096

    /// From accepting a connection to its first byte; then closed without a word.
    package var firstByteMilliseconds: Int64 = 10_000
    /// From a head's first byte to its last, whatever arrives between; then 408.
    package var headMilliseconds: Int64 = 10_000
    /// From the end of the head to the end of the body; then 408.
    package var bodyMilliseconds: Int64 = 10_000
    /// From an answer to the next request's first byte; then closed without a word.
    package var idleMilliseconds: Int64 = 60_000
    /// Without one byte of an answer taken by the client; then the connection is reset.
    package var writeStallMilliseconds: Int64 = 10_000
    /// From the moment a client first made an answer wait until it has taken all of it; then the
    /// connection is reset, so that a trickle of reads does not hold a slot for ever.
    package var responseMilliseconds: Int64 = 60_000
    /// After our last byte, how long the client's are read and dropped, so that closing does not
    /// destroy the answer on its way (RFC 9112 section 9.6).
    package var lingerMilliseconds: Int64 = 2000
    /// How many bytes are read and dropped while lingering.
    package var lingerBytes = 256 * 1024
    /// From the beginning of a drain to closing a connection that has sent no byte of a request.
    package var drainIdleMilliseconds: Int64 = 200

    /// Open connections of the whole server; at the bound the listener is left alone.
    package var connections = 10_000
    /// Bytes of later requests read while one executes; beyond it the socket is left alone.
    package var pipelinedInputBytes = 32 * 1024
    /// Bytes of answers that the kernel holds for a client that makes no room for them; the rest waits
    /// here, where the deadlines for slow readers see it.
    package var unsentBytes = 16 * 1024
    /// Bytes of answers gathered before they must be sent. A longer body is not copied, and
    /// nothing is gathered behind it.
    package var gatheredOutputBytes = 16 * 1024
    /// Buffers larger than this are freed after use instead of kept for the next request.
    package var pooledBufferBytes = 32 * 1024
    /// Sets of request buffers that a loop keeps for the next requests.
    package var pooledBuffers = 256
    /// How long a loop leaves the listener alone after running out of descriptors or memory.
    package var acceptPauseMilliseconds: Int64 = 100

    package init() {}
}

/// Where and how an `HTTPServer` listens.
package struct HTTPServerConfiguration: Sendable {
    /// A numeric IPv4 or IPv6 address.
    package var address = "127.0.0.1"
    /// 0 takes any free port; `HTTPServer.port` tells which.
    package var port: UInt16 = 0
    /// Connections the kernel completes and holds until they are accepted.
    package var backlog: Int32 = 1024
    /// Event-loop threads, 1 to 64.
    package var loops = 1
    /// The `server` label of the metrics, and the first part of the loop threads' names.
    package var name = "http"
    package var limits = HTTPLimits()

    package init() {}
}
