package import CredentialCore
internal import Providers

/// Runs git's operations; read this file first.
///
/// ① `Request` has checked the bytes of the request. ② `ContextResolver` decides which host it is for, and whether we
/// sign in there. ③ The keyring is searched. ④ A token that is about to expire is refreshed. ⑤ If there is none, a
/// person signs in. ⑥ A new credential is saved. ⑦ The answer goes to git.
package struct CredentialHelper {
    private let dependencies: Dependencies
    package init(with dependencies: Dependencies) { self.dependencies = dependencies }

    /// Returns `Answer.nothing` for all operations but `get`.
    package func answer(_ operation: Operation, _ request: Request) -> Answer {
        let resolver = ContextResolver(with: dependencies)
        let context: CredentialContext
        do {
            context = try resolver.credentialContext(of: request)
            dependencies.trace { "\(operation.rawValue) for \(DisplayText(untrusted: context.host.text))" }
        } catch {
            dependencies.report(.requestRefused(error))
            return .nothing
        }
        switch operation {
        case .get:
            let answer = Get(context: context, request: request, dependencies: dependencies).answer()
            dependencies.trace { "answering with \(answer.outline)" }
            return answer
        case .store: Store(context: resolver.resolved(context), request: request, dependencies: dependencies).run()
        case .erase:
            Erase(
                context: resolver.resolved(context), request: request, dependencies: dependencies,
                requester: dependencies.requester()
            ).run()
        case .capability: break
        }
        return .nothing
    }
}

/// The operation `get`: finds a credential, or else refreshes it, or else signs in.
struct Get {
    let context: CredentialContext
    let request: Request
    let dependencies: Dependencies

    /// ⑦ Returns the answer; failures have been reported by then.
    func answer() -> Answer {
        do throws(OperationFailure) {
            return try find()
        } catch {
            if let failure = error.error { dependencies.report(failure) }
            return letsGitGoOn(after: error) ? .nothing : .quit
        }
    }

    /// ③ Finds the credential; until a fresh one is returned, only the keyring is used.
    private func find() throws(OperationFailure) -> Answer {
        let lookup = Lookup(with: dependencies)
        let resolver = ContextResolver(with: dependencies)
        let query = narrowed(context.query(user: request.username))
        let found = try rethrowing(as: failure, try lookup.best(query) { resolver.signsIn(to: context) })
        if let found, lookup.isFresh(found), request.isAnswered(by: found.credential) { return found.credential.answer }
        let resolved: SignInContext?
        do {
            resolved = try resolver.signInContext(of: context, username: request.username)
        } catch {
            return try answerUnresolved(found, error)
        }
        guard let signIn = resolved else { return answerOfPlainStore(found) }
        if let found, lookup.isFresh(found), !signIn.needsNoPerson { return found.credential.answer }
        // The server would reject a token for Bearer that git sends as a password, and git would erase it.
        guard signIn.authtype == nil || request.capabilities.contains(.authtype) else {
            throw .unserved(.gitLacksAuthtype(host: signIn.host.displayName))
        }
        let complete = narrowed(signIn.query(path: context.path))
        // That was the complete query for a built-in host. On other hosts with sign-ins, a token is for every path and
        // a name for every letter case, which only the configuration tells.
        if context.signInHost != nil { return try renew(found, signIn, complete) }
        let served = try rethrowing(as: failure, try lookup.best(complete))
        if let served, lookup.isFresh(served), request.isAnswered(by: served.credential) || !signIn.needsNoPerson {
            return served.credential.answer
        }
        return try renew(served, signIn, complete)
    }

    /// Returns the query for the schemes that git can use, ranked by the server's hint if no account was chosen.
    private func narrowed(_ query: ItemQuery) -> ItemQuery {
        var query = query
        query.isForPasswordsAlone = !request.capabilities.contains(.authtype)
        query.fallsBackToPaths = true
        guard request.username == nil else { return query }
        query.preferredSuffixes = AccountHint(request.wwwauth).loginSuffixes
        return query
    }

