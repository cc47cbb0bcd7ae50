internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import Language
internal import Messages
internal import Words

/// The verb `switch [HOST] [NAME] [--unset]`.
struct SwitchVerb: PersonsVerb {
    static let configuration = CommandConfiguration("switch", HelpWords.Switch.verb)

    @Argument(help: ArgumentHelp(HelpWords.Switch.host))
    var host: String?

    @Argument(help: ArgumentHelp(HelpWords.Switch.name))
    var name: String?

    @Flag(help: ArgumentHelp(HelpWords.Switch.unset))
    var unset = false

    func validate() throws {
        guard !unset || name == nil else { throw ValidationError(UsageWords.unsetWithAccount) }
    }

    func command(_ start: VerbStart) throws(UserFacingError) -> Switch {
        let (host, name) = try split(start)
        let (request, root) = try start.request(host)
        return Switch(
            request, unset ? .unset : name.map { .choose($0) } ?? .ask, questions: root.questions,
            files: root.configurationFiles, with: root.dependencies)
    }

    /// A single word is a host if we sign in there, else an account.
    private func split(_ start: VerbStart) throws(UserFacingError) -> (host: String, name: String?) {
        guard let host else { return (start.defaultHost, nil) }
        if name != nil || unset { return (host, name) }
        guard let (request, root) = try? start.request(host),
            (try? ContextResolver(with: root.dependencies).signInContext(of: request)) != nil
        else { return (start.defaultHost, host) }
        return (host, nil)
    }
}
