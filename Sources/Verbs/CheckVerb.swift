internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Messages
internal import Providers

/// The verb `check URL [--json]`.
struct CheckVerb: PersonsVerb {
    static let configuration = CommandConfiguration("check", HelpWords.Check.verb)

    @Argument(help: ArgumentHelp(HelpWords.Check.url))
    var url: String?

    @Flag(help: ArgumentHelp(HelpWords.Check.json))
    var json = false

    func command(_ start: VerbStart) throws(UserFacingError) -> Check {
        guard let url = url ?? start.outside.remote() else { throw .noRepositoryHere }
        // Gists have neither an owner in their address nor members, so there is nothing to explain.
        guard let address = RepositoryAddress(url), address.host != HostName(name: "gist.github.com") else {
            throw .notARepository
        }
        let root = start.root(for: address.host)
        return Check(address, files: root.configurationFiles, with: root.dependencies)
    }
}
