internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Providers

/// The verb `switch`: sets git's account for a remote without one, by git's own `credential.<url>.username`.
///
/// The account counts everywhere, in this repository, or in all repositories below a folder.
struct Switch: Verb {
    static let configuration = CommandConfiguration(
        "switch",
        Message("Set the default account."),
        Message("It applies to remotes whose URL has no username."),
        Message("Sets credential.<url>.username in your git configuration."),
        Message("github.com and gist.github.com are set together."),
        Message("Without a name, it lists the accounts and asks."),
        Message("A single argument is taken as the host if gitspace signs in to it, otherwise as the account."),
        examples: ["switch alice", "switch work --folder ~/work", "switch work --owner acme/team"])

    @OptionGroup var typed: AccountArguments

    @Flag(help: ArgumentHelp(Message("Set it for this repository only.")))
    var here = false

    @Option(
        help: ArgumentHelp(
            Message("Set it for all repositories below a folder, including future clones."), valueName: "dir"))
    var folder: String?

    @Option(
        help: ArgumentHelp(Message("Set it for the repositories of one owner or group only."), valueName: "owner"))
    var owner: String?

    @Flag(help: ArgumentHelp(Message("Remove the setting. git then uses the account that signed in first.")))
    var unset = false

    func validate() throws {
        guard !unset || typed.account == nil else { throw ValidationError(Message("'--unset' takes no account")) }
        guard !here || folder == nil else {
            throw ValidationError(Message("'--here' and '--folder' cannot be used together."))
        }
        let parts = owner?.split(separator: "/", omittingEmptySubsequences: false) ?? []
        guard parts.allSatisfy({ !$0.isEmpty && ASCII.isPlain($0.utf8, with: "-_.~+") }) else {
            throw ValidationError(Message("'--owner' takes a name as it is in the repository's URL."))
        }
    }

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let scope = try rethrowing(as: Self.words, try scope(outside.files))
        let options: DisplayText = "\((scope ?? .everywhere).options(owner))\(unset ? " --unset" : "")"
        let (request, dependencies) = try outside.request(typed, isStored: true, for: "switch\(options)")
        guard !unset || request.username == nil else {
            let host = DisplayText(untrusted: request.host)
            throw UserFacingError(
                .malformedArgument, Message("'--unset' takes no account"),
                Message("to have git use the account that signed in first:"),
                .command("git credential-gitspace switch \(word: host)\(options)"))
        }
        let (context, signIn) = try dependencies.contexts(of: request, orAny: unset)
        var found: [StoredMatch] = []
        do throws(KeyringError) {
            found = try Lookup(with: dependencies).all(context.everything(user: nil))
        } catch {
            // A line can be removed without the keyring, which only names the account that git uses then.
            guard unset, error != .interrupted else { throw .keyring(error) }
        }
        let change = AccountChange(
            context: context, signIn: signIn, owner: owner, found: found, outside: outside, dependencies: dependencies)
        if unset { return try change.unset(scope ?? .everywhere) }
        guard let name = request.username else { return try change.ask(scope) }
        return try change.choose(String(decoding: name, as: UTF8.self), scope ?? .everywhere)
    }

    /// `nil` if the person has named no place.
    private func scope(_ files: any ConfigurationFiles) throws(ConfigurationFileError) -> AccountScope? {
        if let folder { return .folder(try files.accountFolder(folder, orGone: unset)) }
        guard here else { return nil }
        _ = try files.path(of: .local)
        return .repository
    }

    static func words(_ error: ConfigurationFileError) -> UserFacingError { .configuration(error, verb: "switch") }
}

/// A change of the account that git uses for a host, or for the repositories of one owner there.
struct AccountChange {
    let context: CredentialContext
    let signIn: SignInContext?
    let owner: String?
    let found: [StoredMatch]
    let outside: VerbDependencies
    let dependencies: Dependencies

    var shown: DisplayText { context.host.shown }
    var names: [[UInt8]] { context.usernames(of: found) }

    // MARK: With an account

    /// Sets the stored account that a person means, by its name, or by its number in the list.
    func choose(_ text: String, _ scope: AccountScope, orNumber: Bool = false) throws(UserFacingError) -> ExitStatus {
        guard let name = context.name(text, among: names, orNumber: orNumber) else {
            guard !names.isEmpty else { throw dependencies.notSignedIn(to: shown) }
            throw .accountNotStored(
                context.shown(Array(text.utf8)), host: shown, stored: names.map { DisplayText(account: $0) },
                verb: "switch", options: scope.options(owner))
        }
        guard !TokenShape.fits(name) else { throw .tokenAsName(host: shown) }
        try checkOwner(of: name)
        let account = DisplayText(account: name)
        let own = String(decoding: name, as: UTF8.self)
        let (file, lines) = try rethrowing(
            as: { notSet($0, account, scope) }, (try set(own, scope), try outside.files.entries(scope)))
        let configured = ConfiguredUsername(lines, for: context.host, owner: owner)
        if let line = configured.line, !context.isSameAccount(Array((line.entry.value ?? "").utf8), name) {
            outside.say([
                Message(
                    "git does not use %1$s here, because a later line of its configuration sets %2$s:", account,
                    line.shownValue), line.place,
            ])
            let place = AccountScope(at: context.host, owner, among: lines, in: outside.files)
            if place != .everywhere, place != scope {
                outside.say([Message("To use %1$s here as well:", account), command(account, place)])
            }
            return .failed
        }
        outside.say([
            Message(
                "git now uses %1$s for %2$s, unless the remote's URL names another account.", account,
                scope.within(target)), Message("Saved in %1$s.", DisplayText(untrusted: file.utf8)),
        ])
        if let owner { sayPathOfLFS(owner, lines) }
        outside.say(
            Message("These lines set the account for some of its URLs:"),
            above: configured.exceptions.map(\.placeAndValue))
        // Overridden lines still apply in other repositories, so they are listed only for a global change.
        guard scope == .everywhere else { return .done }
        outside.say(
            Message("These lines no longer have any effect, because a later one overrides them:"),
            above: configured.overridden.map(\.placeAndValue))
        return .done
    }

