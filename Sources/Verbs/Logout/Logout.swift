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
        let (request, dependencies) =
            try all ? outside.request(typed.host, for: "logout") : outside.request(typed, isStored: true, for: "logout")
        let resolver = ContextResolver(with: dependencies)
        var context = try resolver.typedContext(of: request)
        let signIn: SignInContext?
        do {
            signIn = try resolver.signInContext(of: context)
        } catch {
            // Tokens in the keyring can still be removed, but not revoked.
            guard !revoke else { throw .configurationUnreadable(error) }
            signIn = nil
        }
        context = signIn?.credentialContext ?? context
        let accounts = LogoutAccounts(
            context: context, signIn: signIn, isForAll: all, dependencies: dependencies, say: outside.say)
        if revoke, signIn == nil {
            throw .nothingToRevokeAt(host: accounts.host, accounts.word(request.username))
        }
        let found = try accounts.chosen(request.username, outside)
        var mayGo = !found.isEmpty
        if mayGo, revoke, !force { mayGo = try accounts.mayRevoke(found, outside) }
        guard mayGo else {
            outside.say(Message("Nothing was changed."))
            return .cancelled
        }
        let (status, removed) =
            if revoke, let signIn {
                accounts.revoke(context.usernames(of: found), at: signIn, isForced: force)
            } else {
                accounts.remove(found)
            }
        if let signIn { sayDefaultThatStays(removed, signIn, outside, dependencies) }
        try takeProactiveBack(context.host, outside, dependencies)
        return status
    }

    /// Reports a setting that still selects a removed account for remotes without one.
    private func sayDefaultThatStays(
        _ removed: [[UInt8]], _ context: SignInContext, _ outside: VerbDependencies, _ dependencies: Dependencies
    ) {
        guard let entries = try? outside.files.entries(),
            let entry = ConfiguredUsername(entries, for: context.host.name).line, entry.isInPersonsFile
        else { return }
        let line = ConfigurationLine(entry)
        let host = context.credentialContext
        let isNamed = { (name: [UInt8]) in host.isSameAccount(Array((entry.entry.value ?? "").utf8), name) }
        // A name may be set for parts of the host too.
        guard removed.contains(where: isNamed),
            let left = try? host.usernames(of: Lookup(with: dependencies).all(host.everything(user: nil))),
            !left.contains(where: isNamed)
        else { return }
        outside.say([Switch.absent(line.value), line.place])
        outside.say(left.isEmpty ? Message("To remove it as well:") : Message("To choose another account:"))
        let option: DisplayText = left.isEmpty ? " --unset" : ""
        outside.say(.command("git credential-gitspace switch \(word: context.host.displayName)\(option)"))
    }

    /// Turns off the token in git's first request, by removing our lines, if it is certain that nobody is signed in.
    private func takeProactiveBack(
        _ host: HostName, _ outside: VerbDependencies, _ dependencies: Dependencies
    ) throws(UserFacingError) {
        let proactive = ProactiveAuthentication(files: outside.files, dependencies: dependencies)
        guard (try? proactive.isSignedIn(to: host)) == false else { return }
        do throws(ConfigurationFileError) {
            guard try proactive.takeBack(for: host) else { return }
        } catch {
            throw .configuration(error, verb: "unconfigure")
        }
        outside.say(Message("git no longer sends a token with its first request to %1$s.", host.shown))
    }
}

extension UserFacingError {
    /// `account` is the last word of the command.
    package static func nothingToRevokeAt(host: DisplayText, _ account: DisplayText = "") -> UserFacingError {
        UserFacingError(
            .notForSignIn,
            Message("gitspace does not sign in to %1$s, so it cannot revoke anything there; nothing was removed", host),
            [
                Message("to remove the stored credentials:"),
                .command("git credential-gitspace logout \(word: host)\(account)"),
            ])
    }
}
