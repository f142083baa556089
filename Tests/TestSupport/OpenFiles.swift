import Foundation
import Glibc
import Platform

/// What the system allows the test program.
package enum OpenFiles {
    package struct TooFew: Error, CustomStringConvertible {
        package let description: String
    }

    /// Raises the soft limit of open files so far that `count` may be open beside the program's own.
    /// Throws, with what to do, where the hard limit is lower.
    package static func allow(_ count: Int) throws {
        let needed = rlim_t(count + 256)
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { throw SystemError("getrlimit") }
        guard limit.rlim_cur < needed else { return }
        guard limit.rlim_max >= needed else {
            throw TooFew(
                description:
                    "The hard limit of open files is \(limit.rlim_max), and this test needs "
                    + "\(needed): raise it with `ulimit -Hn \(needed)`.")
        }
        limit.rlim_cur = needed
        guard setrlimit(resource, &limit) == 0 else { throw SystemError("setrlimit") }
    }
}

/// Whether the tests, and with them the server beside them, were built with ThreadSanitizer, which
/// keeps a shadow several times as large as what it watches.
package let isThreadSanitized = dlsym(nil, "__tsan_init") != nil
