internal import ArgumentParser
package import CredentialCore
package import Helper
internal import Providers

/// The verb `logout`: removes the stored tokens, and revokes them if the person wishes.
///
/// `--revoke` keeps a token unless the server confirms that it is invalid, since a removed one cannot be revoked here.
struct Logout: Verb {
    static let configuration = CommandConfiguration(
        "logout",
        Message("Remove stored credentials."),
        Message("The token stays valid until you revoke it or the app's access."),
        examples: ["logout github.com alice", "logout github.com --all", "logout github.com --revoke"])

    @OptionGroup var typed: AccountArguments

    @Flag(help: ArgumentHelp(Message("Remove all accounts of the host.")))
    var all = false

    @Flag(help: ArgumentHelp(Message("Revoke the token first, and keep it if that fails.")))
    var revoke = false

    @Flag(
        help: ArgumentHelp(
            Message("With --revoke, remove the token even if it could not be revoked, or another tool uses it.")))
    var force = false

    func validate() throws {
        guard revoke || !force else {
            throw ValidationError(Message("'--force' can only be used together with '--revoke'."))
        }
        guard !all || typed.account == nil else {
            throw ValidationError(Message("'--all' cannot be used together with an account."))
        }
    }

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let options: DisplayText = "\(revoke ? " --revoke" : "")\(force ? " --force" : "")"
        let verb: DisplayText = "logout\(all ? " --all" : "")\(options)"
        let (request, dependencies) =
            try all ? outside.request(typed.host, for: verb) : outside.request(typed, isStored: true, for: verb)
        let resolver = ContextResolver(with: dependencies)
        let context = try resolver.typedContext(of: request)
        let signIn: SignInContext?
        do {
            signIn = try resolver.signInContext(of: context)
        } catch {
            // Tokens in the keyring can still be removed, but not revoked.
            guard !revoke else { throw .configurationUnreadable(error) }
            signIn = nil
        }
        let accounts = LogoutAccounts(
            context: signIn?.credentialContext ?? context, signIn: signIn, isForAll: all, options: options,
            outside: outside, dependencies: dependencies)
        if revoke, signIn == nil { throw .nothingToRevokeAt(host: accounts.host, accounts.word(request.username)) }
        let found = try accounts.chosen(request.username)
        var mayGo = !found.isEmpty
        if mayGo, revoke, !force { mayGo = try accounts.mayRevoke(found) }
        guard mayGo else {
            outside.say(Message("Nothing was changed."))
            return .cancelled
        }
        let (status, removed) =
            if revoke, let signIn {
                accounts.revoke(found, at: signIn, isForced: force)
            } else {
                accounts.remove(found)
            }
        accounts.sayDefaultThatStays(removed)
        try accounts.takeProactiveBack()
        return status
    }
}

struct LogoutAccounts {
    let context: CredentialContext
    /// `nil` for a host without sign-ins.
    let signIn: SignInContext?
    let isForAll: Bool
    /// The other options that were given, each after a space, for commands to paste.
    let options: DisplayText
    let outside: VerbDependencies
    let dependencies: Dependencies

    var host: DisplayText { context.host.shown }

    /// The last word of a command for an account, or for all if those were asked for.
    func word(_ account: [UInt8]?) -> DisplayText {
        isForAll ? " --all" : account.map { " \(word: DisplayText(account: $0))" } ?? ""
    }

    func stored(_ user: [UInt8]?) throws(UserFacingError) -> [StoredMatch] {
        try rethrowing(as: UserFacingError.keyring, try Lookup(with: dependencies).all(context.everything(user: user)))
    }

    /// Returns the named account, the only one, all of them, or the one that the person picks, if any.
    func chosen(_ asked: [UInt8]?) throws(UserFacingError) -> [StoredMatch] {
        let found = try stored(asked)
        guard !found.isEmpty else {
            let absence = dependencies.keyring.absence
            // Other accounts than the named one may be stored.
            let others = asked == nil ? [] : context.usernames(of: try stored(nil))
            if let asked, !others.isEmpty {
                throw .accountNotStored(
                    context.shown(asked), host: host, stored: others.map { DisplayText(account: $0) }, verb: "logout",
                    options: options)
            }
            throw absence == .noBus ? dependencies.notSignedIn(to: host) : .nothingToRemove(host: host, absence)
        }
        let names = context.usernames(of: found)
        guard !isForAll, names.count > 1 else { return found }
        guard outside.mayAsk(dependencies) else {
            throw .severalAccounts(host: host, names.map { DisplayText(account: $0) }, options: options)
        }
        let picked = pick(from: names)
        return found.filter { match in picked.contains { context.isSameAccount(match.credential.username, $0) } }
    }

