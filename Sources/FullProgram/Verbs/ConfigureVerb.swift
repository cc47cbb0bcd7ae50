internal import ArgumentParser
internal import Commands
internal import CredentialCore
internal import Helper
internal import System

/// The verb `configure [--system] [--by-name] [--proactive] [--dry-run]`.
struct ConfigureVerb: PersonsVerb {
    static let configuration = CommandConfiguration(
        commandName: "configure", abstract: "Set up git to ask gitspace.",
        discussion: """
            For github.com, gist.github.com, gitlab.com where a client ID is known, and your own hosts that have a \
            provider configured. To sign in as well, run \
            "git credential-gitspace setup" instead.
            """)

    @Flag(help: "Set it up for everyone on this machine, not only for you.")
    var system = false

    @Flag(help: "Write the name \"gitspace\" instead of the program's path, for settings you share between machines.")
    var byName = false

    @Flag(help: "Send the token with the first request, which saves a round trip in every fetch (git 2.46 and newer).")
    var proactive = false

    @Flag(help: "Show what would be written, and write nothing.")
    var dryRun = false

    func validate() throws {
        guard !proactive || !system else {
            throw ValidationError("'--proactive' depends on your own accounts, so it cannot be used with '--system'.")
        }
    }

    func command(_ start: VerbStart) -> Configure {
        let root = start.root(for: nil)
        return Configure(
            system ? .system : .global,
            Configure.Options(isDryRun: dryRun, isByName: byName, isProactive: proactive),
            files: root.configurationFiles, with: root.dependencies)
    }
}
