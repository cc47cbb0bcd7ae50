internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import System

/// The verb `setup [HOST] [--yes] [--with-token]`.
struct SetupVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Set up git and sign in: the one command after installation.",
        discussion: """
            Sets up git, then signs in: with the sign-in of gh or Git Credential Manager if you have one, else in the \
            browser, else with a token you paste. What is done already is skipped, so you can stop and run it again.
            """)

    @Argument(help: "The host to sign in to.")
    var host = "github.com"

    @Flag(help: "Ask no questions: use what gh or Git Credential Manager has, else sign in if someone is there.")
    var yes = false

    @Flag(help: "Sign in with a token of your own: asked for, or read from standard input.")
    var withToken = false

    func command(_ start: VerbStart) throws(UserFacingError) -> Setup {
        let (request, root) = try start.request(host)
        let host = HostName(request.host)
        let signals = start.signals
        return Setup(
            request, Setup.Options(isUnattended: yes, withToken: withToken),
            with: Setup.Outside(
                questions: root.questions, files: root.configurationFiles, foreignKeyring: root.foreignKeyring,
                foreignFiles: root.foreignFiles, inspections: { start.root(for: host).inspections() },
                dependencies: { start.root(for: host).dependencies }, isInterrupted: { signals.look() }))
    }
}
