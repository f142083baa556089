#if FAILPOINTS
    import Glibc

    /// Named points of the road where a test build kills, delays or fails the process.
    ///
    /// `TRANSFERD_FAILPOINTS="name=kill,name=delay:250,name=fail"` arms them at start; `name=kill:5`
    /// fires at the fifth passage. Compiled only with the `Failpoints` trait.
    package enum Failpoint {
        private enum Action: Sendable {
            case kill
            case delay(milliseconds: UInt32)
            case fail
        }

        private struct Armed: Sendable {
            var action: Action
            var passages: Int
        }

        private static let armed: Guarded<[String: Armed]> = {
            var points: [String: Armed] = [:]
            let text = getenv("TRANSFERD_FAILPOINTS").map { String(cString: $0) } ?? ""
            for entry in text.split(separator: ",") {
                let sides = entry.split(separator: "=")
                precondition(sides.count == 2, "failpoint without an action: \(entry)")
                let words = sides[1].split(separator: ":")
                let argument = words.count > 1 ? Int(words[1]) : nil
                switch words[0] {
                case "kill":
                    points[String(sides[0])] = Armed(action: .kill, passages: argument ?? 1)
                case "delay":
                    points[String(sides[0])] = Armed(
                        action: .delay(milliseconds: UInt32(argument ?? 100)), passages: 1)
                case "fail":
                    points[String(sides[0])] = Armed(action: .fail, passages: argument ?? 1)
                default: preconditionFailure("unknown failpoint action: \(entry)")
                }
            }
            return Guarded(points)
        }()

        /// Passes the point `name`; true when the caller shall act as if the step had failed.
        package static func fails(_ name: String) -> Bool {
            let action: Action? = armed.withLock { points in
                guard var point = points[name] else { return nil }
                if case .delay = point.action { return point.action }
                point.passages -= 1
                points[name] = point
                return point.passages == 0 ? point.action : nil
            }
            switch action {
            case nil: return false
            case .kill:
                kill(getpid(), SIGKILL)
                return false
            case .delay(let milliseconds):
                usleep(milliseconds * 1000)
                return false
            case .fail: return true
            }
        }
    }
#endif
