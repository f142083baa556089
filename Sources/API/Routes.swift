import HTTPServer
import Ledger
import Platform

/// The API's paths, parsed. A path parameter that is not an id is still a known path: what is
/// wrong with it is told after the token was checked.
enum Route {
    case transfers
    case transferByKey(Result<IdempotencyKey, IdempotencyKeyRefusal>)
    case transfer(TransferID?)
    case accounts
    case account(AccountID?)
    case documentation(Documentation.Kind)
    /// What the `type` of an error answer names.
    case problem(ProblemCode)

    /// Nil for an unknown path. A trailing slash is another path.
    init?(_ path: Span<UInt8>) {
        if path.equals("/api/transfers") {
            self = .transfers
        } else if let rest = path.suffix(after: "/api/transfers/by-key/") {
            guard path.isSegment(rest) else { return nil }
            let key = path.extracting(rest...)
            do throws(IdempotencyKeyRefusal) {
                self = .transferByKey(.success(try IdempotencyKey(headerValue: key)))
            } catch { self = .transferByKey(.failure(error)) }
        } else if let rest = path.suffix(after: "/api/transfers/") {
            guard path.isSegment(rest) else { return nil }
            let id = path.extracting(rest...)
            self = .transfer(UUID128(id).map { TransferID($0) })
        } else if path.equals("/api/accounts") {
            self = .accounts
        } else if let rest = path.suffix(after: "/api/accounts/") {
            guard path.isSegment(rest) else { return nil }
            let id = path.extracting(rest...)
            self = .account(UUID128(id).map { AccountID($0) })
        } else if path.equals("/openapi.json") {
            self = .documentation(.openAPI)
        } else if path.equals("/docs") {
            self = .documentation(.page)
        } else if let rest = path.suffix(after: "/problems/") {
            guard
                let code = ProblemCode.allCases.first(where: { path.extracting(rest...).equals($0) }
                )
            else { return nil }
            self = .problem(code)
        } else {
            return nil
        }
    }

    /// The value of `Allow` (RFC 9110 section 10.2.1).
    var allow: StaticString {
        switch self {
        case .transfers: "GET, HEAD, POST, OPTIONS"
        case .transferByKey: "GET, HEAD, DELETE, OPTIONS"
        case .transfer, .accounts, .account, .documentation, .problem: "GET, HEAD, OPTIONS"
        }
    }

    /// Whether nobody needs a token for it.
    var isPublic: Bool {
        switch self {
        case .documentation, .problem: true
        case .transfers, .transferByKey, .transfer, .accounts, .account: false
        }
    }

    func has(_ method: Method) -> Bool {
        switch (self, method) {
        case (_, .options), (.transfers, .post), (.transferByKey, .delete): true
        case (_, .get), (_, .head): true
        default: false
        }
    }
}

extension Span<UInt8> {
    fileprivate func equals(_ code: ProblemCode) -> Bool {
        let text = code.rawValue.utf8
        guard count == text.count else { return false }
        for (index, byte) in text.enumerated() where self[index] != byte { return false }
        return true
    }

    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in indices where self[index] != text.utf8Start[index] { return false }
        return true
    }

    /// Where the rest begins after `prefix`; nil without it.
    fileprivate func suffix(after prefix: StaticString) -> Int? {
        let length = prefix.utf8CodeUnitCount
        guard count >= length else { return nil }
        for index in 0..<length where self[index] != prefix.utf8Start[index] { return nil }
        return length
    }

    /// Whether the rest is one path segment: not empty and without a slash.
    fileprivate func isSegment(_ start: Int) -> Bool {
        guard start < count else { return false }
        for index in start..<count where self[index] == 0x2F { return false }
        return true
    }
}
