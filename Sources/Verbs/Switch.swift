internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Messages
internal import Providers

/// The verb `switch`: which account git uses for a remote that names none, by git's own `credential.<url>.username`.
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

    @Flag(help: ArgumentHelp(Message("Remove the setting. git then uses the account that signed in first.")))
    var unset = false

    func validate() throws {
        guard !unset || name == nil else { throw ValidationError(Message("'--unset' takes no account.")) }
    }

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let (host, name) = try arguments(outside)
        let (request, dependencies) = try outside.request(host, for: "switch")
        let context = try Target(request, dependencies)
        let found = try stored(context, dependencies)
        if unset { return try unset(context, found, outside) }
        guard let name else { return try ask(context, found, outside, dependencies) }
        return try choose(
            try account(name, of: found, context, dependencies), of: found, context, outside, dependencies)
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

    /// Shows the accounts and asks.
    private func ask(
        _ context: Target, _ found: [StoredMatch], _ outside: VerbDependencies, _ dependencies: Dependencies
    ) throws(UserFacingError) -> ExitStatus {
        let host = context.shown
        let names = found.usernames
        guard !names.isEmpty else { throw dependencies.notSignedIn(to: host) }
        let chosen = DefaultAccount(of: found, configured: try configured(context.name, outside))
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
                    try account(line, of: found, context, dependencies, orNumber: true), of: found, context, outside,
                    dependencies)
            } catch {
                guard error.code == .accountNotStored, attempt < Self.mostAttempts else { throw error }
                dependencies.report(error)
            }
        }
        outside.say(Message("Nothing was changed."))
        return .cancelled
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
        case .configured(let line):
            [
                isStored
                    ? Message("git uses %1$s unless the remote's URL names another. It is set here:", name)
                    : Message("git asks for %1$s, which is not signed in. It is set here:", name),
                line.place,
            ]
        }
    }

    // MARK: With one

    private func choose(
        _ name: [UInt8], of found: [StoredMatch], _ context: Target, _ outside: VerbDependencies,
        _ dependencies: Dependencies
    ) throws(UserFacingError) -> ExitStatus {
        try checkOwner(of: name, found, context, dependencies)
        let shown = DisplayText(untrusted: name)
        let file: String
        do throws(ConfigurationFileError) {
            for key in Self.keys(of: context.name) {
                try outside.files.set(key, to: String(decoding: name, as: UTF8.self))
            }
            file = try outside.files.path(of: .global)
        } catch {
            throw .configuration(error, verb: "switch")
        }
        let configured = try configured(context.name, outside)
        if let line = configured.line, line.entry.value.map({ Array($0.utf8) }) != name {
            let line = ConfigurationLine(line)
            outside.say(
                Message(
                    "git does not use %1$s, because a later line of its configuration sets %2$s:", shown, line.value))
            outside.say(line.place)
            return .failed
        }
        outside.say(
            Message(
                "git now uses %1$s for %2$s, unless the remote's URL names another account.", shown,
                context.shown))
        outside.say(Message("Saved in %1$s.", DisplayText(untrusted: file.utf8)))
        let exceptions = configured.exceptions.map { ConfigurationLine($0).placeAndValue }
        if !exceptions.isEmpty {
            outside.say([Message("These lines set the account for some of its URLs:")] + exceptions)
        }
        let overridden = configured.overridden.map { ConfigurationLine($0).placeAndValue }
        if !overridden.isEmpty {
            outside.say(
                [Message("These lines no longer have any effect, because a later one overrides them:")] + overridden)
        }
        return .done
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
        _ context: Target, _ found: [StoredMatch], _ outside: VerbDependencies
    ) throws(UserFacingError) -> ExitStatus {
        let host = context.shown
        let before = try self.configured(context.name, outside)
        do throws(ConfigurationFileError) {
            for key in Self.keys(of: context.name) { try outside.files.unset(key) }
        } catch {
            throw .configuration(error, verb: "switch")
        }
        let configured = try configured(context.name, outside)
        if let line = configured.line.map({ ConfigurationLine($0) }) {
            outside.say(Message("Another line of git's configuration still sets the account %1$s:", line.value))
            outside.say(line.place)
            return .failed
        }
        let now = DefaultAccount(of: found, configured: configured).map { DisplayText(untrusted: $0.username) }
        switch (before.line == nil, now) {
        case (true, let now?): outside.say(Message("No default was set for %1$s. git uses %2$s.", host, now))
        case (true, nil): outside.say(Message("No default was set for %1$s.", host))
        case (false, let now?): outside.say(Message("Default for %1$s is %2$s again (first signed in).", host, now))
        case (false, nil): outside.say(Message("Removed the default for %1$s.", host))
        }
        return .done
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

    private func configured(
        _ host: HostName, _ outside: VerbDependencies
    ) throws(UserFacingError) -> ConfiguredUsername {
        do {
            return ConfiguredUsername(try outside.files.entries(), for: host)
        } catch {
            throw .configuration(error, verb: "switch")
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
