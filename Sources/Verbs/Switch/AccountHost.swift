internal import CredentialCore
internal import Helper
internal import Messages
internal import Providers

/// A host where we sign in, or one for which a person brings a token.
struct AccountHost {
    let context: CredentialContext
    let signIn: SignInContext?

    var name: HostName { context.host }
    var shown: DisplayText { DisplayText(untrusted: name.text) }
    /// Every account there.
    private var everything: ItemQuery { context.everything(user: nil) }

    init(_ request: Request, _ dependencies: Dependencies) throws(UserFacingError) {
        let resolver = ContextResolver(with: dependencies)
        let typed = try resolver.typedContext(of: request)
        signIn = try rethrowing(as: UserFacingError.configurationUnreadable, try resolver.signInContext(of: typed))
        context = signIn?.credentialContext ?? typed
        guard signIn == nil, !dependencies.hasItems(everything) else { return }
        throw resolver.withoutSignIn(typed)
    }

    func stored(_ dependencies: Dependencies) throws(UserFacingError) -> [StoredMatch] {
        try rethrowing(as: UserFacingError.keyring, try Lookup(with: dependencies).all(everything))
    }
}
