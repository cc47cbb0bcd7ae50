internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import System

/// The verb `configure [--system] [--dry-run]`.
struct ConfigureVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "configure", abstract: "Set up git, so that it asks this program.",
        discussion: "For github.com, gist.github.com, and the hosts of your own that have a provider configured.")

    @Flag(help: "For everybody on this machine, and not for you alone.")
    var system = false

    @Flag(help: "Show what would be written, and write nothing.")
    var dryRun = false

    func command(_ start: VerbStart) -> Configure {
        let root = start.root(for: nil)
        return Configure(
            system ? .system : .global, isDryRun: dryRun, files: root.configurationFiles, with: root.dependencies)
    }
}
