internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import Messages
internal import System

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
        guard let (request, dependencies) = request(host ?? "github.com", nil, streams, signals),
            let accounts = Status(isOffline: offline, with: dependencies).accounts(host == nil ? nil : request)
        else { return Login.End.failed.rawValue }
        if json {
            _ = streams.send(Self.json(accounts))
        } else {
            let blocks = accounts.isEmpty ? [Self.invitation(nil)] : accounts.map(Self.lines)
            say(Array(blocks.joined(separator: [Message(verbatim: "")])), on: streams)
        }
        let stored = accounts.filter { $0.state != .notFound }
        return stored.isEmpty ? Login.End.failed.rawValue : Login.End.done.rawValue
    }

    private static func invitation(_ host: String?) -> [Message] {
        [
            host.map { Message("Not signed in to %1$s. Sign-in happens at the next push, or now:", $0) }
                ?? Message("Not signed in to any host. Sign-in happens at the next push, or now:"),
            .command("git credential-gitspace login" + (host.map { " " + ShellWord.quoted($0) } ?? "")),
        ]
    }

    private static func lines(_ account: Status.Account) -> [Message] {
        guard let username = account.username else { return invitation(account.host) }
        let end = account.expiresAt.map { Message("until %1$s", LocalTime.text($0)) } ?? Message("without an end")
        var lines = [
            Message(verbatim: account.host),
            .indented(sentence(account.state, username, place(account.storage))),
            .indented(
                account.isRefreshable
                    ? Message("Token: %1$s, renewed by itself", end) : Message("Token: %1$s", end)),
        ]
        if let scopes = account.scopes { lines.append(.indented(Message("Scopes: %1$s", scopes))) }
        let command = "git credential-gitspace logout \(ShellWord.quoted(account.host))"
        lines.append(.indented(Message("To sign out: %1$s", command)))
        return lines
    }

    private static func sentence(_ state: Status.State, _ username: String, _ place: Message) -> Message {
        switch state {
        case .authorized: Message("Signed in as %1$s (%2$s)", username, place)
        case .expired: Message("Ended: signed in as %1$s (%2$s)", username, place)
        case .revoked: Message("No longer accepted: signed in as %1$s (%2$s)", username, place)
        case .notFound: Message("Not signed in")
        case .unknown: Message("Not checked: signed in as %1$s (%2$s)", username, place)
        }
    }

    private static func place(_ storage: String) -> Message {
        storage == "memory" ? Message("memory") : Message("keyring")
    }

    private static func json(_ accounts: [Status.Account]) -> String {
        let objects = accounts.map { account in
            let members = [
                ("host", JSONText.string(account.host)), ("provider", JSONText.string(account.provider)),
                ("username", account.username.map(JSONText.string)), ("state", JSONText.string(account.state.rawValue)),
                ("refreshable", String(account.isRefreshable)), ("expires_at", account.expiresAt.map { String($0) }),
                ("refresh_expires_at", account.refreshExpiresAt.map { String($0) }),
                ("scopes", account.scopes.map(JSONText.string)), ("storage", JSONText.string(account.storage)),
            ]
            return "  " + JSONText.object(members)
        }
        return objects.isEmpty ? "[]\n" : "[\n" + objects.joined(separator: ",\n") + "\n]\n"
    }
}
