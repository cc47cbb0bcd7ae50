internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Messages

/// The verb `refresh [HOST] [--username NAME]`.
struct RefreshVerb: PersonsVerb {
    static let configuration = CommandConfiguration("refresh", HelpWords.Refresh.verb)

    @Argument(help: ArgumentHelp(HelpWords.Refresh.host))
    var host: String?

    @Option(help: ArgumentHelp(HelpWords.Refresh.username))
    var username: String?

    func command(_ start: VerbStart) throws(UserFacingError) -> RefreshNow {
        let (request, root) = try start.request(orDefault: host, username, withPath: true)
        return RefreshNow(request, with: root.dependencies)
    }
}
