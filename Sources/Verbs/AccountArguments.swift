internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Providers

/// A host and an account, in the form that all verbs take.
struct AccountArguments: ParsableArguments {
    @Argument(help: ArgumentHelp(Message("The host. Default: the host of this repository, or github.com.")))
    var host: String?

    @Argument(help: ArgumentHelp(Message("The account.")))
    var name: String?

    @Option(help: .hidden)
    var username: String?

    init() {}

    init(_ host: String?, _ name: String?, _ username: String?) {
        self.host = host
        self.name = name
        self.username = username
    }

    func validate() throws {
        guard name == nil || username == nil else {
            throw ValidationError(Message("'--username' cannot be used together with a name after the host."))
        }
    }

    var account: String? { name ?? username ?? host.flatMap { HostArgument($0).username } }
}

extension VerbDependencies {
    /// Returns a request for the typed arguments, and the dependencies for its host.
    ///
    /// One word without the signs of an address is an account if the default host has an account of that name. For
    /// verbs about stored accounts (`isStored`), it is also an account if it may be one and is no known host.
    ///
    /// - Throws: an error for a host or account that breaks the rules for git's requests.
    func request(
        _ typed: AccountArguments, isStored: Bool, withPath: Bool = false, for verb: DisplayText
    ) throws(UserFacingError) -> (Request, Dependencies) {
        var (host, account) = (typed.host, typed.name ?? typed.username)
        if account == nil, let word = host, let name = try self.account(word, isStored, verb) {
            (host, account) = (nil, name)
        }
        let (request, dependencies) = try request(host, account, withPath: withPath, for: verb)
        // A stored name of this form can still be removed.
        guard isStored || request.username.map(TokenShape.fits) != true else {
            throw .tokenAsName(host: DisplayText(untrusted: request.host))
        }
        return (request, dependencies)
    }

    /// Returns the default host's account, in its stored spelling, or `nil` if the word is a host.
    private func account(
        _ word: String, _ isStored: Bool, _ verb: DisplayText
    ) throws(UserFacingError) -> String? {
        guard !word.contains(where: { "./:@".contains($0) }) else { return nil }
        let (request, dependencies) = try self.request(nil, for: verb)
        guard let context = try? ContextResolver(with: dependencies).signInContext(of: request) else { return nil }
        let query = context.credentialContext.everything(user: nil)
        var names: [[UInt8]] = []
        do {
            names = query.matching(try dependencies.keyring.items(having: query.search)).compactMap(\.shownUser)
        } catch {
            // Other errors are reported by the code that needs the keyring.
            if error == .interrupted { throw .keyring(error) }
        }
        if let name = names.first(where: { ASCII.equalsIgnoringCase($0, word) }) {
            return String(decoding: name, as: UTF8.self)
        }
        let mayBeAccount = isStored && context.host.provider.facts.isAccountName(Array(word.utf8))
        return mayBeAccount && !isHost(word, verb) ? word : nil
    }

    /// Whether the word is a host with sign-ins or a stored credential, or a known host, even misspelt.
    private func isHost(_ word: String, _ verb: DisplayText) -> Bool {
        guard let (request, dependencies) = try? request(word, for: verb) else { return true }
        return (try? AccountHost(request, dependencies)) != nil
            || HostName(request.host).flatMap(SignInHost.init(tokenHost:)) != nil
    }
}

/// A host with sign-ins, or one for which a person brings a token.
struct AccountHost {
    let context: CredentialContext
    let signIn: SignInContext?

    var name: HostName { context.host }
    var shown: DisplayText { name.shown }
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
