import TestSupport
import Testing

extension DatabaseTests {
    /// Tests of the whole server over real sockets, one at a time.
    @Suite("The whole server", .serialized, .timeLimit(.minutes(5)))
    enum IntegrationTests {}
}
