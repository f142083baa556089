import Crypto
import Documents
import HTTPServer

/// What anybody may read without a token: this contract, for programs and for people.
struct Documentation {
    enum Kind {
        case openAPI
        case page
    }

    private let body: [UInt8]
    private let contentType: StaticString
    private let tag: String
    /// Nil where nothing is to be rendered.
    private let contentSecurityPolicy: String?

    private static let openAPI = Documentation(
        body: Documents.openAPI, contentType: "application/json", contentSecurityPolicy: nil)
    private static let page = Documentation(
        body: Documents.page, contentType: "text/html; charset=utf-8",
        contentSecurityPolicy: policy(for: Documents.page))

    private init(body: [UInt8], contentType: StaticString, contentSecurityPolicy: String?) {
        self.body = body
        self.contentType = contentType
        self.contentSecurityPolicy = contentSecurityPolicy
        tag = "\"" + Hex.string(Array(SHA256.digest(body).bytes.prefix(8))) + "\""
    }

    static func response(
        _ kind: Kind, to head: borrowing RequestHead, _ requestID: String
    ) -> Response {
        let document =
            switch kind {
            case .openAPI: openAPI
            case .page: page
            }
        return document.response(EntityTag.list(head), requestID)
    }

    private func response(_ tags: [String]?, _ requestID: String) -> Response {
        let isKnown = EntityTag.matches(tags, tag)
        var response = isKnown ? Response(status: 304) : Response(status: 200, body: body)
        response = response.withCommonFields(requestID)
        // Nothing of a customer is in it.
        response.setField("Cache-Control", "public, max-age=300")
        response.setField("ETag", tag)
        guard !isKnown else { return response }
        response.setField("Content-Type", contentType)
        response.setField("X-Content-Type-Options", "nosniff")
        if let contentSecurityPolicy {
            response.setField("Content-Security-Policy", contentSecurityPolicy)
            response.setField("Referrer-Policy", "no-referrer")
        }
        return response
    }

    /// Allows the page's own style and nothing else (Content Security Policy Level 3, section 2.3).
    static func policy(for page: [UInt8]) -> String {
        let text = String(decoding: page, as: UTF8.self)
        var source = "'none'"
        if let style = text.firstRange(of: "<style>"), let end = text.firstRange(of: "</style>"),
            style.upperBound <= end.lowerBound
        {
            let digest = SHA256.digest(Array(text[style.upperBound..<end.lowerBound].utf8))
            source = "'sha256-\(base64(digest.bytes))'"
        }
        return "default-src 'none'; style-src \(source); base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
    }

    /// With the alphabet and padding of RFC 4648 section 4, which policies are written in.
    private static func base64(_ bytes: [UInt8]) -> String {
        var text = ""
        for character in Base64URL.encode(bytes) {
            switch character {
            case "-": text.append("+")
            case "_": text.append("/")
            default: text.append(character)
            }
        }
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }
}
