internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import Messages
internal import OAuth
internal import Providers
internal import System

/// The verb `logout [HOST] [--username NAME] [--all] [--revoke]`.
struct LogoutVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Remove what is stored for a host.",
        discussion: "The token itself stays valid until it is revoked or you withdraw the app's access.")

    @Argument(help: "The host to sign out of.")
    var host = "github.com"

    @Option(help: "The account to remove.")
    var username: String?

    @Flag(help: "Remove every account of the host.")
    var all = false

    @Flag(help: "Have the server forget the token as well; GitHub tells you by e-mail.")
    var revoke = false

    func run(_ streams: StandardStreams, _ signals: SignalWatch) -> Int32 {
        guard let (request, dependencies) = request(host, username, streams, signals),
            let report = Logout(all ? .all : .one, with: dependencies).run(request, revokes: revoke)
        else { return Login.End.failed.rawValue }
        let accounts = report.accounts.joined(separator: ", ")
        say([Message("Signed out of %1$s: removed %2$s from the keyring.", report.host, accounts)], on: streams)
        switch report.revocation {
        case .accepted:
            say([Message("%1$s has been told to forget the token; it says so by e-mail.", report.host)], on: streams)
        case .failed(let error): return regret(.notRevoked(host: report.host, error, page: report.page))
        case .refused(let status):
            return regret(.revocationRefused(host: report.host, status: status, page: report.page))
        case .unsupported: return regret(.revocationUnsupported(host: report.host, page: report.page))
        case nil:
            if let page = report.page {
                say(
                    [Message("The token stays valid until you withdraw the app's access:"), .command(page)], on: streams
                )
            }
        }
        return Login.End.done.rawValue
    }
}
