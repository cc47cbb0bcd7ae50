internal import ArgumentParser
package import CredentialCore
package import Helper

/// The verb `configure`: makes git ask this program, and no other helper, for the hosts with sign-ins.
struct Configure: Verb {
    static let configuration = CommandConfiguration(
        "configure", Message("Set up git to use gitspace."),
        Message("Without a host, this covers all hosts where gitspace has a client ID or an app to sign in with."),
        Message("To sign in as well, run \"%1$s\" instead.", Verbatim("git credential-gitspace setup")),
        examples: ["configure", "configure git.example.com --dry-run", "configure --proactive"])

    @Argument(help: ArgumentHelp(Message("The only host to set up. Default: all where you can sign in.")))
    var host: String?

    @Flag(help: ArgumentHelp(Message("Set it up for all users of this machine.")))
    var system = false

    @Flag(
        help: ArgumentHelp(
            Message(
                "Send the token with the first request, which saves a round trip per fetch (git 2.46 or newer).")))
    var proactive = false

    @Flag(help: ArgumentHelp(Message("Only show what would be written.")))
    var dryRun = false

    func validate() throws {
        guard !proactive || !system else {
            throw ValidationError(
                Message("'--proactive' depends on your own accounts, so it cannot be used with '--system'."))
        }
    }

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        var only: HostName?
        if let host { only = HostName(try outside.request(host, for: "configure").0.host) }
        let dependencies = outside.dependencies(nil)
        if proactive {
            let git = outside.files.gitVersion().flatMap { GitRelease($0) }
            guard git?.knowsProactiveAuthentication == true else { throw .gitLacksProactive(git?.shown) }
        }
        let scope: ConfigurationScope = system ? .system : .global
        let lines = HelperLines(scope: scope, host: only, files: outside.files, dependencies: dependencies)
        let change = try rethrowing(as: words, try dryRun ? lines.preview() : lines.write())
        guard !change.hosts.isEmpty || !change.isEmpty else { throw .nothingToConfigure }
        // Printed first, in case the rest fails.
        say(change, outside)
        let isSignedIn = proactive ? try sendFirst(change, outside, dependencies) : true
        if !change.isEmpty, !dryRun { outside.say([Message("To undo this:"), .unconfigure(scope)]) }
        if !change.added.isEmpty, !dryRun, !system, (try? dependencies.hostsWithItems(change.hosts)) == [] {
            outside.say([Message("To sign in:"), .command("git credential-gitspace setup\(argument)")])
        }
        guard isSignedIn else { throw .proactiveNeedsSignIn(host: change.hosts.first?.shown ?? "github.com") }
        return .done
    }

    private var argument: DisplayText { host.map { " \(word: $0)" } ?? "" }

    /// The error with the command as it was typed, without `--dry-run`.
    private func words(_ error: ConfigurationFileError) -> UserFacingError {
        let options: DisplayText = "\(system ? " --system" : "")\(proactive ? " --proactive" : "")"
        return .configuration(error, verb: "configure\(argument)\(options)")
    }

    private func say(_ change: HelperLines.Change, _ outside: VerbDependencies) {
        if change.isEmpty {
            outside.say(
                proactive
                    ? Message("git already uses gitspace for %1$s.", change.hostNames)
                    : Message("Nothing to do: git already uses gitspace for %1$s.", change.hostNames))
        }
        outside.say(
            dryRun ? Message("Would change in %1$s:", change.file) : Message("Changed in %1$s:", change.file),
            above: change.changed.map(Message.configurationLine))
        outside.say(additionsTo(change.file), above: change.added.map(Message.configurationLine))
        outside.say(
            dryRun
                ? Message("For these hosts, git would no longer use:")
                : Message("For these hosts, git no longer uses:"),
            above: change.switchedOff)
        outside.say(
            Message("git also runs these helpers afterwards, and they receive the token:"), above: change.stillAsked)
    }

    private func additionsTo(_ file: DisplayText) -> Message {
        dryRun ? Message("Would add to %1$s:", file) : Message("Added to %1$s:", file)
    }

    /// Makes git send the token with its first request; false if nobody is signed in, and git works as before.
    private func sendFirst(
        _ change: HelperLines.Change, _ outside: VerbDependencies, _ dependencies: Dependencies
    ) throws(UserFacingError) -> Bool {
        var signedIn: [HostName] = []
        for host in change.hosts where try dependencies.isSignedIn(to: host) { signedIn.append(host) }
        guard !signedIn.isEmpty else { return false }
        let entries = try rethrowing(as: words, try outside.files.entries())
        let off = signedIn.filter { !entries.sendTokenAtOnce(to: $0) }
        let sections = off.map { HelperSection.proactiveLines(for: $0.url) }
        if !off.isEmpty, !dryRun {
            try rethrowing(
                as: words, try outside.files.edit(.global) { text in .write(HelperSection.add(sections, to: text)) })
        }
        let hosts = signedIn.map(\.shown).joined(separator: ", ")
        outside.say(additionsTo(change.file), above: sections.joined().map(Message.configurationLine))
        if dryRun, !off.isEmpty {
            outside.say(
                Message(
                    "git would send your token with its first request to %1$s, also for public repositories.", hosts))
            return true
        }
        outside.say([
            Message("git sends your token with its first request to %1$s, also for public repositories.", hosts),
            Message("It stops when the last account signs out. To stop it now:"), .unconfigure(.global),
        ])
        return true
    }
}

extension UserFacingError {
    package static let nothingToConfigure = UserFacingError(
        .configuration, Message("gitspace has no client ID yet, so there is no host to set up"),
        [Message("to set up git and sign in:"), .command("git credential-gitspace setup")])

    package static func gitLacksProactive(_ git: DisplayText?) -> UserFacingError {
        UserFacingError(
            .configuration,
            git.map { Message("git %1$s is too old for --proactive, which needs 2.46; nothing was changed", $0) }
                ?? Message("git's version is unknown, and --proactive needs 2.46; nothing was changed"))
    }

    package static func proactiveNeedsSignIn(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .needsSignIn, Message("--proactive needs a signed-in account, and there is none"),
            [Message("sign in, then run the command again:"), .login(host)])
    }
}
