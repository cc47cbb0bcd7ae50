package import CredentialCore
internal import Helper
package import Messages
internal import Providers

/// The end of a share, and of what its target has been given.
package struct ShareStop {
    private let sharing: ShareDependencies

    package init(_ sharing: ShareDependencies) { self.sharing = sharing }

    /// False if something of it goes on.
    ///
    /// `refresh` refreshes the person's own token, so that no copy of it stays valid; nil if that is not wanted.
    package func run(
        _ name: ShareName, refresh: ((Request) throws(UserFacingError) -> Bool)?
    ) throws(UserFacingError) -> Bool {
        let targets = sharing.targets
        let shown = DisplayText(trusted: name.text)
        let wasShared = try targets.stop(name)
        let given = targets.record(of: name)?.given ?? []
        guard wasShared || (refresh != nil && !given.isEmpty) else {
            throw UserFacingError(
                .share, Message("\"%1$s\" is not shared", shown),
                [Message("see what is:"), .command("git credential-gitspace share list")])
        }
        sharing.say(
            wasShared
                ? Message("\"%1$s\" is no longer shared.", shown) : Message("\"%1$s\" was already stopped.", shown))
        guard let refresh else {
            if given.contains(where: { $0.request.map(refreshEndsToken) == true }) {
                sharing.say(Message("The tokens that it got stay valid there until they expire. To end them now:"))
                sharing.say(.command("git credential-gitspace share stop \(word: name.text) --refresh"))
            } else if !given.isEmpty {
                sharing.say(Message("The tokens that it got stay valid there until they expire."))
            }
            return true
        }
        if given.isEmpty { sharing.say(Message("\"%1$s\" got no token.", shown)) }
        var isDone = true
        for account in given where !self.refresh(account, refresh) { isDone = false }
        // If one of them was not refreshed, it can be tried again.
        if isDone { targets.forget(name) }
        return isDone
    }

    private func refresh(
        _ account: ShareRecord.Account, _ refresh: (Request) throws(UserFacingError) -> Bool
    ) -> Bool {
        guard let request = account.request else { return true }
        do throws(UserFacingError) {
            guard try refresh(request) else { return false }
            let host = DisplayText(untrusted: account.host)
            sharing.say(
                refreshEndsToken(request)
                    ? Message("%1$s accepts no copy of the old token any more.", host)
                    : Message("%1$s may accept copies of the old token until it expires.", host))
            return true
        } catch {
            sharing.own(nil).report(error)
            return false
        }
    }

    private func refreshEndsToken(_ request: Request) -> Bool {
        let signIn = try? ContextResolver(with: sharing.own(nil)).signInContext(of: request)
        return signIn?.host.provider.facts.refreshEndsToken == true
    }
}

extension ShareRecord.Account {
    fileprivate var request: Request? {
        let lines = Array("protocol=https\nhost=".utf8) + host + Array("\nusername=".utf8) + username
        return try? Request(parsing: Secret(lines + [0x0a]))
    }
}
