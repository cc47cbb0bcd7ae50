internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Messages
internal import Providers

/// The verb `register [HOST] [--github-app] [--client-id ID]`.
struct RegisterVerb: PersonsVerb {
    static let configuration = CommandConfiguration("register", HelpWords.Register.verb)

    @Argument(help: ArgumentHelp(HelpWords.Register.host))
    var host = "github.com"

    @Flag(name: .customLong("github-app"), help: ArgumentHelp(HelpWords.Register.gitHubApp))
    var isGitHubApp = false

    @Option(name: .customLong("client-id"), help: ArgumentHelp(HelpWords.Register.clientID))
    var clientID: String?

    func command(_ start: VerbStart) throws(UserFacingError) -> Register {
        let (request, root) = try start.request(host)
        return Register(
            request, isGitHubApp ? .gitHubApp : .oauthApp, clientID: clientID, questions: root.questions,
            files: root.configurationFiles,
            with: root.dependencies)
    }
}
