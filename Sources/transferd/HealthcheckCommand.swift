import Bank
import Configuration
import Foundation
import Glibc
import HTTPServer
import Platform

/// `transferd healthcheck`
enum HealthcheckCommand {
    private static let timeoutSeconds = 3

    private struct Target {
        let host: String
        let port: Int
        let path: String

        /// As it stands in a URL and in `Host`.
        var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
    }

    static func run(_ invocation: Invocation) throws {
        signal(SIGPIPE, SIG_IGN)
        let target = try target(invocation)
        let status: Int
        do throws(SystemError) { status = try ask(target) } catch {
            throw CommandError(
                .damage, "http://\(target.authority)\(target.path) did not answer: \(error).")
        }
        guard status == 200 else {
            throw CommandError(
                .damage, "http://\(target.authority)\(target.path) answered \(status), not 200.")
        }
    }

    private static func target(_ invocation: Invocation) throws -> Target {
        switch (invocation["url"], invocation["config"]) {
        case (let url?, nil):
            guard let parts = URLComponents(string: url), parts.scheme == "http",
                let host = parts.host, !host.isEmpty
            else {
                throw UsageError(
                    "--url takes an address such as http://127.0.0.1:8081.", invocation.command)
            }
            let path =
                ["", "/"].contains(parts.percentEncodedPath)
                ? "/healthz" : parts.percentEncodedPath
            return Target(
                host: host.trimmingCharacters(in: ["[", "]"]), port: parts.port ?? 80, path: path)
        case (nil, let path?):
            let place = try ServeCommand.load(path, nil).server.operations
            guard place.port != 0 else {
                throw ConfigurationError(
                    "operations.port is 0, so that nobody knows where to ask. Give it a number.")
            }
            let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][place.address] ?? place.address
            return Target(host: host, port: Int(place.port), path: "/healthz")
        case (nil, nil), (_?, _?):
            throw UsageError("Give either --url or --config.", invocation.command)
        }
    }

    /// The status of the answer.
    private static func ask(_ target: Target) throws(SystemError) -> Int {
        let descriptor = try connection(target)
        let request = Array(
            "GET \(target.path) HTTP/1.1\r\nHost: \(target.authority)\r\nConnection: close\r\n\r\n"
                .utf8)
        guard send(descriptor.number, request, request.count, 0) == request.count else {
            throw SystemError("send")
        }
        var line = [UInt8](repeating: 0, count: 12)
        var filled = 0
        while filled < line.count {
            let count = line.withUnsafeMutableBytes {
                recv(descriptor.number, $0.baseAddress! + filled, $0.count - filled, 0)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError("recv", code: count == 0 ? EPROTO : errno) }
            filled += count
        }
        let text = String(decoding: line, as: UTF8.self)
        guard text.hasPrefix("HTTP/1."), let status = Int(text.suffix(3)) else {
            throw SystemError("recv", code: EPROTO)
        }
        return status
    }

    private static func connection(_ target: Target) throws(SystemError) -> FileDescriptor {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(target.host, String(target.port), &hints, &list) == 0 else {
            throw SystemError("getaddrinfo \(target.host)", code: EADDRNOTAVAIL)
        }
        defer { freeaddrinfo(list) }
        var failure = SystemError("connect", code: EADDRNOTAVAIL)
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            let descriptor = FileDescriptor(
                owning: socket(entry.ai_family, entry.ai_socktype, entry.ai_protocol))
            guard descriptor.number >= 0 else { throw SystemError("socket") }
            var limit = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
            for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                let size = socklen_t(MemoryLayout<timeval>.size)
                guard setsockopt(descriptor.number, SOL_SOCKET, option, &limit, size) == 0 else {
                    throw SystemError("setsockopt")
                }
            }
            if connect(descriptor.number, entry.ai_addr, entry.ai_addrlen) == 0 {
                return descriptor
            }
            failure = SystemError("connect")
        }
        throw failure
    }
}
