import Bank
import Platform
import PostgresStore

extension Database {
    /// What stands after --database in a line to paste. Holds no password.
    var argument: String {
        switch self {
        case .sqlite(let path): shellQuoted(path)
        case .postgres(let address): shellQuoted(address.withoutPassword)
        }
    }

    /// A sentence for whoever pastes such a line; nil where it needs nothing more.
    var passwordAdvice: String? {
        guard case .postgres(let address) = self, address.withoutPassword != address.text else {
            return nil
        }
        return "The database's password is not repeated: put it into PGPASSWORD, or into a file "
            + "that PGPASSFILE names."
    }
}
