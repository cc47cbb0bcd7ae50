internal import CredentialCore
internal import Helper
internal import Messages
internal import Providers

/// A host where we sign in, or one for which a person brings a token.
struct AccountHost {
    let name: HostName
    let shown: DisplayText
    /// Every account there.
    private let everything: ItemQuery
    let signIn: SignInContext?

    init(_ request: Request, _ dependencies: Dependencies) throws(UserFacingError) {
        let resolver = ContextResolver(with: dependencies)
        let context = try resolver.typedContext(of: request)
        do {
            signIn = try resolver.signInContext(of: context)
        } catch {
            throw .configurationUnreadable(error)
        }
        name = signIn?.host.name ?? context.host
        shown = signIn?.host.displayName ?? DisplayText(untrusted: context.host.text)
        everything = (signIn.map { CredentialContext($0.host, path: nil) } ?? context).everything(user: nil)
        guard signIn == nil, !dependencies.hasItems(everything) else { return }
        throw resolver.withoutSignIn(context)
    }

    func stored(_ dependencies: Dependencies) throws(UserFacingError) -> [StoredMatch] {
        do {
            return try Lookup(with: dependencies).all(everything)
        } catch {
            throw .keyring(error)
        }
    }
}
