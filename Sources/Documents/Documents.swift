/// What the server says about itself. A target of its own, because compiling long resources takes
/// longer than compiling the code around them.
package enum Documents {
    /// The OpenAPI 3.1 document, in UTF-8. Written by hand; tests hold it and the code to each other.
    package static let openAPI: [UInt8] = PackageResources.OpenAPI_json
    /// The idempotency specification for people: one HTML page without outside assets.
    package static let page: [UInt8] = PackageResources.Page_html
}
