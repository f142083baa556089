/// `text` as one word of a shell, quoted only where it must be.
package func shellQuoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        // % + , - . / : = @ _
        case 0x25, 0x2B...0x2F, 0x3A, 0x3D, 0x40, 0x5F: true
        default: false
        }
    }
    guard text.isEmpty || !isPlain else { return text }
    let parts = text.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.joined(separator: #"'\''"#) + "'"
}
