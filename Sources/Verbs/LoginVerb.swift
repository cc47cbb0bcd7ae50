internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Messages

/// The verb `login [HOST] [--username NAME] [--force] [--with-token]`.
struct LoginVerb: PersonsVerb {
    static let configuration = CommandConfiguration("login", HelpWords.Login.verb)

    @Argument(help: ArgumentHelp(HelpWords.Login.host))
    var host: String?

    @Option(help: ArgumentHelp(HelpWords.Login.username))
    var username: String?

    @Flag(help: ArgumentHelp(HelpWords.Login.force))
    var force = false

    @Flag(help: ArgumentHelp(HelpWords.Login.withToken))
    var withToken = false

    func command(_ start: VerbStart) throws(UserFacingError) -> Login {
        let (request, root) = try start.request(orDefault: host, username, withPath: true)
        return Login(request, isForced: force, tokenFrom: withToken ? root.questions : nil, with: root.dependencies)
    }
}
