internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Messages
internal import Providers

/// The verb `switch`: which account git uses for a remote that names none, by git's own `credential.<url>.username`:
/// everywhere, in this repository, or in all repositories below a folder.
struct Switch: Verb {
    static let configuration = CommandConfiguration(
        "switch",
        Message("Set the default account."),
        Message("It applies to remotes whose URL has no username."),
        Message("Sets credential.<url>.username in your git configuration."),
        Message("github.com and gist.github.com are set together."),
        Message("Without a name, it lists the accounts and asks."),
        Message("A single argument is taken as the host if gitspace signs in to it, otherwise as the account."))

    @Argument(help: ArgumentHelp(Message("The host. Default: the host of this repository, or github.com.")))
    var host: String?

    @Argument(help: ArgumentHelp(Message("The account. Without it, you are asked.")))
    var name: String?

    @Flag(help: ArgumentHelp(Message("Set it for this repository only.")))
    var here = false

    @Option(
        help: ArgumentHelp(
            Message("Set it for all repositories below a folder, including future clones."), valueName: "dir"))
    var folder: String?

    @Flag(help: ArgumentHelp(Message("Remove the setting. git then uses the account that signed in first.")))
    var unset = false

    /// Where a choice counts.
    private enum Place {
        case everywhere
        case repository
        case folder(AccountFolder)
    }

