internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Messages

/// The verb `configure [--system] [--by-name] [--proactive] [--dry-run]`.
struct ConfigureVerb: PersonsVerb {
    static let configuration = CommandConfiguration("configure", HelpWords.Configure.verb)

    @Flag(help: ArgumentHelp(HelpWords.Configure.system))
    var system = false

    @Flag(help: ArgumentHelp(HelpWords.Configure.byName))
    var byName = false

    @Flag(help: ArgumentHelp(HelpWords.Configure.proactive))
    var proactive = false

    @Flag(help: ArgumentHelp(HelpWords.Configure.dryRun))
    var dryRun = false

    func validate() throws {
        guard !proactive || !system else { throw ValidationError(UsageWords.proactiveForSystem) }
    }

    func command(_ start: VerbStart) -> Configure {
        let root = start.root(for: nil)
        return Configure(
            system ? .system : .global,
            Configure.Options(isDryRun: dryRun, isByName: byName, isProactive: proactive),
            files: root.configurationFiles, with: root.dependencies)
    }
}
