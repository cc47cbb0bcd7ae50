internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import System

/// The verb `unconfigure [--system] [--dry-run]`.
struct UnconfigureVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "unconfigure", abstract: "Undo what configure has set up.")

    @Flag(help: "What was set up for everybody on this machine.")
    var system = false

    @Flag(help: "Show what would be removed, and write nothing.")
    var dryRun = false

    func command(_ start: VerbStart) -> Unconfigure {
        let root = start.root(for: nil)
        return Unconfigure(
            system ? .system : .global, isDryRun: dryRun, files: root.configurationFiles, with: root.dependencies)
    }
}
