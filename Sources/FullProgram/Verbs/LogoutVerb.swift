internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper

/// The verb `logout [HOST] [--username NAME] [--all] [--revoke]`.
struct LogoutVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Remove what is stored for a host.",
        discussion: "The token itself stays valid until it is revoked or you withdraw the app's access.")

    @Argument(help: "The host to sign out of.")
    var host = "github.com"

    @Option(help: "The account to remove.")
    var username: String?

    @Flag(help: "Remove every account of the host.")
    var all = false

    @Flag(help: "Have the server forget the token as well; GitHub tells you by e-mail.")
    var revoke = false

    func command(_ start: VerbStart) throws(UserFacingError) -> Logout {
        let (request, root) = try start.request(host, username)
        return Logout(request, all ? .all : .one, revokes: revoke, with: root.dependencies)
    }
}
