internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Share

/// The verb `status`: every account of the hosts with sign-ins, and the state of its token.
struct Status: Verb {
    static let configuration = CommandConfiguration(
        "status",
        Message("Show your accounts and the state of their tokens."),
        Message("Without arguments, it shows all accounts."),
        Message("Exits with 1 if no account is signed in. Tokens are never shown."),
        examples: ["status", "status github.com alice", "status --json"])

    @Argument(help: ArgumentHelp(Message("The host. Default: all of them.")))
    var host: String?

    @Argument(help: ArgumentHelp(Message("The account.")))
    var name: String?

    @Option(help: .hidden)
    var username: String?

    @Flag(help: ArgumentHelp(Message("Print a JSON array for programs.")))
    var json = false

    @Flag(help: ArgumentHelp(Message("Do not check the tokens with the servers.")))
    var offline = false

    func validate() throws { try typed.validate() }

    private var typed: AccountArguments { AccountArguments(host, name, username) }

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let isForAll = typed.host == nil && typed.account == nil
        let (request, dependencies) =
            try isForAll
            ? outside.request("github.com", for: "status") : outside.request(typed, isStored: true, for: "status")
        // Without git's lines, only the reason for the default account is missing.
        var search = StatusSearch(
            dependencies: dependencies, lines: (try? outside.files.entries()) ?? [], isOffline: offline)
        do {
            if isForAll { try search.lookEverywhere() } else { try search.look(request) }
        } catch {
            throw UserFacingError(whileLookingUp: error)
        }
        // A password of an unconfigured host is no sign-in, unless the person asks for that host.
        let isSignedIn = search.accounts.contains {
            $0.isSignIn || !isForAll && $0.isPlain
        }
        // Without the keyring, it is unknown who is signed in.
        if !isSignedIn, let absence = dependencies.keyring.absence {
            let host = search.accounts.first?.host ?? (absence.isSurelyEmpty ? search.defaultHost : nil)
            throw host.map { .keyringAbsent(absence, host: $0) } ?? .keyring(absence)
        }
        // An account that was not checked because of Ctrl-C would look unknown.
        guard !outside.isInterrupted() else { return .cancelled }
        if !json, let error = search.notStored { throw error }
        if json {
            outside.print(JSONText.array(search.accounts.map(\.json)))
        } else {
            outside.say(search.words)
        }
        return isSignedIn ? .done : .failed
    }
}
