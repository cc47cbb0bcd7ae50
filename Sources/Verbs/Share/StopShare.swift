internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Providers
internal import Share

struct StopShare: Verb {
    static let configuration = CommandConfiguration(
        "share stop", Message("Stop sharing."), examples: ["share stop box", "share stop box --refresh"],
        isListed: false)

    @Argument(help: ArgumentHelp(Message("The name that was shared."), valueName: "name"))
    var word: String

    @Flag(help: ArgumentHelp(Message("Refresh the tokens that were given away, so that every copy stops working.")))
    var refresh = false

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let (sharing, name) = (outside.sharing, try ShareName(typed: word))
        let shown = name.displayName
        let wasShared = try sharing.shares.stop(name)
        let given = sharing.shares.record(of: name)?.given ?? []
        guard wasShared || (refresh && !given.isEmpty) else {
            throw UserFacingError(
                .share, Message("\"%1$s\" is not shared", shown),
                [Message("see what is:"), .command("git credential-gitspace share list")])
        }
        sharing.say(
            wasShared
                ? Message("\"%1$s\" is no longer shared.", shown) : Message("\"%1$s\" was already stopped.", shown))
        guard refresh else {
            if given.contains(where: { $0.request.map { refreshEndsToken($0, outside) } == true }) {
                sharing.say(Message("The tokens that it got stay valid there until they expire. To end them now:"))
                sharing.say(.command("git credential-gitspace share stop \(word: name.text) --refresh"))
            } else if !given.isEmpty {
                sharing.say(Message("The tokens that it got stay valid there until they expire."))
            }
            return .done
        }
        if given.isEmpty { sharing.say(Message("\"%1$s\" got no token.", shown)) }
        var isDone = true
        for account in given where !isRefreshed(account, outside) { isDone = false }
        // A refresh that failed can be tried again.
        if isDone { sharing.shares.forget(name) }
        return isDone ? .done : .failed
    }

    /// Refreshes the person's own token, so that no copy of it stays valid; false if that failed.
    private func isRefreshed(_ account: ShareRecord.Account, _ outside: VerbDependencies) -> Bool {
        guard let request = account.request else { return true }
        do throws(UserFacingError) {
            guard try Refresh.run(request, outside, outside.dependencies(nil)) == .done else { return false }
            let host = DisplayText(untrusted: account.host)
            outside.sharing.say(
                refreshEndsToken(request, outside)
                    ? Message("%1$s accepts no copy of the old token any more.", host)
                    : Message("%1$s may accept copies of the old token until it expires.", host))
            return true
        } catch {
            outside.dependencies(nil).report(error)
            return false
        }
    }

    private func refreshEndsToken(_ request: Request, _ outside: VerbDependencies) -> Bool {
        let signIn = try? ContextResolver(with: outside.dependencies(nil)).signInContext(of: request)
        return signIn?.host.provider.facts.refreshEndsToken == true
    }
}

extension ShareRecord.Account {
    fileprivate var request: Request? {
        let lines = Array("protocol=https\nhost=".utf8) + host + Array("\nusername=".utf8) + username
        return try? Request(parsing: Secret(lines + [0x0a]))
    }
}
