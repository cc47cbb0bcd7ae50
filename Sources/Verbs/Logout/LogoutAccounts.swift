package import CredentialCore
package import Helper
internal import Providers

struct LogoutAccounts {
    let context: CredentialContext
    /// `nil` for a host without sign-ins.
    let signIn: SignInContext?
    let isForAll: Bool
    let dependencies: Dependencies
    let say: (Message) -> Void

    var host: DisplayText { context.host.shown }

    /// The last word of a command for an account, or for all if those were asked for.
    func word(_ account: [UInt8]?) -> DisplayText {
        isForAll ? " --all" : account.map { " \(word: DisplayText(account: $0))" } ?? ""
    }

    func stored(_ user: [UInt8]?) throws(UserFacingError) -> [StoredMatch] {
        try rethrowing(as: UserFacingError.keyring, try Lookup(with: dependencies).all(context.everything(user: user)))
    }

    /// Returns the named account, the only one, all of them, or the one that the person picks, if any.
    func chosen(
        _ asked: [UInt8]?, _ outside: VerbDependencies
    ) throws(UserFacingError) -> [StoredMatch] {
        let found = try stored(asked)
        guard !found.isEmpty else { throw try nothing(asked) }
        let names = context.usernames(of: found)
        guard !isForAll, names.count > 1 else { return found }
        guard outside.mayAsk(dependencies) else {
            throw .severalAccounts(host: host, names.map { DisplayText(account: $0) })
        }
        let picked = pick(from: names, outside.questions)
        return found.filter { match in picked.contains { context.isSameAccount(match.credential.username, $0) } }
    }

    /// The error for nothing to remove; other accounts than the named one may be stored.
    private func nothing(_ asked: [UInt8]?) throws(UserFacingError) -> UserFacingError {
        let absence = dependencies.keyring.absence
        let others = asked == nil ? [] : context.usernames(of: try stored(nil))
        if let asked, !others.isEmpty {
            return .accountNotStored(
                context.shown(asked), host: host, stored: others.map { DisplayText(account: $0) }, verb: "logout")
        }
        return absence == .noBus ? dependencies.notSignedIn(to: host) : .nothingToRemove(host: host, absence)
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
        for (accounts, why) in kept { dependencies.report(.notRemoved(accounts, host: host, why)) }
        return (kept.isEmpty ? .done : .failed, context.usernames(of: gone))
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
        say(.signedOut(of: host, names, found.first?.item.storage ?? .keyring))
        if let tokens { say(tokens) }
        // An expired token, or one that was rejected when git used it, is not valid.
        let usable = found.count { $0.credential.condition(at: dependencies.clock.now).isUsable }
        let isOfUse = mayBeValid ?? (usable > 0)
        let tokenHost = SignInHost(tokenHost: context.host)
        guard isOfUse, let page = signIn?.accessPage(for: found) ?? tokenHost?.provider.page(.newToken) else { return }
        // A token that a person has made is deleted on its page; another stays valid as long as its app has access.
        let isApps = signIn?.tokenPage(for: found).map { !$0.isPersonal } ?? found.contains(where: \.isClients)
        let areSeveral = usable > 1
        say(
            isApps
                ? areSeveral
                    ? Message("The tokens stay valid until you revoke the app's access:")
                    : Message("The token stays valid until you revoke the app's access:")
                : areSeveral
                    ? Message("The tokens stay valid until you delete them:")
                    : Message("The token stays valid until you delete it:"))
        say(.command("\(page)"))
    }

    // MARK: Questions at a terminal

    private static let mostAttempts = 5

    /// Returns one of the accounts, all, or none if the person picks none.
    func pick(from names: [[UInt8]], _ questions: any Questions) -> [[UInt8]] {
        let shown = names.map { DisplayText(account: $0) }
        say(Message("Accounts for %1$s:", host))
        for (number, name) in zip(1..., shown) { say(.marked("  \(number) ", Message(verbatim: name))) }
        let all = "\(names.count + 1)"
        say(.marked("  \(DisplayText(trusted: all)) ", Message("all of them")))
        for _ in 1...Self.mostAttempts {
            guard let line = questions.ask(Message("Number or name: ")) else { break }
            if let name = context.name(line, among: names, orNumber: true) { return [name] }
            if line == all { return names }
            dependencies.report(
                .accountNotStored(context.shown(Array(line.utf8)), host: host, stored: shown, verb: "logout"))
        }
        return []
    }

    /// Whether tokens that another tool has too may be revoked, which signs that tool out.
    func mayRevoke(
        _ found: [StoredMatch], _ outside: VerbDependencies
    ) throws(UserFacingError) -> Bool {
        let search = ForeignSearch(signIn?.host.name ?? context.host, outside, dependencies)
        let foreign = try rethrowing(as: UserFacingError.keyring, try search.signIns())
        for credential in found.map(\.credential) {
            guard let tool = foreign.first(where: { $0.password == credential.password })?.tool.name else { continue }
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
}

extension UserFacingError {
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
            [
                Message("to remove it from gitspace alone:"), .command(logout),
                Message("to revoke it all the same:"), .command("\(logout) --revoke --force"),
            ])
    }
}
