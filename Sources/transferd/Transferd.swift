import Configuration
import Foundation
import Glibc
import Ledger

/// The program: understands its command line, runs the command, and says how it ended.
@main
enum Transferd {
    static func main() {
        do {
            switch try ArgumentParser.parse(Array(CommandLine.arguments.dropFirst())) {
            case .help(let text): try Terminal.out(text)
            case .version: try Terminal.out("transferd \(version)\n")
            case .run(let invocation): try run(invocation)
            }
        } catch {
            let error = CommandError(error)
            Terminal.complain(error.message)
            exit(error.code.rawValue)
        }
    }

    private static func run(_ invocation: Invocation) throws {
        switch invocation.command.name {
        case "serve": try ServeCommand.run(invocation)
        case "demo": try DemoCommand.run(invocation)
        case "migrate": try MigrateCommand.run(invocation)
        case "token": try TokenCommand.run(invocation)
        case "account list": try AccountCommand.list(invocation)
        case "account show": try AccountCommand.show(invocation)
        case "account open": try AccountCommand.open(invocation)
        case "account limits": try AccountCommand.limits(invocation)
        case "account close": try AccountCommand.set(.closed, invocation)
        case "customer list": try CustomerCommand.list(invocation)
        case "customer restrict": try CustomerCommand.restrict(invocation)
        case "customer revoke": try CustomerCommand.revoke(invocation)
        case "customer release": try CustomerCommand.release(invocation)
        case "revocation add": try RevocationCommand.add(invocation)
        case "revocation remove": try RevocationCommand.remove(invocation)
        case "revocation list": try RevocationCommand.list(invocation)
        case "config": try ConfigCommand.run(invocation)
        case "backup": try BackupCommand.run(invocation)
        case "restore": try RestoreCommand.run(invocation)
        case "account freeze": try AccountCommand.set(.frozen, invocation)
        case "account unfreeze": try AccountCommand.set(.active, invocation)
        case "verify": try VerifyCommand.run(invocation)
        case "healthcheck": try HealthcheckCommand.run(invocation)
        default: preconditionFailure("a command without a body: \(invocation.command.name)")
        }
    }
}
