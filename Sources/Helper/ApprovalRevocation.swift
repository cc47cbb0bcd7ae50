internal import CredentialCore
internal import Providers

/// The revocation of a wrong account's token, which is not stored here and must not stay valid elsewhere.
///
/// It is the only revocation without a request of the person's. Its success changes nothing else.
struct ApprovalRevocation {
    private let context: SignInContext
    private let dependencies: Dependencies

    /// The total time, in milliseconds.
    private static let longest: Int64 = 5_000

    init(_ context: SignInContext, with dependencies: Dependencies) {
        self.context = context
        self.dependencies = dependencies
    }

    /// Revokes the token, unless the account of its owner is stored here too.
    ///
    /// A server may end all tokens of an app and an account at once.
    func run(_ token: TokenResponse, of answer: AccountAnswer, at client: OAuthClient) {
        // At an OpenID server, a refresh token stands for the person's session, and perhaps for their other ones.
        let refreshToken = context.host.provider.facts.issuesElsewhere ? nil : token.refreshToken
        let grant = RevocableGrant(accessToken: token.accessToken, refreshToken: refreshToken, client: client)
        guard !mayBeStored(answer) else { return }
        let transport = BoundTransport(
            dependencies.transport(context.transport), until: dependencies.clock.uptimeMilliseconds + Self.longest)
        let outcome = context.host.provider.revoke([grant], over: transport)
        dependencies.trace { "the token of another account was dropped; its revocation: \(outcome)" }
    }

    /// Returns whether the owner's account may be stored, without unlocking anything.
    private func mayBeStored(_ answer: AccountAnswer) -> Bool {
        let anyUsername = context.host.provider.facts.anyUsername
        guard case .accepted(let names, _) = answer else { return isStored(nil) { _ in true } }
        // git's cache finds an account by its name alone.
        return ([nil] + names.map { Array($0.utf8) }).contains { user in
            isStored(user) { answer.isOwner($0) || ASCII.equalsIgnoringCase($0, anyUsername) }
        }
    }

    private func isStored(_ user: [UInt8]?, where isIt: ([UInt8]) -> Bool) -> Bool {
        let query = context.credentialContext.everything(user: user)
        let lookup = Lookup(with: dependencies)
        guard let stored = try? lookup.readable(query, unless: { _, _ in true }) else { return true }
        return stored.found.contains { isIt($0.credential.username) }
            || stored.locked.contains { isIt($0.attributes.user ?? []) }
    }
}
