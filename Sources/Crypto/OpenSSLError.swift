import COpenSSL

/// A failure inside OpenSSL, or a key that this room refuses.
package struct OpenSSLError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The function that failed, such as `EVP_DigestVerifyInit_ex`.
    package let operation: String
    /// OpenSSL's packed error code; 0 when it queued none.
    package let code: UInt

    /// `code` is OpenSSL's packed code, or 0.
    package init(operation: String, code: UInt) {
        self.operation = operation
        self.code = code
    }

    /// The operation with OpenSSL's text, which holds no input.
    package var description: String {
        guard code != 0 else { return "\(operation) failed" }
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(code, &text, text.count)
        let message = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return "\(operation) failed: \(String(decoding: message, as: UTF8.self))"
    }

    /// Takes the latest error of this thread's queue and empties the queue, so that it is not
    /// mistaken for a later call's.
    static func last(_ operation: String) -> OpenSSLError {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        return OpenSSLError(operation: operation, code: UInt(code))
    }
}

/// Stops the process: for calls that fail only when memory is exhausted or the library is broken.
func requireOpenSSL(_ succeeded: Bool, _ operation: String) {
    guard succeeded else { fatalError(OpenSSLError.last(operation).description) }
}
