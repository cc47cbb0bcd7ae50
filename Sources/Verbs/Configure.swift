internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Messages

/// The verb `configure`: has git ask this program, and no other, for the hosts where it signs in.
struct Configure: Verb {
    static let configuration = CommandConfiguration(
        "configure", Message("Set up git to use gitspace."),
        Message("This covers github.com, gist.github.com, and your own hosts that have a provider configured."),
        Message("To sign in as well, run \"%1$s\" instead.", Verbatim("git credential-gitspace setup")))

    @Flag(help: ArgumentHelp(Message("Set it up for all users of this machine.")))
    var system = false

    @Flag(
        help: ArgumentHelp(
            Message(
                "Write the name \"gitspace\" instead of the program's path, for a configuration that you share between machines."
            )))
    var byName = false

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
        let dependencies = outside.dependencies(nil)
        let scope: ConfigurationScope = system ? .system : .global
        let change: HelperLines.Change
        do {
            let lines = HelperLines(scope: scope, isByName: byName, files: outside.files, dependencies: dependencies)
            change = dryRun ? try lines.preview() : try lines.write()
        } catch {
            throw .configuration(error, verb: system ? "configure --system" : "configure")
        }
        let proactiveLines = proactive ? try turnOnProactive(change, outside, dependencies) : []
        say(change, outside)
        outside.say(proactiveLines ?? [])
        if !change.isEmpty, !dryRun { outside.say([Message("To undo this:"), .unconfigure(scope)]) }
        if change.lacksClientID {
            outside.say(
                Message(
                    "Before you can sign in, you need an OAuth client ID or a personal access token. To continue:"))
            outside.say(.command("git credential-gitspace setup"))
        } else if !change.added.isEmpty, !dryRun, !system {
            outside.say([Message("To sign in now:"), .command("git credential-gitspace setup")])
        }
        guard proactiveLines != nil else {
            throw .proactiveNeedsSignIn(
                host: change.hosts.first.map { DisplayText(untrusted: $0.name.text) } ?? "github.com")
        }
        return .done
    }

    private func say(_ change: HelperLines.Change, _ outside: VerbDependencies) {
        if change.isEmpty {
            outside.say(Message("Nothing to do: git already uses gitspace for %1$s.", change.hostNames))
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

    /// Has git send the token with its first request, where it can and somebody is signed in.
    ///
    /// - Returns: what there is to say; nil if nobody is signed in, and git works as before.
    private func turnOnProactive(
        _ change: HelperLines.Change, _ outside: VerbDependencies, _ dependencies: Dependencies
    ) throws(UserFacingError) -> [Message]? {
        let proactive = ProactiveAuthentication(outside.files, with: dependencies)
        guard let git = proactive.git else {
            return [Message("--proactive needs git 2.46 or newer. Nothing was set.")]
        }
        guard git.knowsProactiveAuthentication else {
            return [
                Message("--proactive needs git 2.46 or newer, and this is git %1$s. Nothing was set.", git.shown)
            ]
        }
        let signedIn = try proactive.signedIn(among: change.hosts)
        guard !signedIn.isEmpty else { return nil }
        do {
            let added = try proactive.turnOn(for: signedIn, isDryRun: dryRun)
            let hosts = signedIn.map { DisplayText(untrusted: $0.name.text) }.joined(separator: ", ")
            return additions(added, to: change.file) + [
                Message("git sends your token with its first request to %1$s, also for public repositories.", hosts),
                Message("It stops when the last account signs out. To stop it now:"), .unconfigure(.global),
            ]
        } catch {
            throw .configuration(error, verb: "configure --proactive")
        }
    }
}

extension Message {
    /// A line of a file, below the file's name, with its tab.
    static func configurationLine(_ line: String) -> Message {
        let text = DisplayText(trusted: String(line.drop { $0 == "\t" }))
        return Message(verbatim: line.hasPrefix("\t") ? "  \t\(text)" : "  \(text)")
    }
}
