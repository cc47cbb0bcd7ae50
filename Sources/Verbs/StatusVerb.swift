internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Messages

/// The verb `status [HOST] [--json] [--offline]`.
struct StatusVerb: PersonsVerb {
    static let configuration = CommandConfiguration("status", HelpWords.Status.verb)

    @Argument(help: ArgumentHelp(HelpWords.Status.host))
    var host: String?

    @Flag(help: ArgumentHelp(HelpWords.json))
    var json = false

    @Flag(help: ArgumentHelp(HelpWords.Status.offline))
    var offline = false

    func command(_ start: VerbStart) throws(UserFacingError) -> Status {
        let (request, root) = try start.request(host ?? "github.com")
        return Status(
            host == nil ? nil : request, isOffline: offline, files: root.configurationFiles, with: root.dependencies)
    }
}
