internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper

/// The verb `refresh [HOST] [--username NAME]`.
struct RefreshVerb: PersonsVerb {
    static let configuration = CommandConfiguration(commandName: "refresh", abstract: "Renew a token now.")

    @Argument(help: "The host whose token is renewed.")
    var host = "github.com"

    @Option(help: "The account whose token is renewed.")
    var username: String?

    func command(_ start: VerbStart) throws(UserFacingError) -> RefreshNow {
        let (request, root) = try start.request(host, username)
        return RefreshNow(request, with: root.dependencies)
    }
}
