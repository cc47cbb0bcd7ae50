internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Providers

/// The verb `refresh`: refreshes a token now, even if it is still valid.
struct Refresh: Verb {
    static let configuration = CommandConfiguration(
        "refresh", Message("Refresh a token now."), examples: ["refresh", "refresh gitlab.com alice"])

    @OptionGroup var typed: AccountArguments

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let (request, dependencies) = try outside.request(typed, isStored: true, withPath: true, for: "refresh")
        return try Self.run(request, outside, dependencies)
    }

    static func run(
        _ request: Request, _ outside: VerbDependencies, _ dependencies: Dependencies
    ) throws(UserFacingError) -> ExitStatus {
        let context = try ContextResolver(with: dependencies).signInContext(of: request)
        let credential: StoredCredential
        let host = context.host.displayName
        do throws(OperationFailure) {
            let found = try stored(context, dependencies)
            let again = context.signInAgain(as: found?.credential.username)
            switch try context.refreshed(found, with: dependencies, isForced: true) {
            case .usable(let new): credential = new
            case .refused(let code): throw .failed(.refreshRefused(host: host, code, again))
            case .issuedElsewhere(let now):
                throw .failed(.issuedElsewhere(host: host, now: DisplayText(trusted: now.authority), again))
            case .unrefreshable: throw .failed(found.map { notRefreshable($0, context) } ?? .notRefreshable(host: host))
            }
        } catch {
            if let failure = error.error { throw failure }
            return .failed
        }
        let account = DisplayText(account: credential.username)
        outside.say(Message("Refreshed the token of %1$s for %2$s.", account, host))
        outside.say(
            credential.passwordExpiryUTC.map { Message("Valid until %1$s.", LocalTime.text($0)) }
                ?? Message("It does not expire."))
        return .done
    }

    private static func notRefreshable(_ found: StoredMatch, _ context: SignInContext) -> UserFacingError {
        .notRefreshable(
            host: context.host.displayName, context.signInAgain(as: found.credential.username),
            neverExpires: found.credential.passwordExpiryUTC == nil)
    }

    /// `nil` for an app, whose token need not be stored at all.
    private static func stored(
        _ context: SignInContext, _ dependencies: Dependencies
    ) throws(OperationFailure) -> StoredMatch? {
        guard !context.needsNoPerson else { return nil }
        let host = context.host.displayName
        let all = try context.stored(with: dependencies)
        let names = context.credentialContext.usernames(
            of: all.isEmpty ? try context.with(username: nil).stored(with: dependencies) : all
        ).map { DisplayText(account: $0) }
        guard let found = all.first else {
            guard let asked = context.username, !names.isEmpty else {
                throw .failed(dependencies.notSignedIn(to: host))
            }
            throw .failed(.accountNotStored(context.credentialContext.shown(asked), host: host, stored: names))
        }
        guard names.count == 1 else { throw .failed(.severalAccounts(host: host, names, verb: "refresh")) }
        guard found.credential.oauthRefreshToken != nil else { throw .failed(notRefreshable(found, context)) }
        return found
    }
}
