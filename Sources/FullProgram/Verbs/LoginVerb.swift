internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper

/// The verb `login [HOST] [--username NAME] [--force] [--with-token]`.
struct LoginVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Sign in now.",
        discussion: "To set up git as well, and for help with a first sign-in, run \"git credential-gitspace setup\".")

    @Argument(help: "The host to sign in to; unless given, that of this repository or github.com.")
    var host: String?

    @Option(help: "The account to sign in as.")
    var username: String?

    @Flag(help: "Sign in even if a valid token is stored.")
    var force = false

    @Flag(help: "Use a token that you have made yourself: asked for, or read from standard input.")
    var withToken = false

    func command(_ start: VerbStart) throws(UserFacingError) -> Login {
        let (request, root) = try start.request(orDefault: host, username)
        return Login(request, isForced: force, tokenFrom: withToken ? root.questions : nil, with: root.dependencies)
    }
}