    private func renew(
        _ found: StoredMatch?, _ signIn: SignInContext, _ query: ItemQuery
    ) throws(OperationFailure) -> Answer {
        if found == nil, let moved = try renamed(signIn) {
            guard !Lookup(with: dependencies).isFresh(moved) else { return moved.credential.answer }
            let signIn = signIn.with(username: moved.credential.username)
            return try renew(moved, signIn, narrowed(signIn.query(path: context.path)))
        }
        var reason: UserFacingError?
        let (host, again) = (signIn.host.displayName, signIn.signInAgain(as: found?.credential.username))
        // ④ A token that cannot be refreshed is used until it expires.
        switch try signIn.refreshed(found, with: dependencies) {
        case .usable(let credential): return credential.answer
        case .unrefreshable: break
        case .refused(let code):
            reason = .refreshRefused(host: host, code, again)
            dependencies.ui.say(.signInEnded(host: host, code.name))
        case .issuedElsewhere(let now):
            let now = DisplayText(trusted: now.authority)
            reason = .issuedElsewhere(host: host, now: now, again)
            dependencies.ui.say(.issuedElsewhere(host: host, now: now))
        }
        // ⑤ and ⑥
        do throws(OperationFailure) {
            return try SignIn(signIn, with: dependencies, for: query).run().credential.answer
        } catch {
            throw explained(error, reason, signIn.host)
        }
    }

    /// Returns the sign-in that was stored under the requested name before its host renamed the account.
    ///
    /// Unlocks no item of another account.
    private func renamed(_ signIn: SignInContext) throws(OperationFailure) -> StoredMatch? {
        guard let name = request.username, !name.isEmpty else { return nil }
        let query = narrowed(signIn.with(username: nil).query(path: nil))
        let stored = try rethrowing(as: failure, try Lookup(with: dependencies).readable(query) { _, _ in true })
        return stored.found.first { match in
            let former = match.credential.grant?.formerName.map { Array($0.utf8) }
            return former.map { signIn.credentialContext.isSameAccount($0, name) } ?? false
        }
    }

    /// Adds the reason why there is no token, if no sign-in is possible.
    private func explained(
        _ failure: OperationFailure, _ reason: UserFacingError?, _ host: SignInHost
    ) -> OperationFailure {
        guard case .unserved(let error) = failure else { return failure }
        switch error.code {
        case .nobodyHere: break
        case .noClientID where reason == nil && !dependencies.ui.canBeReached: break
        default: return failure
        }
        if let reason { return .unserved(reason) }
        // Without the keyring, it is unknown whether somebody is signed in.
        guard let absence = dependencies.keyring.absence else { return failure }
        return .unserved(.keyringAbsent(absence, host: host.displayName))
    }

    /// Returns the answer of a plain store, which never asks anybody.
    ///
    /// git cannot use an expired password, but it may use the refresh token that another program stored with it.
    private func answerOfPlainStore(_ found: StoredMatch?) -> Answer {
        guard let credential = found?.credential else { return .nothing }
        switch credential.condition(at: dependencies.clock.now) {
        case .fresh, .ending: return credential.answer
        // An expired credential of another scheme has nothing that git could use as a password.
        case .expired where credential.authtype == nil:
            return .withoutPassword(username: credential.username, oauthRefreshToken: credential.foreignRefreshToken)
        case .expired, .lost: return .nothing
        }
    }

    /// Returns the answer without git's configuration: a valid credential.
    ///
    /// Nothing is sent, since the proxy is unknown, and nobody is asked, since this may be a plain store.
    private func answerUnresolved(
        _ found: StoredMatch?, _ error: ConfigurationError
    ) throws(OperationFailure) -> Answer {
        if let credential = found?.credential, credential.condition(at: dependencies.clock.now).isValid {
            return credential.answer
        }
        let failure = UserFacingError.configurationUnreadable(error)
        // Other helpers and git's own prompt must not be stopped on a host that may not be ours.
        throw context.signInHost == nil ? .unserved(failure) : .failed(failure)
    }