    /// Removes each account on its own, and reports which were removed and which not.
    ///
    /// - Returns: the exit status, and the removed accounts; after Ctrl-C, the rest stays.
    func remove(_ found: [StoredMatch]) -> (ExitStatus, [[UInt8]]) {
        var gone: [StoredMatch] = []
        var kept: [(accounts: [DisplayText], why: UserFacingError)] = []
        for account in context.usernames(of: found) {
            let items = found.filter { context.isSameAccount($0.credential.username, account) }
            do throws(UserFacingError) {
                if kept.last?.why == .interrupted { throw .interrupted }
                try remove(items, of: account)
                gone += items
            } catch {
                if kept.last?.why != error { kept.append(([], error)) }
                kept[kept.count - 1].accounts.append(DisplayText(account: account))
            }
        }
        if !gone.isEmpty { sayRemoved(gone) }
        for (accounts, why) in kept { dependencies.report(notRemoved(accounts, why)) }
        return (kept.isEmpty ? .done : .failed, context.usernames(of: gone))
    }

    func notRemoved(_ accounts: [DisplayText], _ why: UserFacingError) -> UserFacingError {
        let logout: DisplayText = "git credential-gitspace logout \(word: host)"
        let again = [Message("try again:")] + accounts.map { .command("\(logout) \(word: $0)\(options)") }
        return .notAllErased(accounts: accounts, host: host, why.hints.isEmpty ? why.with(again) : why)
    }

    /// Takes the account's lock, because a running refresh would restore the items.
    private func remove(_ items: [StoredMatch], of account: [UInt8]) throws(UserFacingError) {
        let isNeedless = items.allSatisfy { $0.credential.oauthRefreshToken == nil }
        let lock = try rethrowing(
            as: UserFacingError.notLocked, try dependencies.hold(account, on: context.host, orWithout: isNeedless))
        defer { lock?.release() }
        do throws(KeyringError) {
            for match in items { try dependencies.keyring.remove(match.item) }
        } catch {
            throw error == .interrupted ? .interrupted : .keyring(error)
        }
    }

    /// Reports the removed accounts, the state of their tokens, and where valid ones can be revoked.
    func sayRemoved(_ found: [StoredMatch], _ tokens: Message? = nil, mayBeValid: Bool? = nil) {
        let names = context.usernames(of: found).map { DisplayText(account: $0) }
        outside.say(.signedOut(of: host, names, found.first?.item.storage ?? .keyring))
        if let tokens { outside.say(tokens) }
        // An expired token, or one that was rejected when git used it, is not valid.
        let usable = found.count { $0.credential.condition(at: dependencies.clock.now).isUsable }
        let isOfUse = mayBeValid ?? (usable > 0)
        let tokenHost = SignInHost(tokenHost: context.host)
        guard isOfUse, let page = signIn?.accessPage(for: found) ?? tokenHost?.provider.page(.newToken) else { return }
        // A token that a person has made is deleted on its page; another stays valid as long as its app has access.
        let isApps = signIn?.tokenPage(for: found).map { !$0.isPersonal } ?? found.contains(where: \.isClients)
        let text =
            switch (isApps, usable > 1) {
            case (true, true): Message("The tokens stay valid until you revoke the app's access:")
            case (true, false): Message("The token stays valid until you revoke the app's access:")
            case (false, true): Message("The tokens stay valid until you delete them:")
            case (false, false): Message("The token stays valid until you delete it:")
            }
        outside.say([text, .command("\(page)")])
    }

    // MARK: Questions at a terminal

    private static let mostAttempts = 5

    /// Returns one of the accounts, all, or none if the person picks none.
    private func pick(from names: [[UInt8]]) -> [[UInt8]] {
        let shown = names.map { DisplayText(account: $0) }
        outside.say(Message("Accounts for %1$s:", host))
        for (number, name) in zip(1..., shown) { outside.say(.marked("  \(number) ", Message(verbatim: name))) }
        let all = "\(names.count + 1)"
        outside.say(.marked("  \(DisplayText(trusted: all)) ", Message("all of them")))
        for _ in 1...Self.mostAttempts {
            guard let line = outside.questions.ask(Message("Number or name: ")) else { break }
            if let name = context.name(line, among: names, orNumber: true) { return [name] }
            if line == all { return names }
            dependencies.report(
                .accountNotStored(
                    context.shown(Array(line.utf8)), host: host, stored: shown, verb: "logout", options: options))
        }
        return []
    }