    func validate() throws {
        guard !unset || name == nil else { throw ValidationError(Message("'--unset' takes no account.")) }
        guard !here || folder == nil else {
            throw ValidationError(Message("'--here' and '--folder' cannot be used together."))
        }
    }

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let (host, name) = try arguments(outside)
        let (request, dependencies) = try outside.request(host, for: "switch")
        let context = try Target(request, dependencies)
        let place = try place(outside)
        let found = try stored(context, dependencies)
        if unset { return try unset(place ?? .everywhere, context, found, outside) }
        guard let name else { return try ask(place, context, found, outside, dependencies) }
        return try choose(
            try account(name, of: found, context, dependencies), of: found, place ?? .everywhere, context, outside,
            dependencies)
    }

    /// Nil if the person has named none.
    private func place(_ outside: VerbDependencies) throws(UserFacingError) -> Place? {
        do throws(ConfigurationFileError) {
            if let folder { return .folder(try outside.files.accountFolder(folder, orGone: unset)) }
            guard here else { return nil }
            _ = try outside.files.path(of: .local)
            return .repository
        } catch {
            throw .configuration(error, verb: "switch")
        }
    }

    /// A single word is a host if we sign in there or something is stored for it, else an account.
    private func arguments(_ outside: VerbDependencies) throws(UserFacingError) -> (host: String, name: String?) {
        guard let host else { return (outside.defaultHost, nil) }
        if name != nil || unset { return (host, name) }
        guard let (request, dependencies) = try? outside.request(host, for: "switch"),
            (try? Target(request, dependencies)) != nil || HostName(request.host).flatMap(TokenHost.init(known:)) != nil
        else { return (outside.defaultHost, host) }
        return (host, nil)
    }

    // MARK: Without a name

    /// How often a wrong answer can be corrected.
    private static let mostAttempts = 5

    /// Shows the accounts and asks; the answer counts where the account is set now, unless the person has named a place.
    private func ask(
        _ place: Place?, _ context: Target, _ found: [StoredMatch], _ outside: VerbDependencies,
        _ dependencies: Dependencies
    ) throws(UserFacingError) -> ExitStatus {
        let host = context.shown
        let names = found.usernames
        guard !names.isEmpty else { throw dependencies.notSignedIn(to: host) }
        let lines = try lines(place ?? .everywhere, outside)
        let place = place ?? Self.place(lines, context.name, outside)
        let chosen = DefaultAccount(of: found, at: context.name, lines)
        outside.say(Message("Accounts for %1$s:", host))
        for (number, name) in zip(1..., names) {
            let isDefault = name == chosen?.username
            let row: DisplayText = "\(isDefault ? "*" : " ") \(number)  \(DisplayText(untrusted: name))"
            outside.say(isDefault ? Message("%1$s  (default)", row) : Message(verbatim: row))
        }
        if let chosen { outside.say(Self.explanation(chosen, isStored: names.contains(chosen.username))) }
        if chosen?.reason == .only { return .done }
        guard outside.questions.canAsk, try !isForbidden(dependencies) else {
            throw .noAccountNamed(
                host: host, names.filter { $0 != chosen?.username }.map { DisplayText(untrusted: $0) })
        }
        let current = chosen.map { DisplayText(untrusted: $0.username) }
        for attempt in 1... {
            let question =
                current.map { Message("Number or name (Enter keeps %1$s): ", $0) } ?? Message("Number or name: ")
            guard let line = outside.questions.ask(question) else { break }
            if line.isEmpty, chosen != nil { break }
            do throws(UserFacingError) {
                return try choose(
                    try account(line, of: found, context, dependencies, orNumber: true), of: found, place, context,
                    outside, dependencies)
            } catch {
                guard error.code == .accountNotStored, attempt < Self.mostAttempts else { throw error }
                dependencies.report(error)
            }
        }
        outside.say(Message("Nothing was changed."))
        return .cancelled
    }

    /// Where the line stands that names the account now, if it is one that this verb writes.
    private static func place(_ lines: [OriginatedEntry], _ host: HostName, _ outside: VerbDependencies) -> Place {
        guard let line = ConfiguredUsername(lines, for: host).line, keys(of: host).contains(line.entry.name) else {
            return .everywhere
        }
        if line.scope == "local" { return .repository }
        guard let path = AccountFolder.path(of: line, among: lines),
            let folder = try? outside.files.accountFolder(path), line.origin.hasSuffix("/" + folder.file)
        else { return .everywhere }
        return .folder(folder)
    }

    private func isForbidden(_ dependencies: Dependencies) throws(UserFacingError) -> Bool {
        do {
            return try ContextResolver(with: dependencies).prohibition != nil
        } catch {
            throw .configurationUnreadable(error)
        }
    }

    /// The stored account that a person means, in its own spelling.
    private func account(
        _ text: String, of found: [StoredMatch], _ context: Target, _ dependencies: Dependencies,
        orNumber: Bool = false
    ) throws(UserFacingError) -> [UInt8] {
        let host = context.shown
        let names = found.usernames
        if let name = names.first(where: { $0.elementsEqual(text.utf8) }) { return name }
        let alike = names.filter { ASCII.equalsIgnoringCase($0, text) }
        if let name = alike.first, alike.count == 1 { return name }
        if orNumber, let number = Int(text), names.indices.contains(number - 1) { return names[number - 1] }
        guard !names.isEmpty else { throw dependencies.notSignedIn(to: host) }
        throw .accountNotStored(
            DisplayText(untrusted: text.utf8), host: host, stored: names.map { DisplayText(untrusted: $0) },
            verb: "switch")
    }

    private static func explanation(_ account: DefaultAccount, isStored: Bool) -> [Message] {
        let name = DisplayText(untrusted: account.username)
        return switch account.reason {
        case .only: [Message("git uses %1$s: it is the only account.", name)]
        case .first: [Message("git uses %1$s unless the remote's URL names another: it was signed in first.", name)]
        case .configured(let line): [isStored ? explanation(name, line.reach) : absence(name), line.place]
        }
    }

    private static func absence(_ name: DisplayText) -> Message {
        Message("git asks for %1$s, which is not signed in. It is set here:", name)
    }

    private static func explanation(_ name: DisplayText, _ reach: ConfigurationLine.Reach) -> Message {
        switch reach {
        case .everywhere: Message("git uses %1$s unless the remote's URL names another. It is set here:", name)
        case .repository:
            Message("git uses %1$s in this repository, unless the remote's URL names another. It is set here:", name)
        case .folder(let path):
            Message(
                "git uses %1$s in repositories below %2$s, unless the remote's URL names another. It is set here:",
                name, path)
        }
    }

    // MARK: With one

    private func choose(
        _ name: [UInt8], of found: [StoredMatch], _ place: Place, _ context: Target, _ outside: VerbDependencies,
        _ dependencies: Dependencies
    ) throws(UserFacingError) -> ExitStatus {
        try checkOwner(of: name, found, context, dependencies)
        let shown = DisplayText(untrusted: name)
        let file = try set(String(decoding: name, as: UTF8.self), place, context, outside)
        let lines = try lines(place, outside)
        let configured = ConfiguredUsername(lines, for: context.name)
        if let line = configured.line, line.entry.value.map({ Array($0.utf8) }) != name {
            let own = ConfigurationLine(line, among: lines)
            outside.say(
                Message(
                    "git does not use %1$s here, because a later line of its configuration sets %2$s:", shown,
                    own.value))
            outside.say(own.place)
            if Self.keys(of: context.name).contains(line.entry.name), let option = own.option {
                outside.say(Message("To use %1$s here as well:", shown))
                outside.say(
                    .command("git credential-gitspace switch \(word: context.shown) \(word: shown) \(option)"))
            }
            return .failed
        }
        switch place {
        case .everywhere:
            outside.say(
                Message(
                    "git now uses %1$s for %2$s, unless the remote's URL names another account.", shown, context.shown))
        case .repository:
            outside.say(
                Message(
                    "git now uses %1$s for %2$s in this repository, unless the remote's URL names another account.",
                    shown, context.shown))
        case .folder(let folder):
            outside.say(
                Message(
                    "git now uses %1$s for %2$s in repositories below %3$s, unless the remote's URL names another account.",
                    shown, context.shown, DisplayText(trusted: folder.path)))
        }
        outside.say(Message("Saved in %1$s.", DisplayText(untrusted: file.utf8)))
        let exceptions = configured.exceptions.map { ConfigurationLine($0).placeAndValue }
        if !exceptions.isEmpty {
            outside.say([Message("These lines set the account for some of its URLs:")] + exceptions)
        }
        // In other repositories, they still have.
        guard case .everywhere = place else { return .done }
        let overridden = configured.overridden.map { ConfigurationLine($0).placeAndValue }
        if !overridden.isEmpty {
            outside.say(
                [Message("These lines no longer have any effect, because a later one overrides them:")] + overridden)
        }
        return .done
    }

    /// Returns the file that was written.
    private func set(
        _ name: String, _ place: Place, _ context: Target, _ outside: VerbDependencies
    ) throws(UserFacingError) -> String {
        let (files, keys) = (outside.files, Self.keys(of: context.name))
        do throws(ConfigurationFileError) {
            switch place {
            case .everywhere:
                for key in keys { try files.set(key, to: name, in: .global) }
                try files.keepFolders(behind: keys)
                return try files.path(of: .global)
            case .repository:
                for key in keys { try files.set(key, to: name, in: .local) }
                return try files.path(of: .local)
            case .folder(let folder): return try files.set(keys, to: name, below: folder)
            }
        } catch {
            throw .configuration(error, verb: "switch")
        }
    }

    /// Throws if git would use another account in this one's name.
    ///
    /// Whatever else the host says, or does not say, is left to git's next command.
    private func checkOwner(
        of name: [UInt8], _ found: [StoredMatch], _ context: Target, _ dependencies: Dependencies
    ) throws(UserFacingError) {
        guard let credential = found.first(where: { $0.credential.username == name })?.credential,
            credential.isAlive(at: dependencies.clock.now)
        else { return }
        guard let signIn = context.signIn,
            case .otherAccount(let owner) = signIn.standing(
                of: credential, at: try? signIn.server(with: dependencies), with: dependencies)
        else { return }
        throw .storedOfAnother(account: DisplayText(untrusted: name), owner: owner, host: context.shown)
    }

    // MARK: --unset

    private func unset(
        _ place: Place, _ context: Target, _ found: [StoredMatch], _ outside: VerbDependencies
    ) throws(UserFacingError) -> ExitStatus {
        let host = context.shown
        let wasSet = try unset(place, context, outside)
        let lines = try lines(place, outside)
        let line = ConfiguredUsername(lines, for: context.name).line.map { ConfigurationLine($0, among: lines) }
        let now = DefaultAccount(of: found, at: context.name, lines).map { DisplayText(untrusted: $0.username) }
        switch place {
        case .folder(let folder):
            let path = DisplayText(trusted: folder.path)
            outside.say(
                wasSet
                    ? Message("Removed the account for %1$s in repositories below %2$s.", host, path)
                    : Message("No account was set for %1$s in repositories below %2$s.", host, path))
            return .done
        case .repository where line?.reach != .repository:
            outside.say(
                wasSet
                    ? Message("Removed the account for %1$s in this repository.", host)
                    : Message("No account was set for %1$s in this repository.", host))
            if let now { outside.say(Message("git uses %1$s here.", now)) }
            return .done
        case .repository, .everywhere: break
        }
        if let line {
            outside.say(Message("Another line of git's configuration still sets the account %1$s:", line.value))
            outside.say(line.place)
            return .failed
        }
        switch (wasSet, now) {
        case (false, let now?): outside.say(Message("No default was set for %1$s. git uses %2$s.", host, now))
        case (false, nil): outside.say(Message("No default was set for %1$s.", host))
        case (true, let now?): outside.say(Message("Default for %1$s is %2$s again (first signed in).", host, now))
        case (true, nil): outside.say(Message("Removed the default for %1$s.", host))
        }
        return .done
    }

    /// Returns whether anything was set.
    private func unset(
        _ place: Place, _ context: Target, _ outside: VerbDependencies
    ) throws(UserFacingError) -> Bool {
        let (files, keys) = (outside.files, Self.keys(of: context.name))
        do throws(ConfigurationFileError) {
            if case .folder(let folder) = place { return try files.unset(keys, below: folder) }
            var scope = ConfigurationScope.global
            if case .repository = place { scope = .local }
            let before = try files.entries(of: scope)
            for key in keys { try files.unset(key, in: scope) }
            return before.contains { keys.contains($0.name) }
        } catch {
            throw .configuration(error, verb: "switch")
        }
    }

    /// A gist is pushed with the account of github.com.
    private static func keys(of host: HostName) -> [String] {
        let name = String(decoding: host.text, as: UTF8.self)
        let hosts = name == "github.com" ? [name, "gist.github.com"] : [name]
        return hosts.map { "credential.https://\($0).username" }
    }

    private func stored(
        _ context: Target, _ dependencies: Dependencies
    ) throws(UserFacingError) -> [StoredMatch] {
        do {
            return try Lookup(with: dependencies).all(context.everything)
        } catch {
            throw .keyring(error)
        }
    }

    /// git's configuration as it counts in a place: in the current folder, or in a repository below a folder.
    private func lines(_ place: Place, _ outside: VerbDependencies) throws(UserFacingError) -> [OriginatedEntry] {
        do throws(ConfigurationFileError) {
            let lines = try outside.files.entries()
            guard case .folder(let folder) = place else { return lines }
            return try lines.filter { $0.isTrusted && AccountFolder.path(of: $0, among: lines) == nil }
                + outside.files.entries(of: folder).map {
                    OriginatedEntry(scope: "global", origin: "/" + folder.file, entry: $0)
                }
        } catch {
            throw .configuration(error, verb: "switch")
        }
    }
}

extension ConfigurationLine {
    /// The option that chooses where it counts; nil for everywhere.
    fileprivate var option: DisplayText? {
        switch reach {
        case .everywhere: nil
        case .repository: "--here"
        case .folder(let path): "--folder \(word: path)"
        }
    }
}

/// A host where we sign in, or one for which a person brings a token.
private struct Target {
    let name: HostName
    let shown: DisplayText
    /// Every account there.
    let everything: ItemQuery
    let signIn: SignInContext?

    init(_ request: Request, _ dependencies: Dependencies) throws(UserFacingError) {
        let resolver = ContextResolver(with: dependencies)
        let context: CredentialContext
        do {
            context = try resolver.credentialContext(of: request)
        } catch {
            throw UserFacingError(error)
        }
        do {
            signIn = try resolver.signInContext(of: context)
        } catch {
            throw .configurationUnreadable(error)
        }
        name = signIn?.host.name ?? context.host
        shown = signIn?.host.displayName ?? DisplayText(untrusted: context.host.text)
        everything = (signIn.map { CredentialContext($0.host, path: nil) } ?? context).everything(user: nil)
        guard signIn == nil, !dependencies.hasItems(everything) else { return }
        throw resolver.withoutSignIn(context)
    }
}
