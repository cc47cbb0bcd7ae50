internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper

/// The verb `logout [HOST] [--username NAME] [--all] [--revoke [--force]]`.
struct LogoutVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Remove what is stored for a host.",
        discussion: "The token itself stays valid until it is revoked or you withdraw the app's access.")

    @Argument(help: "The host to sign out of; unless given, that of this repository or github.com.")
    var host: String?

    @Option(help: "The account to remove.")
    var username: String?

    @Flag(help: "Remove every account of the host.")
    var all = false

    @Flag(help: "Revoke the token first, and keep it if that fails; GitHub tells you by e-mail.")
    var revoke = false

    @Flag(help: "With --revoke: remove what could not be revoked as well.")
    var force = false

    func validate() throws {
        guard revoke || !force else { throw ValidationError("'--force' can only be used together with '--revoke'.") }
        guard !all || (username ?? host.flatMap { HostArgument($0).username }) == nil else {
            throw ValidationError("'--all' cannot be used together with an account.")
        }
    }

    func command(_ start: VerbStart) throws(UserFacingError) -> LastLogout {
        let (request, root) = try start.request(orDefault: host, username)
        let revocation: Logout.Revocation = !revoke ? .none : force ? .attempted : .required
        let logout = Logout(request, all ? .all : .one, revocation: revocation, with: root.dependencies)
        return LastLogout(logout, of: request, files: root.configurationFiles, with: root.dependencies)
    }
}
