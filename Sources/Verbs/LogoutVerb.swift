internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Messages

/// The verb `logout [HOST] [--username NAME] [--all] [--revoke [--force]]`.
struct LogoutVerb: PersonsVerb {
    static let configuration = CommandConfiguration("logout", HelpWords.Logout.verb)

    @Argument(help: ArgumentHelp(HelpWords.Logout.host))
    var host: String?

    @Option(help: ArgumentHelp(HelpWords.Logout.username))
    var username: String?

    @Flag(help: ArgumentHelp(HelpWords.Logout.all))
    var all = false

    @Flag(help: ArgumentHelp(HelpWords.Logout.revoke))
    var revoke = false

    @Flag(help: ArgumentHelp(HelpWords.Logout.force))
    var force = false

    func validate() throws {
        guard revoke || !force else { throw ValidationError(UsageWords.forceWithoutRevoke) }
        guard !all || (username ?? host.flatMap { HostArgument($0).username }) == nil else {
            throw ValidationError(UsageWords.allWithAccount)
        }
    }

    func command(_ start: VerbStart) throws(UserFacingError) -> LastLogout {
        let (request, root) = try start.request(orDefault: host, username)
        let revocation: Logout.Revocation = !revoke ? .none : force ? .attempted : .required
        let logout = Logout(request, all ? .all : .one, revocation: revocation, with: root.dependencies)
        return LastLogout(logout, of: request, files: root.configurationFiles, with: root.dependencies)
    }
}
