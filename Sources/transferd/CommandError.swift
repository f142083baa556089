import Configuration
import Glibc
import Platform
import SQLiteStore
import Store

/// Why a command ends without success: for standard error, and the exit code.
struct CommandError: Error {
    let code: ExitCode
    /// One or two sentences that say what to do next.
    let message: String

    init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// What an error of the rooms below means on the command line.
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as UsageError: self.init(.usage, error.description)
        case let error as ConfigurationError: self.init(.configuration, error.description)
        case let error as DatabaseLock.Held: self.init(.unavailable, error.description)
        case let error as DatabaseLock.Linked: self.init(.noInput, error.description)
        case let error as StoreError: self.init(error)
        case let error as SystemError:
            self.init(.internalError, "\(error.description). This is not expected; try again.")
        default: self.init(.internalError, "\(error)")
        }
    }

    private init(_ error: StoreError) {
        switch error {
        case .unavailable(let text):
            // SQLite's own words do not say what to do.
            let advice =
                text.hasSuffix(".") ? "" : ". Nothing was changed. See to it, then try again."
            self.init(.unavailable, text + advice)
        case .unusable(let text): self.init(.unusableData, text)
        case .mediumFailed:
            self.init(
                .mediumFailed, error.description + ". Check the disk before you start again.")
        case .constraint, .unknownOutcome:
            self.init(.internalError, error.description + ". Run `transferd verify`.")
        }
    }

    /// A file that could not be opened: `what` is "the configuration", for example.
    static func unreadable(_ what: String, _ path: String, _ error: SystemError) -> CommandError {
        let reason = String(cString: strerror(error.code))
        return CommandError(
            .noInput, "Cannot read \(what) \(path): \(reason). Name a file there is.")
    }
}
