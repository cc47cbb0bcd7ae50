internal import CredentialCore
internal import Helper

/// ③ The search for the credential of one host, by a request of ours: of a target's request, nothing but the host goes
/// on.
struct ShareLookup {
    let host: ShareTarget.Host
    let request: Request
    let dependencies: Dependencies
    private let policy: SharePolicy

    init(
        for host: ShareTarget.Host, under policy: SharePolicy, with dependencies: Dependencies
    ) throws(ShareRefusal) {
        guard let request = try? host.request else { throw .notSignedIn }
        self.host = host
        self.request = request
        self.dependencies = dependencies
        self.policy = policy
    }

    /// The credential of the host as a whole, and of one account, that a request without a name would get.
    func find() throws(ShareRefusal) -> StoredMatch {
        let resolver = ContextResolver(with: dependencies)
        guard let context = try? resolver.credentialContext(of: request) else { throw .notSignedIn }
        if let found = try find(in: context) { return found }
        // In any case of its name; to find out whether we sign in there was not worth its cost before.
        guard context.signInHost == nil, let found = try find(in: resolver.resolved(context)) else {
            throw .notSignedIn
        }
        return found
    }

    private func find(in context: CredentialContext) throws(ShareRefusal) -> StoredMatch? {
        var query = context.query(user: request.username)
        query.isForPasswordsAlone = policy.target.access.gateway == nil
        return try rethrowing(
            as: ShareRefusal.keyring,
            try Lookup(with: dependencies).best(
                query, isSignInHost: { ContextResolver(with: dependencies).signsIn(to: context) }))
    }

    /// Nil if the target may have the credential.
    func refusal(of credential: StoredCredential, askedAs username: [UInt8]?) -> ShareRefusal? {
        policy.refusal(of: credential, askedAs: username, on: host) {
            let resolver = ContextResolver(with: dependencies)
            return (try? resolver.credentialContext(of: request)).map(resolver.resolved)?.signInHost != nil
        }
    }

    /// Nil where nobody signs in.
    func signIn(of credential: StoredCredential) throws -> SignInContext? {
        try ContextResolver(with: dependencies).signInContext(
            of: CredentialContext(of: request), username: credential.username)
    }
}