    private func command(_ account: DisplayText, _ scope: AccountScope) -> Message {
        .command("git credential-gitspace switch \(word: shown) \(word: account)\(scope.options(owner))")
    }

    private var target: any MessageArgument {
        owner.map { Message("the repositories of %1$s on %2$s", DisplayText(trusted: $0), shown) } ?? shown
    }

    /// git finds the line of an owner by itself; Git LFS asks for the whole host, unless `useHttpPath` is set.
    private func sayPathOfLFS(_ owner: String, _ lines: [OriginatedEntry]) {
        let configuration = Configuration(lines.map(\.entry), for: context.host, path: Array(owner.utf8))
        guard lines.contains(where: { $0.entry.section == "filter" && $0.entry.subsection == "lfs" }),
            configuration.value("credential", "useHttpPath").map({ !Interactivity.isFalse($0) }) != true
        else { return }
        let key: DisplayText = "credential.https://\(shown).useHttpPath"
        outside.say([
            Message("Git LFS uses it as well only if it asks for repositories. To have it do so:"),
            .command("git config --global \(word: key) true"),
        ])
    }

    /// Throws if the token belongs to another account than its name; other answers are left to git's next command.
    private func checkOwner(of name: [UInt8]) throws(UserFacingError) {
        guard let match = found.first(where: { $0.credential.username == name }),
            let account = signIn?.account(match, with: dependencies)
        else { return }
        if account.isInterrupted { throw .interrupted }
        if account.state == .otherAccount { throw .storedOfAnother(account, host: shown) }
    }

    /// The error of a line that cannot be written, with the lines to write by hand, and `--here` within a repository.
    private func notSet(
        _ error: ConfigurationFileError, _ name: DisplayText, _ scope: AccountScope
    ) -> UserFacingError {
        let lines = ConfigurationFileError.lines(urls, "username", name.text)
        if case .folder(let folder) = scope {
            let words = UserFacingError.configuration(error, verb: "switch", byHand: folder.lines)
            guard error.isAboutWriting else { return words }
            let file = DisplayText(untrusted: folder.file.utf8)
            return words.with(
                words.hints + [Message("and these to a new file beside it, %1$s:", file)]
                    + lines.map(Message.configurationLine))
        }
        guard scope == .everywhere else { return Switch.words(error) }
        let words = UserFacingError.configuration(error, verb: "switch", byHand: lines)
        guard error.isForbidden, (try? outside.files.path(of: .local)) != nil else { return words }
        return words.with(
            words.hints + [Message("or set it in this repository alone:"), command(name, .repository)])
    }

    // MARK: --unset

    func unset(_ scope: AccountScope) throws(UserFacingError) -> ExitStatus {
        let (wasSet, lines) = try rethrowing(
            as: Switch.words, (try remove(scope), try outside.files.entries(scope)))
        let line = ConfiguredUsername(lines, for: context.host, owner: owner).line
        let now = DefaultAccount(of: found, at: context, lines, owner: owner)?.shown
        let isOfOwner = owner != nil && keys.first != line?.entry.name
        let isOfPart =
            switch scope {
            case .everywhere: isOfOwner
            case .repository: isOfOwner || line?.reach(among: lines) != .repository
            case .folder: true
            }
        if isOfPart {
            let target = isOfOwner ? target : scope.within(shown)
            outside.say(
                wasSet
                    ? Message("Removed the account for %1$s.", target)
                    : Message("No account was set for %1$s.", target))
            if let now, isOfOwner {
                outside.say(Message("git uses %1$s there.", now))
            } else if let now, scope == .repository {
                outside.say(Message("git uses %1$s here.", now))
            }
            return .done
        }
        if let line {
            outside.say([
                Message("Another line of git's configuration still sets the account %1$s:", line.shownValue),
                line.place,
            ])
            return .failed
        }
        switch (wasSet, now) {
        case (false, let now?): outside.say(Message("No default was set for %1$s. git uses %2$s.", shown, now))
        case (false, nil): outside.say(Message("No default was set for %1$s.", shown))
        case (true, let now?): outside.say(Message("Default for %1$s is %2$s again (first signed in).", shown, now))
        case (true, nil): outside.say(Message("Removed the default for %1$s.", shown))
        }
        return .done
    }
}
