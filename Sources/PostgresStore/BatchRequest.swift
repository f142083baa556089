import Crypto
import Ledger
import Platform
import Store

/// What a batch's commands touch, each thing once.
struct BatchRequest {
    /// Keys of intents, and their places in `intents`.
    private(set) var places: [IntentID: Int] = [:]
    private(set) var intents: [IntentID] = []
    /// Customers that are written whatever keys say.
    private(set) var owners: Set<CustomerID> = []
    /// Everybody who is written.
    private(set) var customers: Set<CustomerID> = []
    private(set) var ibans: Set<IBAN> = []
    private(set) var creditors: Set<IBAN> = []
    private(set) var accountIBANs: Set<Holding<IBAN>> = []
    private(set) var accountIDs: Set<Holding<AccountID>> = []
    /// Accounts of which it must be known how many payments have not ended.
    private(set) var closing: Set<Holding<AccountID>> = []
    private(set) var transfers: Set<Holding<TransferID>> = []
    private(set) var credits: Set<Holding<TransferID>> = []
    /// Customers whose next event number may be needed.
    private(set) var counted: Set<CustomerID> = []

    /// Something of one customer's.
    struct Holding<Value: Hashable>: Hashable {
        let customer: CustomerID
        let value: Value
    }

    /// `directory` has the IBANs whose accounts are named by nothing else.
    init(_ commands: [Command], directory: [IBAN: DirectoryEntry]) {
        for command in commands {
            switch command {
            case .transfer(let command): add(command)
            case .revoke(let command): add(command.id)
            case .credit(let command):
                owners.insert(command.payee)
                accountIDs.insert(Holding(customer: command.payee, value: command.account))
                credits.insert(Holding(customer: command.payee, value: command.transfer))
            case .conclude(let command):
                owners.insert(command.payer)
                counted.insert(command.payer)
                transfers.insert(Holding(customer: command.payer, value: command.transfer))
            case .openAccount(let command):
                owners.insert(command.customer)
                ibans.insert(command.iban)
            case .setAccountStatus(let command):
                add(directory[command.iban], command.iban)
                if command.status == .closed, let entry = directory[command.iban] {
                    closing.insert(Holding(customer: entry.customer, value: entry.account))
                }
            case .setAccountLimits(let command): add(directory[command.iban], command.iban)
            case .restrictCustomer(let command): owners.insert(command.customer)
            case .retire, .probe: break
            }
        }
        customers.formUnion(owners)
    }

    /// IBANs whose owners must be known before anything is locked. An IBAN's owner never changes.
    static func namelessIBANs(_ commands: [Command]) -> [IBAN] {
        commands.compactMap { command in
            switch command {
            case .setAccountStatus(let command): command.iban
            case .setAccountLimits(let command): command.iban
            default: nil
            }
        }
    }

    private mutating func add(_ command: TransferCommand) {
        let customer = command.id.customer
        add(command.id)
        counted.insert(customer)
        ibans.insert(command.intent.debtorIBAN)
        ibans.insert(command.intent.creditorIBAN)
        creditors.insert(command.intent.creditorIBAN)
        accountIBANs.insert(Holding(customer: customer, value: command.intent.debtorIBAN))
    }

    private mutating func add(_ id: IntentID) {
        customers.insert(id.customer)
        guard places[id] == nil else { return }
        places[id] = intents.count
        intents.append(id)
    }

    private mutating func add(_ entry: DirectoryEntry?, _ iban: IBAN) {
        ibans.insert(iban)
        guard let entry else { return }
        owners.insert(entry.customer)
        accountIDs.insert(Holding(customer: entry.customer, value: entry.account))
    }

    /// What stands for each key in the table of advisory locks: all processes must come to the same
    /// number, and two keys with one number are only a needless 409.
    var keyHashes: [Int64] {
        intents.map { intent in
            var bytes: [UInt8] = []
            bytes.append(bigEndian: UInt32(intent.customer.text.utf8.count))
            bytes.append(contentsOf: intent.customer.text.utf8)
            bytes.append(bigEndian: UInt32(16))
            bytes.append(bigEndian: intent.key.uuid.high)
            bytes.append(bigEndian: intent.key.uuid.low)
            return Int64(bitPattern: SHA256.digest(bytes).word0)
        }
    }
}
