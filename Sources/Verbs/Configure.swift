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
        let only = try host.map { host throws(UserFacingError) in
            HostName(try outside.request(host, for: "configure").0.host)
        }
        let dependencies = outside.dependencies(nil)
        let proactiveAuthentication = ProactiveAuthentication(files: outside.files, dependencies: dependencies)
        if proactive { try proactiveAuthentication.checkGit() }
        let scope: ConfigurationScope = system ? .system : .global
        let change: HelperLines.Change
        do {
            let lines = HelperLines(scope: scope, host: only ?? nil, files: outside.files, dependencies: dependencies)
            change = dryRun ? try lines.preview() : try lines.write()
        } catch {
            throw .configuration(error, verb: command)
        }
        guard !change.hosts.isEmpty || !change.isEmpty else { throw .nothingToConfigure }
        // Printed first, in case the rest fails.
        say(change, outside)
        let proactiveLines = proactive ? try turnOn(proactiveAuthentication, change) : []
        outside.say(proactiveLines ?? [])
        if !change.isEmpty, !dryRun { outside.say([Message("To undo this:"), .unconfigure(scope)]) }
        if !change.added.isEmpty, !dryRun, !system, (try? dependencies.hostsWithItems(change.hosts)) == [] {
            let argument: DisplayText = host.map { " \(word: $0)" } ?? ""
            outside.say([Message("To sign in:"), .command("git credential-gitspace setup\(argument)")])
        }
        guard proactiveLines != nil else {
            throw .proactiveNeedsSignIn(host: change.hosts.first?.shown ?? "github.com")
        }
        return .done
    }

    /// The command as it was typed, without `--dry-run`.
    private var command: DisplayText {
        let argument: DisplayText = host.map { " \(word: $0)" } ?? ""
        return "configure\(argument)\(system ? " --system" : "")\(proactive ? " --proactive" : "")"
    }

    private func say(_ change: HelperLines.Change, _ outside: VerbDependencies) {
        if change.isEmpty {
            outside.say(
                proactive
                    ? Message("git already uses gitspace for %1$s.", change.hostNames)
                    : Message("Nothing to do: git already uses gitspace for %1$s.", change.hostNames))
        }
        if !change.changed.isEmpty {
            outside.say(
                dryRun ? Message("Would change in %1$s:", change.file) : Message("Changed in %1$s:", change.file))
            outside.say(change.changed.map { .configurationLine($0) })
        }
        outside.say(additions(change.added, to: change.file))
        if !change.switchedOff.isEmpty {
            outside.say(
                dryRun
                    ? Message("For these hosts, git would no longer use:")
                    : Message("For these hosts, git no longer uses:"))
            outside.say(change.switchedOff)
        }
        if !change.stillAsked.isEmpty {
            outside.say(Message("git also runs these helpers afterwards, and they receive the token:"))
            outside.say(change.stillAsked)
        }
    }

    private func additions(_ lines: [String], to file: DisplayText) -> [Message] {
        guard !lines.isEmpty else { return [] }
        let heading = dryRun ? Message("Would add to %1$s:", file) : Message("Added to %1$s:", file)
        return [heading] + lines.map { .configurationLine($0) }
    }

    /// - Returns: the lines to print, or `nil` if nobody is signed in, and git works as before.
    private func turnOn(
        _ proactive: ProactiveAuthentication, _ change: HelperLines.Change
    ) throws(UserFacingError) -> [Message]? {
        let signedIn = try proactive.signedIn(among: change.hosts)
        guard !signedIn.isEmpty else { return nil }
        do {
            let added = try proactive.turnOn(for: signedIn, isDryRun: dryRun)
            let hosts = signedIn.map(\.shown).joined(separator: ", ")
            let additions = additions(added, to: change.file)
            guard !dryRun || added.isEmpty else {
                let text = Message(
                    "git would send your token with its first request to %1$s, also for public repositories.", hosts)
                return additions + [text]
            }
            return additions + [
                Message("git sends your token with its first request to %1$s, also for public repositories.", hosts),
                Message("It stops when the last account signs out. To stop it now:"), .unconfigure(.global),
            ]
        } catch {
            throw .configuration(error, verb: command)
        }
    }
}

extension UserFacingError {
    package static let nothingToConfigure = UserFacingError(
        .configuration, Message("gitspace has no client ID yet, so there is no host to set up"),
        [Message("to set up git and sign in:"), .command("git credential-gitspace setup")])

    package static func proactiveNeedsSignIn(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .needsSignIn, Message("--proactive needs a signed-in account, and there is none"),
            [Message("sign in, then run the command again:"), .login(host)])
    }
}
