internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Messages

/// The verb `import [--from gh|gcm|store] [--dry-run]`.
struct ImportVerb: PersonsVerb {
    static let configuration = CommandConfiguration("import", HelpWords.Import.verb)

    @Option(help: ArgumentHelp(HelpWords.Import.from))
    var from: ImportSource?

    @Flag(help: ArgumentHelp(HelpWords.Import.dryRun))
    var dryRun = false

    func command(_ start: VerbStart) -> Import {
        let root = start.root(for: nil)
        return Import(
            from: from.map { [$0] } ?? ImportSource.allCases, isDryRun: dryRun, keyring: root.foreignKeyring,
            files: root.foreignFiles, with: root.dependencies)
    }
}

extension ImportSource: ExpressibleByArgument {}
