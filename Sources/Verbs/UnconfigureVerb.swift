internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Messages

/// The verb `unconfigure [--system] [--dry-run]`.
struct UnconfigureVerb: PersonsVerb {
    static let configuration = CommandConfiguration("unconfigure", HelpWords.Unconfigure.verb)

    @Flag(help: ArgumentHelp(HelpWords.Unconfigure.system))
    var system = false

    @Flag(help: ArgumentHelp(HelpWords.Unconfigure.dryRun))
    var dryRun = false

    func command(_ start: VerbStart) -> Unconfigure {
        let root = start.root(for: nil)
        return Unconfigure(
            system ? .system : .global, isDryRun: dryRun, files: root.configurationFiles, with: root.dependencies)
    }
}
