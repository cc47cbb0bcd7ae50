internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import System

/// The verb `import [--from gh|gcm|store] [--dry-run]`.
struct ImportVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take over what other tools have stored.",
        discussion: "Copies passwords and tokens into the keyring, in this program's form. Nothing is removed.")

    @Option(help: "Only from gh, gcm (Git Credential Manager) or store (git-credential-store).")
    var from: ImportSource?

    @Flag(help: "Show what would be copied, and store nothing.")
    var dryRun = false

    func command(_ start: VerbStart) -> Import {
        let root = start.root(for: nil)
        return Import(
            from: from.map { [$0] } ?? ImportSource.allCases, isDryRun: dryRun, keyring: root.foreignKeyring,
            files: root.foreignFiles, with: root.dependencies)
    }
}

extension ImportSource: ExpressibleByArgument {}
