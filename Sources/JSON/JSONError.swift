/// Why a document was refused, and where.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Closed, so that a caller can translate every one.
    package enum Reason: Hashable, Sendable {
        /// The input ended inside a value, or held none.
        case unexpectedEnd
        /// A byte that the grammar does not allow here (RFC 8259 section 2).
        case unexpectedByte
        /// A literal that is not exactly `true`, `false` or `null`.
        case invalidLiteral
        /// A number outside the grammar of RFC 8259 section 6.
        case invalidNumber
        /// A comma before a closing bracket.
        case trailingComma
        /// Anything but white space after the document.
        case trailingData
        /// U+FEFF before the document (RFC 8259 section 8.1).
        case byteOrderMark
        /// Bytes that are not UTF-8: overlong, a surrogate, above U+10FFFF or cut short.
        case invalidUTF8
        /// A raw control character in a string.
        case controlCharacter
        /// An escape that RFC 8259 section 7 does not name.
        case invalidEscape
        /// Half of a surrogate pair, escaped (RFC 7493 section 2.1).
        case loneSurrogate
        /// A noncharacter such as U+FFFE (RFC 7493 section 2.1).
        case noncharacter
        /// U+0000, which text of this server never holds.
        case nulCharacter
        /// Two members of one object with one name, escapes undone (RFC 7493 section 2.3).
        case duplicateMember
        /// Arrays and objects nested deeper than the reader was told.
        case tooDeep
        /// More bytes than the reader can index: 1 GiB.
        case tooLarge
    }

    /// What is wrong.
    package let reason: Reason
    /// Offset of the offending byte from the start of the input; the input's length at its end.
    package let offset: Int
    /// The JSON pointer (RFC 6901) of the innermost value or member being read; `""` is the root.
    package let pointer: String

    /// `pointer` is a complete JSON pointer.
    package init(_ reason: Reason, offset: Int, pointer: String = "") {
        self.reason = reason
        self.offset = offset
        self.pointer = pointer
    }

    /// Bland: tells the place, never the text.
    package var description: String {
        pointer.isEmpty ? "\(reason) at byte \(offset)" : "\(reason) at byte \(offset) (\(pointer))"
    }

    /// The same error, seen from the container that holds the value under `token`.
    func nested(under token: String) -> JSONError {
        JSONError(reason, offset: offset, pointer: "/" + JSONPointer.escape(token) + pointer)
    }
}

/// JSON pointers (RFC 6901).
package enum JSONPointer {
    /// One reference token: `~` and `/` become `~0` and `~1`.
    package static func escape(_ token: String) -> String {
        guard token.utf8.contains(where: { $0 == 0x7E || $0 == 0x2F }) else { return token }
        var bytes: [UInt8] = []
        for byte in token.utf8 {
            switch byte {
            case 0x7E: bytes += [0x7E, 0x30]
            case 0x2F: bytes += [0x7E, 0x31]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
