internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import Providers
internal import System

/// The verb `check URL [--json]`.
struct CheckVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Ask whether you can reach a repository, and if not, why.",
        discussion: """
            The address is understood as people paste it: from a browser, from "git remote -v", or OWNER/NAME for \
            github.com. Exits with 1 if the repository cannot be read. Never starts a sign-in.
            """)

    @Argument(help: "The repository; unless given, the remote of the one you are in.")
    var url: String?

    @Flag(help: "Print an object for programs.")
    var json = false

    func command(_ start: VerbStart) throws(UserFacingError) -> Check {
        guard let url = url ?? CurrentRemote.address else { throw .noRepositoryHere }
        // Gists have neither an owner in their address nor members: there is nothing to explain.
        guard let address = RepositoryAddress(url), address.host != HostName(name: "gist.github.com") else {
            throw .notARepository
        }
        let root = start.root(for: address.host)
        return Check(address, files: root.configurationFiles, with: root.dependencies)
    }
}
