internal import ArgumentParser
internal import CredentialCore
internal import Helper

/// The verb `unconfigure`: removes the lines that `configure` has added, and nothing else.
struct Unconfigure: Verb {
    static let configuration = CommandConfiguration(
        "unconfigure", Message("Undo what configure has set up."),
        examples: ["unconfigure", "unconfigure --dry-run"])

    @Flag(help: ArgumentHelp(Message("Undo what was set up for all users of this machine.")))
    var system = false

    @Flag(help: ArgumentHelp(Message("Only show what would be removed.")))
    var dryRun = false

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let work = Unconfiguring(
            scope: system ? .system : .global, isDryRun: dryRun, outside: outside,
            dependencies: outside.dependencies(nil))
        let verb: DisplayText = system ? "unconfigure --system" : "unconfigure"
        try rethrowing(as: { UserFacingError.configuration($0, verb: verb) }, try work.run())
        return .done
    }
}

private struct Unconfiguring {
    let scope: ConfigurationScope
    let isDryRun: Bool
    let outside: VerbDependencies
    let dependencies: Dependencies

    var files: any ConfigurationFiles { outside.files }

    func run() throws(ConfigurationFileError) {
        let folders = scope == .global ? try files.clearFolders(isDryRun: isDryRun) : (said: [], kept: [])
        let removal: HelperSection.Removal
        do {
            removal = try files.removeSections(from: scope, isDryRun: isDryRun) { kind, url in
                kind != .folder || !folders.kept.contains { $0.utf8.elementsEqual(url.utf8) }
            }
        } catch {
            // Removed lines are reported even if the rest fails.
            outside.say(folders.said)
            throw error
        }
        let file = DisplayText(trusted: try files.path(of: scope))
        if removal.lines.isEmpty, folders.said.isEmpty {
            outside.say(Message("Nothing to do: configure has not added anything to %1$s.", file))
        } else if !removal.lines.isEmpty {
            outside.say(isDryRun ? Message("Would remove from %1$s:", file) : Message("Removed from %1$s:", file))
            outside.say(removal.lines.map { .configurationLine($0.hasPrefix("[") ? $0 : "\t\($0)") })
        }
        outside.say(folders.said)
        if !isDryRun { try sayWhatStays(after: removal) }
    }

    // MARK: Lines that stay

    private func sayWhatStays(after removal: HelperSection.Removal) throws(ConfigurationFileError) {
        let otherScope: ConfigurationScope = scope == .system ? .global : .system
        let otherPath = try files.path(of: otherScope)
        // The addresses for which `configure` has added lines to the other file, or none if it cannot be read.
        let marked = HelperSection.urls(in: (try? files.contents(of: otherScope)) ?? [])
        let lines = try files.entries()
        let otherFile = !marked.isEmpty && lines.contains { $0.origin == otherPath } ? otherPath : nil
        let byHand = removals(of: "helper", from: lines) { line in
            guard line.entry.value.map(HelperCommand.isOurs) == true else { return false }
            return line.origin != otherFile || line.entry.subsection.map(marked.contains) != true
        }
        outside.say(
            Message("git still uses gitspace because of lines you wrote by hand. To remove them as well:"),
            above: byHand)
        if let otherFile {
            outside.say([
                Message(
                    "git still uses gitspace because of what configure has added to %1$s. To remove it as well:",
                    DisplayText(trusted: otherFile)), .unconfigure(otherScope),
            ])
        }
        // The hosts where this program signs in, and those whose lines were removed.
        let known = try rethrowing(
            as: ConfigurationFileError.unread, try ContextResolver(with: dependencies).knownHosts)
        let removed = removal.urls.compactMap(HTTPSAddress.init(parsing:))
        let hosts = (known + removed.map { HostName(name: $0.host, port: $0.port) }).unique
        let isOfHosts = { (line: OriginatedEntry) in
            line.isInPersonsFile && hosts.contains { $0.url == line.entry.subsection }
        }
        // The accounts of `switch`, also for one owner's repositories, apply to any helper.
        let usernames = removals(of: "username", from: lines) { line in
            isOfHosts(line)
                || line.isInPersonsFile && hosts.contains { line.entry.subsection?.hasPrefix($0.url + "/") == true }
        }
        outside.say(
            Message("The default account stays in git's configuration. To remove it as well:"), above: usernames)
        outside.say(
            Message("The OAuth client ID stays in git's configuration. To remove it as well:"),
            above: removals(of: SettingKey.oauthClientId.rawValue, from: lines, where: \.isInPersonsFile))
        let settings = SettingKey.allCases.filter { $0 != .oauthClientId }.flatMap { key in
            // Other programs do not read these keys, wherever they are set.
            let isOurs = key.rawValue.hasPrefix("gitspace") || key.rawValue.hasPrefix("githubApp")
            return removals(of: key.rawValue, from: lines) { isOurs ? $0.isInPersonsFile : isOfHosts($0) }
        }
        outside.say(
            Message("These settings for signing in stay in git's configuration. To remove them as well:"),
            above: settings)
        let shares = lines.filter { $0.entry.section == "gitspace-share" && $0.isInPersonsFile }.compactMap { line in
            line.entry.subsection.map { name in
                let section: DisplayText = "\(word: "gitspace-share.\(name)")"
                return Message.command("git config --file \(word: line.origin) --remove-section \(section)")
            }
        }
        outside.say(
            Message("These settings for shares stay in git's configuration. To remove them as well:"),
            above: shares.unique)
        let signedIn = try rethrowing(as: ConfigurationFileError.unread, try dependencies.hostsWithItems(hosts))
        outside.say(
            Message("Your tokens are still stored. To remove them as well:"),
            above: signedIn.map { .command("git credential-gitspace logout \(word: $0) --all") })
    }

    private func removals(
        of key: String, from lines: [OriginatedEntry], where isMeant: (OriginatedEntry) -> Bool
    ) -> [Message] {
        lines.filter { $0.entry.section == "credential" && $0.entry.key == key.lowercased() && isMeant($0) }
            .compactMap { line in
                let name = ["credential", line.entry.subsection, key].compactMap(\.self).joined(separator: ".")
                guard let value = line.entry.value, let file = line.fileOption else { return nil }
                // The value of a secret is not shown.
                return key == SettingKey.oauthClientSecret.rawValue
                    ? .command("git config \(file) --unset-all \(word: name)")
                    : .command("git config \(file) --fixed-value --unset-all \(word: name) \(word: value)")
            }
    }
}

extension Message {
    static func unconfigure(_ scope: ConfigurationScope) -> Message {
        .command(
            scope == .system ? "git credential-gitspace unconfigure --system" : "git credential-gitspace unconfigure")
    }
}
