/// A statement as it is sent: a name for servers that keep it, its text, the types of its parameters.
/// A value, so that it belongs to no connection; each connection prepares it at its first use.
struct PreparedStatement: Sendable, CustomStringConvertible {
    /// PostgreSQL's object ids of the types that are sent.
    enum ValueType: UInt32, Sendable {
        case boolean = 16
        case bytes = 17
        case bigint = 20
        case smallint = 21
        case text = 25
        case date = 1082
        case timestamp = 1184
        case uuid = 2950
        case bytesArray = 1001
        case smallintArray = 1005
        case textArray = 1009
        case bigintArray = 1016
        case dateArray = 1182
        case timestampArray = 1185
        case uuidArray = 2951
    }

    let name: String
    var description: String { name }
    let sql: String
    let types: [UInt32]

    init(_ name: String, _ types: [ValueType] = [], _ sql: String) {
        self.name = name
        self.types = types.map(\.rawValue)
        self.sql = sql
    }
}
