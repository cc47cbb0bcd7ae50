internal import CredentialCore
internal import OAuth
internal import Providers

/// The operation `get`: find, else refresh, else sign in.
///
/// The whole way of a credential is in this file.
struct Get {
    private let context: CredentialContext
    private let request: Request
    private let dependencies: Dependencies

    init(_ context: CredentialContext, _ request: Request, with dependencies: Dependencies) {
        self.context = context
        self.request = request
        self.dependencies = dependencies
    }

    /// ⑦ What git is told; failures have been told by then.
    func answer() -> Answer {
        do throws(OperationFailure) {
            return try find()
        } catch {
            if let failure = error.error { dependencies.report(failure) }
            return letsGitGoOn(after: error) ? .nothing : .quit
        }
    }

    /// ③ A stored, fresh credential at once.
    ///
    /// Nothing but the keyring has been asked until then.
    private func find() throws(OperationFailure) -> Answer {
        let lookup = Lookup(with: dependencies)
        let resolver = ContextResolver(with: dependencies)
        let found = try look { () throws(KeyringError) in
            try lookup.best(context.query(user: request.username)) { resolver.signsIn(to: context) }
        }
        if let found, lookup.isFresh(found) { return found.credential.answer }
        let resolved: SignInContext?
        do {
            resolved = try resolver.signInContext(of: context, username: request.username)
        } catch {
            return try answerUnresolved(found, error)
        }
        guard let signIn = resolved else { return answerOfPlainStore(found) }
        // Of a host that is known without any configuration that was the whole question. On any other a token serves every
        // path, which only its configuration has told.
        if context.builtIn != nil { return try renew(found, signIn) }
        let served = try look { () throws(KeyringError) in
            try lookup.best(signIn.query(path: context.path)) { true }
        }
        if let served, lookup.isFresh(served) { return served.credential.answer }
        return try renew(served, signIn)
    }

    /// What to do where nothing fresh is stored, on a host where we sign in.
    private func renew(_ found: StoredMatch?, _ signIn: SignInContext) throws(OperationFailure) -> Answer {
        var refusal: OAuthErrorCode?
        if let found {
            // ④ One that is about to end is renewed; one that cannot be renewed serves while it lives.
            switch try Refresh(signIn, with: dependencies).run(found) {
            case .usable(let credential): return credential.answer
            case .unrenewable: break
            case .refused(let code): refusal = code
            }
        }
        // ⑤ and ⑥
        do throws(OperationFailure) {
            return try SignIn(signIn, with: dependencies).run().answer
        } catch {
            guard let refusal, case .unserved(.nobodyHere) = error else { throw error }
            throw .unserved(.refreshRefused(host: signIn.host.displayName, refusal))
        }
    }

    /// A plain store never asks anybody.
    ///
    /// An expired password is of no use to git, but what another program brought with it may be.
    private func answerOfPlainStore(_ found: StoredMatch?) -> Answer {
        guard let credential = found?.credential else { return .nothing }
        if credential.isAlive(at: dependencies.clock.now) { return credential.answer }
        return .withoutPassword(username: credential.username, oauthRefreshToken: credential.foreignRefreshToken)
    }

    /// Where git's configuration cannot be read, nobody knows whether we sign in here, nor by which way out.
    ///
    /// What git could still use is answered; nothing is sent, and nobody is asked.
    private func answerUnresolved(_ found: StoredMatch?, _ error: ConfigurationError) throws(OperationFailure) -> Answer
    {
        if let credential = found?.credential, credential.isAlive(at: dependencies.clock.now) {
            return credential.answer
        }
        let failure = UserFacingError.configurationUnreadable(error)
        // On a host of somebody else's, other helpers and git's own prompt are none of our business.
        throw context.builtIn == nil ? .unserved(failure) : .failed(failure)
    }

    /// A keyring that fails is no reason to sign in again: only an empty one is.
    private func look(_ body: () throws(KeyringError) -> StoredMatch?) throws(OperationFailure) -> StoredMatch? {
        do {
            return try body()
        } catch .interrupted {
            throw .known
        } catch {
            throw context.builtIn == nil ? .unserved(.keyring(error)) : .failed(.keyring(error))
        }
    }

    /// Whether git shall ask other helpers, and then the person.
    private func letsGitGoOn(after failure: OperationFailure) -> Bool {
        // What the environment says is known even where the configuration is not.
        let byEnvironment = { try? ContextResolver([], with: dependencies).prohibition }
        let prohibition = (try? ContextResolver(with: dependencies).prohibition) ?? byEnvironment()
        // Then `quit=1` would only keep other helpers from being asked.
        if prohibition?.bindsGit == true { return true }
        guard failure.letsGitGoOn else { return false }
        return prohibition == nil || !wouldHang(after: failure)
    }

    /// Whether git's own prompt would wait for somebody who is not there: where a terminal is, and the person has forbidden
    /// us to ask but not git (`CI`, `docker run --tty`).
    ///
    /// A program that answers in the person's place (gitcredentials(7), "askpass") is asked all the same.
    private func wouldHang(after failure: OperationFailure) -> Bool {
        guard dependencies.ui.hasTerminal, !ContextResolver(with: dependencies).asksByProgram else { return false }
        return switch failure.error {
        case .nobodyHere, .noClientID, .refreshRefused: true
        default: false
        }
    }
}
