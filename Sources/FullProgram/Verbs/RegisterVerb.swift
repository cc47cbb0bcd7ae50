internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import System

/// The verb `register [HOST] [--github-app] [--client-id ID]`.
struct RegisterVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "register", abstract: "Make a client ID of your own, and have git remember it.",
        discussion: "Shows the page on which an OAuth App is registered, tries its client ID, and keeps it in git's "
            + "configuration.")

    @Argument(help: "The host on which the app is registered.")
    var host = "github.com"

    @Flag(name: .customLong("github-app"), help: "Register a GitHub App instead of an OAuth App.")
    var isGitHubApp = false

    @Option(name: .customLong("client-id"), help: "The client ID of an app that is registered already.")
    var clientID: String?

    func command(_ start: VerbStart) throws(UserFacingError) -> Register {
        let (request, root) = try start.request(host)
        return Register(
            request, isGitHubApp ? .gitHubApp : .oauthApp, clientID: clientID, questions: root.questions,
            files: root.configurationFiles,
            with: root.dependencies)
    }
}
