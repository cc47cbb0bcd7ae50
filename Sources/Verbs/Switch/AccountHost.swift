internal import CredentialCore
internal import Helper
internal import Providers

/// A host with sign-ins, or one for which a person brings a token.
struct AccountHost {
    let context: CredentialContext
    let signIn: SignInContext?

    var name: HostName { context.host }
    var shown: DisplayText { DisplayText(untrusted: name.text) }
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

extension CredentialContext {
    /// The account that a person means, in its own spelling, or by its number from 1.
    func name(_ text: String, among names: [[UInt8]], orNumber: Bool = false) -> [UInt8]? {
        if let name = names.first(where: { $0.elementsEqual(text.utf8) }) { return name }
        let alike = names.filter { ASCII.equalsIgnoringCase($0, text) }
        if let name = alike.first, alike.count == 1 { return name }
        guard orNumber, let number = Int(text), names.indices.contains(number - 1) else { return nil }
        return names[number - 1]
    }
}
