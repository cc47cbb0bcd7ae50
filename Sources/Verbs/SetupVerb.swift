internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Messages

/// The verb `setup [HOST] [--yes] [--with-token]`.
struct SetupVerb: PersonsVerb {
    static let configuration = CommandConfiguration("setup", HelpWords.Setup.verb)

    @Argument(help: ArgumentHelp(HelpWords.Setup.host))
    var host: String?

    @Flag(help: ArgumentHelp(HelpWords.Setup.yes))
    var yes = false

    @Flag(help: ArgumentHelp(HelpWords.Setup.withToken))
    var withToken = false

    func command(_ start: VerbStart) throws(UserFacingError) -> Setup {
        let (request, root) = try start.request(orDefault: host, nil)
        let host = HostName(request.host)
        return Setup(
            request, Setup.Options(isUnattended: yes, withToken: withToken),
            with: Setup.Outside(
                questions: root.questions, files: root.configurationFiles, foreignKeyring: root.foreignKeyring,
                foreignFiles: root.foreignFiles, inspections: { start.root(for: host).inspections() },
                dependencies: { start.root(for: host).dependencies }, isInterrupted: start.outside.isInterrupted))
    }
}
