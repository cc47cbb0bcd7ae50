internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper

/// The verb `status [HOST] [--json] [--offline]`.
struct StatusVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show every account, and how it stands.",
        discussion: "Exits with 1 if nobody is signed in. A token is never shown.")

    @Argument(help: "The host to look at; all of them unless given.")
    var host: String?

    @Flag(help: "Print an array of objects for programs.")
    var json = false

    @Flag(help: "Do not ask the servers whether the tokens are still good.")
    var offline = false

    func command(_ start: VerbStart) throws(UserFacingError) -> Status {
        let (request, root) = try start.request(host ?? "github.com")
        return Status(
            host == nil ? nil : request, isOffline: offline, files: root.configurationFiles, with: root.dependencies)
    }
}
