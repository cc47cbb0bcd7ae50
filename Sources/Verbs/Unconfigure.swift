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
        do throws(ConfigurationFileError) {
            try Unconfiguring(
                scope: system ? .system : .global, isDryRun: dryRun, outside: outside,
                dependencies: outside.dependencies(nil)
            ).run()
            return .done
        } catch {
            throw .configuration(error, verb: system ? "unconfigure --system" : "unconfigure")
        }
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
        let otherFile = try otherFile()
        say(
            Message("git still uses gitspace because of lines you wrote by hand. To remove them as well:"),
            try byHand(besides: otherFile))
        if let otherFile {
            outside.say(
                Message(
                    "git still uses gitspace because of what configure has added to %1$s. To remove it as well:",
                    DisplayText(trusted: otherFile)))
            outside.say(.unconfigure(otherScope))
        }
        let hosts = try hosts(of: removal)
        say(
            Message("The default account stays in git's configuration. To remove it as well:"),
            try usernames(hosts))
        say(
            Message("The OAuth client ID stays in git's configuration. To remove it as well:"),
            try removals(of: SettingKey.oauthClientId.rawValue) { $0.isInPersonsFile })
        say(
            Message("These settings for signing in stay in git's configuration. To remove them as well:"),
            try settings(hosts))
        say(
            Message("These settings for shares stay in git's configuration. To remove them as well:"),
            try shares())
        let signedIn = try rethrowing(as: ConfigurationFileError.unread, try dependencies.hostsWithItems(hosts))
        say(
            Message("Your tokens stay in the keyring. To remove them as well:"),
            signedIn.map { .command("git credential-gitspace logout \(word: $0) --all") })
    }

    private func say(_ heading: Message, _ lines: [Message]) { if !lines.isEmpty { outside.say([heading] + lines) } }

    private var otherScope: ConfigurationScope { scope == .system ? .global : .system }

    /// The file of the other scope, if `configure` has added lines to it and git reads it here.
    private func otherFile() throws(ConfigurationFileError) -> String? {
        let path = try files.path(of: otherScope)
        guard !marked.isEmpty, try files.entries().contains(where: { $0.origin == path }) else { return nil }
        return path
    }

    /// The addresses for which `configure` has added lines to the other file, or none if it cannot be read.
    private var marked: [String] {
        guard let text = try? files.contents(of: otherScope) else { return [] }
        return HelperSection.urls(in: text)
    }

    private func byHand(besides otherFile: String?) throws(ConfigurationFileError) -> [Message] {
        let marked = marked
        return try removals(of: "helper") { line in
            guard line.scope != "command", line.entry.value.map(HelperCommand.isOurs) == true else { return false }
            return line.origin != otherFile || line.entry.subsection.map(marked.contains) != true
        }
    }

    /// The hosts where this program signs in, and those whose lines were removed.
    private func hosts(of removal: HelperSection.Removal) throws(ConfigurationFileError) -> [HostName] {
        let known = try rethrowing(
            as: ConfigurationFileError.unread, try ContextResolver(with: dependencies).knownHosts)
        let removed = removal.urls.compactMap(HTTPSAddress.init(parsing:))
        return (known + removed.map { HostName(name: $0.host, port: $0.port) }).unique
    }

    /// The commands that remove the accounts of `switch`, which apply to any helper.
    private func usernames(_ hosts: [HostName]) throws(ConfigurationFileError) -> [Message] {
        let urls = hosts.map { $0.url + "/" }
        return try removals(of: "username") { line in
            isPersons(line, for: hosts)
                || line.isInPersonsFile && urls.contains { line.entry.subsection?.hasPrefix($0) == true }
        }
    }

    private func isPersons(_ line: OriginatedEntry, for hosts: [HostName]) -> Bool {
        line.isInPersonsFile && hosts.contains { $0.url == line.entry.subsection }
    }

    private func shares() throws(ConfigurationFileError) -> [Message] {
        try files.entries().filter { $0.entry.section == "gitspace-share" && $0.isInPersonsFile }.compactMap { line in
            line.entry.subsection.map { name in
                let section: DisplayText = "\(word: "gitspace-share.\(name)")"
                return Message.command("git config --file \(word: line.origin) --remove-section \(section)")
            }
        }.unique
    }

    /// The commands for these hosts' sign-in settings, and for all that no other program reads.
    private func settings(_ hosts: [HostName]) throws(ConfigurationFileError) -> [Message] {
        var lines: [Message] = []
        for key in SettingKey.allCases where key != .oauthClientId {
            // Other programs do not read these keys, wherever they are set.
            let isOurs = key.rawValue.hasPrefix("gitspace") || key.rawValue.hasPrefix("githubApp")
            lines += try removals(of: key.rawValue) { isPersons($0, for: hosts) || isOurs && $0.isInPersonsFile }
        }
        return lines
    }

    private func removals(
        of key: String, where isMeant: (OriginatedEntry) -> Bool
    ) throws(ConfigurationFileError) -> [Message] {
        let lines = try files.entries().filter { $0.entry.section == "credential" && $0.entry.key == key.lowercased() }
        return lines.filter(isMeant).compactMap { line in
            let name = ["credential", line.entry.subsection, key].compactMap(\.self).joined(separator: ".")
            return line.entry.value.map { value in
                // The value of a secret is not shown.
                key == SettingKey.oauthClientSecret.rawValue
                    ? .command("git config --file \(word: line.origin) --unset-all \(word: name)")
                    : .command(
                        "git config --file \(word: line.origin) --fixed-value --unset-all \(word: name) \(word: value)")
            }
        }
    }
}

extension Message {
    static func unconfigure(_ scope: ConfigurationScope) -> Message {
        .command(
            scope == .system ? "git credential-gitspace unconfigure --system" : "git credential-gitspace unconfigure")
    }
}