    /// Returns the failure of a search, which is no reason to sign in again: only an empty keyring is.
    private func failure(_ error: KeyringError) -> OperationFailure {
        context.signInHost == nil && error != .interrupted ? .unserved(.keyring(error)) : OperationFailure(error)
    }

    private func letsGitGoOn(after failure: OperationFailure) -> Bool {
        let prohibition = ContextResolver(with: dependencies).knownProhibition
        // git does not prompt then; `quit=1` would only stop other helpers from being asked.
        if prohibition?.bindsGit == true { return true }
        guard case .unserved = failure else { return false }
        return prohibition == nil || !wouldHang(after: failure)
    }

    /// Returns whether git's own prompt would wait for a person who is not there.
    ///
    /// At a terminal, a setting may forbid only us to ask (`CI`, `docker run --tty`). A program that answers instead of
    /// the person (gitcredentials(7), "askpass") is still asked.
    private func wouldHang(after failure: OperationFailure) -> Bool {
        guard dependencies.ui.hasTerminal, !ContextResolver(with: dependencies).asksByProgram else { return false }
        return switch failure.error?.code {
        case .nobodyHere, .nobodysAccount, .noClientID, .refreshRefused, .issuedElsewhere, .keyringAbsent: true
        default: false
        }
    }
}

/// GitHub's `enterprise_hint` and `domain_hint` in a server's challenge.
///
/// GitHub sends them for an enterprise with managed users, whose logins all end in `_SHORTCODE`. The hint only ranks
/// the stored accounts. A helper that filters by it asks people to sign in again although their account is stored (Git
/// Credential Manager, issues 1382, 1477 and 2194).
struct AccountHint {
    /// The suffixes, such as `_acme`.
    private(set) var loginSuffixes: [[UInt8]] = []

    /// The longest value: a short code has 3 to 8 characters, and an enterprise's name in an address hardly more.
    private static let longestValue = 64
    /// The longest challenge to read, in bytes; some hundred are usual.
    private static let longestChallenge = 2_048
    /// The most suffixes; a server names one enterprise, in two ways.
    private static let mostSuffixes = 4

    /// Reads `WWW-Authenticate` headers.
    init(_ challenges: [[UInt8]]) {
        for challenge in challenges where challenge.count <= Self.longestChallenge {
            var parameters = ChallengeParameters(challenge)
            while let (name, value) = parameters.next() {
                let isHint = ["domain_hint", "enterprise_hint"].contains { ASCII.equalsIgnoringCase(name, $0) }
                guard isHint, loginSuffixes.count < Self.mostSuffixes, (1...Self.longestValue).contains(value.count),
                    ASCII.isPlain(value, with: "-")
                else { continue }
                loginSuffixes.append([UInt8(ascii: "_")] + value)
            }
        }
    }
}

extension Answer {
    /// The names of attributes without values, for the trace.
    var outline: String {
        switch self {
        case .credential(let credential):
            "username, password"
                + (credential.passwordExpiryUTC == nil ? "" : ", password_expiry_utc")
                + (credential.foreignRefreshToken == nil ? "" : ", oauth_refresh_token")
        case .withoutPassword: "a username alone: the password has expired"
        case .quit: "quit=1"
        case .nothing: "nothing"
        }
    }
}

package enum OperationFailure: Error {
    /// The error is shown to the person, and git must not prompt for a password that cannot help.
    case failed(UserFacingError)
    /// The person can enter a password at git's own prompt, so git may go on.
    case unserved(UserFacingError)
    /// The person cancelled, or saw it fail in another window; or git has ended, and its running parts must not prompt
    /// for a password.
    case known

    /// Creates the failure; a person who interrupted the work knows it already.
    static func unlessInterrupted(_ error: UserFacingError) -> Self { error.isInterruption ? .known : .failed(error) }
    package init(_ error: KeyringError) { self = .unlessInterrupted(.keyring(error)) }

    package var error: UserFacingError? {
        switch self {
        case .failed(let error), .unserved(let error): error
        case .known: nil
        }
    }
}