    /// Whether tokens that another tool has too may be revoked, which signs that tool out.
    func mayRevoke(_ found: [StoredMatch]) throws(UserFacingError) -> Bool {
        let search = ForeignSearch(context.host, outside, dependencies)
        let foreign = try rethrowing(as: UserFacingError.keyring, try search.signIns())
        for credential in found.map(\.credential) {
            guard let tool = foreign.first(where: { $0.password == credential.password })?.tool else { continue }
            let account = DisplayText(account: credential.username)
            guard outside.mayAsk(dependencies) else {
                throw .tokenIsShared(with: tool, account: account, host: host, word(credential.username))
            }
            let question = Message(
                "%1$s has the same token of %2$s, and could not use it any more. Revoke it? [y/N] ", tool, account)
            guard outside.isYes(question, or: false) == true else { return false }
        }
        return true
    }

    // MARK: git's configuration

    /// Reports a setting that still selects a removed account for remotes without one.
    func sayDefaultThatStays(_ removed: [[UInt8]]) {
        guard let entries = try? outside.files.entries(),
            let line = ConfiguredUsername(entries, for: context.host).line, line.isInPersonsFile
        else { return }
        let isNamed = { (name: [UInt8]) in context.isSameAccount(Array((line.entry.value ?? "").utf8), name) }
        // A name may be set for parts of the host too.
        guard removed.contains(where: isNamed), let left = try? context.usernames(of: stored(nil)),
            !left.contains(where: isNamed)
        else { return }
        outside.say([AccountChange.absent(line.shownValue), line.place])
        outside.say(left.isEmpty ? Message("To remove it as well:") : Message("To choose another account:"))
        var option: DisplayText = left.isEmpty ? " --unset" : ""
        if case .folder(let folder) = AccountScope(at: context.host, nil, among: entries, in: outside.files),
            line.origin.hasSuffix("/" + folder.file)
        {
            option = "\(option) --folder \(word: folder.path)"
        }
        outside.say(.command("git credential-gitspace switch \(word: host)\(option)"))
    }

    /// Turns off the token in git's first request, by removing our lines, if it is certain that nobody is signed in.
    func takeProactiveBack() throws(UserFacingError) {
        guard (try? dependencies.isSignedIn(to: context.host)) == false else { return }
        let urls = context.host.withGists.map(\.url)
        let removal = try rethrowing(
            as: { UserFacingError.configuration($0, verb: "unconfigure") },
            try outside.files.removeSections(from: .global) { $0 == .proactive && urls.contains($1) })
        guard !removal.lines.isEmpty else { return }
        outside.say(Message("git no longer sends a token with its first request to %1$s.", host))
    }
}

extension UserFacingError {
    /// `account` is the last word of the command.
    package static func nothingToRevokeAt(host: DisplayText, _ account: DisplayText = "") -> UserFacingError {
        UserFacingError(
            .notForSignIn,
            Message("gitspace does not sign in to %1$s, so it cannot revoke anything there; nothing was removed", host),
            Message("to remove the stored credentials:"),
            .command("git credential-gitspace logout \(word: host)\(account)"))
    }

    package static func nothingToRemove(host: DisplayText, _ error: KeyringError?) -> UserFacingError {
        error.map { onlyMemory($0, host, seeStored) }
            ?? UserFacingError(.notSignedIn, Message("no stored credentials for %1$s", host), seeStored)
    }

    package static func tokenIsShared(
        with tool: DisplayText, account: DisplayText, host: DisplayText, _ word: DisplayText
    ) -> UserFacingError {
        let logout: DisplayText = "git credential-gitspace logout \(word: host)\(word)"
        return UserFacingError(
            .notRevoked, Message("%1$s has the same token of %2$s; nothing was revoked or removed", tool, account),
            Message("to remove it from gitspace alone:"), .command(logout),
            Message("to revoke it all the same:"), .command("\(logout) --revoke --force"))
    }
}
