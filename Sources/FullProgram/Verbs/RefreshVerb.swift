internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper

/// The verb `refresh [HOST] [--username NAME]`.
struct RefreshVerb: PersonsVerb {
    static let configuration = CommandConfiguration(commandName: "refresh", abstract: "Refresh a token now.")

    @Argument(help: "The host whose token is refreshed; unless given, that of this repository or github.com.")
    var host: String?

    @Option(help: "The account whose token is refreshed.")
    var username: String?

    func command(_ start: VerbStart) throws(UserFacingError) -> RefreshNow {
        let (request, root) = try start.request(orDefault: host, username)
        return RefreshNow(request, with: root.dependencies)
    }
}
