internal import ArgumentParser
internal import CredentialProtocol
internal import Helper
internal import Hosts
internal import Machine

/// The verb `status [HOST] [--json] [--offline]`.
struct StatusVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show every account, and how it stands.",
        discussion: "Exits with 1 if nobody is signed in. A token is never shown.")

    @Argument(help: "The host to look at; all of them unless given.")
    var host: String?

    @Flag(help: "Print an array of objects for programs.")
    var json = false

    @Flag(help: "Do not ask the servers whether the tokens are still good.")
    var offline = false

    func run(_ streams: StandardStreams, _ signals: SignalWatch) -> Int32 {
        guard let (request, world) = request(host ?? "github.com", nil, streams, signals),
            let accounts = Status(isOffline: offline, in: world).accounts(host == nil ? nil : request)
        else { return Login.End.failed.rawValue }
        _ = streams.send(json ? Self.json(accounts) : accounts.map(Self.lines).joined(separator: "\n"))
        let stored = accounts.filter { $0.state != .notFound }
        if accounts.isEmpty { _ = streams.send(json ? "" : Self.invitation("any host")) }
        return stored.isEmpty ? Login.End.failed.rawValue : Login.End.done.rawValue
    }

    private static func invitation(_ host: String) -> String {
        """
        Not signed in to \(host). Sign-in happens at the next push, or now:
          git credential-gitspace login

        """
    }

    private static func lines(_ account: Status.Account) -> String {
        guard let username = account.username else { return invitation(account.host) }
        let end = account.expiresAt.map { "until \(LocalTime.text($0))" } ?? "without an end"
        let renewal = account.isRefreshable ? ", renewed by itself" : ""
        let scopes = account.scopes.map { "  Scopes: \($0)\n" } ?? ""
        return """
            \(account.host)
              \(sentence(account.state)) as \(username) (\(account.storage))
              Token: \(end)\(renewal)
            \(scopes)  To sign out: git credential-gitspace logout \(account.host)

            """
    }

    private static func sentence(_ state: Status.State) -> String {
        switch state {
        case .authorized: "Signed in"
        case .expired: "Ended: signed in"
        case .revoked: "No longer accepted: signed in"
        case .notFound: "Not signed in"
        case .unknown: "Not checked: signed in"
        }
    }

    private static func json(_ accounts: [Status.Account]) -> String {
        let objects = accounts.map { account in
            let members = [
                ("host", quoted(account.host)), ("provider", quoted(account.provider)),
                ("username", account.username.map(quoted)), ("state", quoted(account.state.rawValue)),
                ("refreshable", String(account.isRefreshable)), ("expires_at", account.expiresAt.map { String($0) }),
                ("refresh_expires_at", account.refreshExpiresAt.map { String($0) }),
                ("scopes", account.scopes.map(quoted)), ("storage", quoted(account.storage)),
            ]
            return "  {" + members.map { "\"\($0.0)\": \($0.1 ?? "null")" }.joined(separator: ", ") + "}"
        }
        return objects.isEmpty ? "[]\n" : "[\n" + objects.joined(separator: ",\n") + "\n]\n"
    }

    /// A JSON string (RFC 8259, 7); what servers and items say is printable ASCII by now.
    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }
}
