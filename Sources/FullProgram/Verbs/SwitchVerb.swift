internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper

/// The verb `switch [HOST] [NAME] [--unset]`.
struct SwitchVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "switch", abstract: "Choose the account that git uses by default.",
        discussion: """
            For remotes whose URL names no account. Sets git's own credential.<url>.username in your configuration; \
            github.com and gist.github.com go together. Without a name, lists the accounts and asks.
            """)

    @Argument(
        help: ArgumentHelp(
            "The host, unless given that of this repository or github.com, and the account.", valueName: "host> [<name")
    )
    var words: [String] = []

    @Flag(help: "Remove the choice: git uses the account that was signed in first.")
    var unset = false

    func validate() throws {
        guard words.count <= 2 else { throw ValidationError("Unexpected argument '\(words[2])'.") }
        guard !unset || words.count < 2 else { throw ValidationError("'--unset' takes no account.") }
    }

    func command(_ start: VerbStart) throws(UserFacingError) -> Switch {
        let (host, name) = try split(start)
        let (request, root) = try start.request(host)
        return Switch(
            request, unset ? .unset : name.map { .choose($0) } ?? .ask, questions: root.questions,
            files: root.configurationFiles, with: root.dependencies)
    }

    /// A single word is a host if it is one where we sign in, else an account.
    private func split(_ start: VerbStart) throws(UserFacingError) -> (host: String, name: String?) {
        guard let first = words.first else { return (start.defaultHost, nil) }
        if words.count > 1 || unset { return (first, words.dropFirst().first) }
        guard let (request, root) = try? start.request(first),
            (try? ContextResolver(with: root.dependencies).signInContext(of: request)) != nil
        else { return (start.defaultHost, first) }
        return (first, nil)
    }
}
