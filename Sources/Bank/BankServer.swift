import API
package import HTTPServer
package import Platform

/// A bank on two ports: the customers' API and the operations listener.
package final class BankServer: Sendable {
    /// Where both listeners are, and how the server ends.
    package struct Configuration: Sendable {
        package var api = HTTPServerConfiguration()
        package var operations = HTTPServerConfiguration()
        /// How long `/readyz` says no while requests are still taken, so that load balancers turn
        /// away first.
        package var readinessDelayMilliseconds: Int64 = 0
        /// How long accepted requests may take after that.
        package var gracePeriodMilliseconds: Int64 = 25_000

        package init() {
            api.name = "api"
            operations.name = "operations"
            operations.limits.connections = 256
            // A probe is quick or broken: nobody holds the door for long.
            operations.limits.firstByteMilliseconds = 2000
            operations.limits.headMilliseconds = 2000
            operations.limits.idleMilliseconds = 15_000
        }
    }

    package let bank: Bank
    private let configuration: Configuration
    private let api: HTTPServer<TransferAPI>
    private let operations: HTTPServer<OperationsAPI>

    /// A port that could not be opened.
    package struct ListenError: Error, CustomStringConvertible {
        /// Which of the two ports.
        package enum Listener: String, Sendable {
            case api
            case operations
        }

        package let listener: Listener
        package let error: SystemError

        package var description: String { "\(listener.rawValue): \(error)" }
    }

    /// Binds both ports.
    package init(bank: Bank, configuration: Configuration) throws(ListenError) {
        self.bank = bank
        self.configuration = configuration
        let parts = bank.parts
        let services = bank.services
        do throws(SystemError) {
            api = try HTTPServer(
                configuration: configuration.api, log: parts.log, metrics: parts.metrics,
                clock: parts.monotonic, wallClock: parts.clock
            ) { _, completions in TransferAPI(services: services, completions: completions) }
        } catch { throw ListenError(listener: .api, error: error) }
        let readiness = bank.readiness
        do throws(SystemError) {
            operations = try HTTPServer(
                configuration: configuration.operations, log: parts.log, metrics: parts.metrics,
                clock: parts.monotonic, wallClock: parts.clock
            ) { _, _ in OperationsAPI(readiness: readiness, metrics: parts.metrics) }
        } catch { throw ListenError(listener: .operations, error: error) }
    }

    package var port: UInt16 { api.port }
    package var operationsPort: UInt16 { operations.port }

    /// Starts the bank and both listeners, then says ready. Once only.
    package func start() {
        bank.start()
        operations.start()
        api.start()
        bank.readiness.started()
    }

    /// Stops as a load balancer expects it: not ready first, then no new connections, then what was
    /// accepted is finished. Blocks until everything has ended.
    package func stop() {
        bank.readiness.draining()
        api.announceDrain()
        pause(milliseconds: configuration.readinessDelayMilliseconds)
        api.beginDrain(gracePeriodMilliseconds: configuration.gracePeriodMilliseconds)
        api.waitUntilStopped()
        bank.stop()
        operations.beginDrain(gracePeriodMilliseconds: 1000)
        operations.waitUntilStopped()
    }

    private func pause(milliseconds: Int64) {
        guard milliseconds > 0 else { return }
        let (lock, never) = (Lock(), Condition())
        let clock = bank.parts.monotonic
        let until = clock.now().advanced(milliseconds: milliseconds)
        lock.withLock { while clock.now() < until { never.wait(lock, until: until) } }
    }
}
