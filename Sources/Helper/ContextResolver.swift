package import CredentialCore

/// ② Says whose host it is, and whether we may sign in there.
///
/// Nothing else decides that, for git's operations, for the verbs, and for everybody's hosts. git's
/// configuration is asked once, and not before somebody needs it. Where it cannot be read, whoever asks is told so, and
/// has to decide what is safe without it.
package struct ContextResolver {
    private let entries: () throws(ConfigurationError) -> [ConfigurationEntry]
    private let environment: (String) -> String?
    private let builtInClientID: (SignInHost) -> String?

    /// A resolver by git's configuration as it is here.
    package init(with dependencies: Dependencies) {
        entries = dependencies.configuration
        environment = dependencies.environment
        builtInClientID = dependencies.builtInClientID
    }

    /// A resolver by some lines of git's configuration alone.
    package init(_ entries: [ConfigurationEntry], with dependencies: Dependencies) {
        self.entries = { entries }
        environment = dependencies.environment
        builtInClientID = dependencies.builtInClientID
    }

    /// The credential context of a request, under the one name by which it is filed.
    ///
    /// A host where the person has configured a sign-in may be spelt otherwise by git: `GHE.Example`, `ghe.example:443`,
    /// `HTTPS`. Left at that, `erase` and `store` would look elsewhere than where a sign-in files its token. The usual
    /// spelling is not worth the cost of git's configuration. Where that cannot be read, git's spelling stands: whatever
    /// is done under it touches no item of the other.
    package func credentialContext(of request: Request) throws(CredentialContext.Refusal) -> CredentialContext {
        let context = try CredentialContext(of: request)
        let canonical = context.host.canonicalForHTTPS
        let isUsual = context.protocol == CredentialContext.https && context.host == canonical
        guard !isUsual, ASCII.equalsIgnoringCase(context.protocol, "https"),
            let configured = try? signInContext(of: canonical)
        else { return context }
        return CredentialContext(configured.host, path: context.path)
    }

    /// Where and how we sign in for a credential context; nil for a plain store.
    package func signInContext(
        of context: CredentialContext, username: [UInt8]? = nil
    ) throws(ConfigurationError) -> SignInContext? {
        guard context.protocol == CredentialContext.https else { return nil }
        return try signInContext(of: context.host, path: context.path, username: username)
    }

    /// Whether we sign in for a credential context; asks for git's configuration only where the host is not built in.
    ///
    /// Where that cannot be read, we may: what a sign-in has left is then guarded as if we did.
    package func signsIn(to context: CredentialContext) -> Bool {
        guard context.builtIn == nil else { return true }
        do {
            return try signInContext(of: context) != nil
        } catch {
            return true
        }
    }

    /// Where and how we sign in to an https host.
    ///
    /// - Parameters:
    ///   - host: in any spelling.
    ///   - path: the path asked about, without a leading slash.
    ///   - username: the account asked for; nil for any.
    /// - Returns: nil for a plain store.
    /// - Throws: why nobody knows whether it is one.
    package func signInContext(
        of host: HostName, path: [UInt8]? = nil, username: [UInt8]? = nil
    ) throws(ConfigurationError) -> SignInContext? {
        let configuration = Configuration(try entries(), for: host, path: path ?? [])
        let settings = SignInSettings(configuration, host: host, environment: environment)
        guard let signInHost = Self.signInHost(host, settings) else { return nil }
        return SignInContext(
            host: signInHost, username: username, configuration: configuration, settings: settings,
            transport: TransportConfiguration(configuration, environment: environment),
            builtInClientID: builtInClientID(signInHost))
    }

    /// The person's word counts before what is built in: `provider=none` makes a plain store of any host.
    private static func signInHost(_ host: HostName, _ settings: SignInSettings) -> SignInHost? {
        guard !settings.isPlainStore else { return nil }
        return SignInHost(builtIn: host) ?? settings.provider.flatMap { SignInHost(configured: host, provider: $0) }
    }

    /// The sign-in context of a request that a verb has made of what a person typed.
    ///
    /// - Throws: why there is none, a plain store included.
    package func signInContext(of request: Request) throws(UserFacingError) -> SignInContext {
        let context: CredentialContext
        do {
            context = try credentialContext(of: request)
        } catch {
            throw UserFacingError(error)
        }
        let signIn: SignInContext?
        do {
            signIn = try signInContext(of: context, username: request.username)
        } catch {
            throw .configurationUnreadable(error)
        }
        guard let signIn else { throw .notForSignIn(host: DisplayText(context.host.text)) }
        return signIn
    }

    /// The hosts for which git's configuration names a provider or a client ID, in its order, where we sign in.
    ///
    /// A pattern that stands for many hosts is passed over, and so is a part of a host: to sign in takes a whole one.
    package var configuredHosts: [SignInContext] {
        get throws(ConfigurationError) {
            var contexts: [SignInContext] = []
            for entry in try entries() where entry.section == "credential" {
                guard ["provider", "oauthclientid"].contains(entry.key),
                    let address = entry.subsection.flatMap(HTTPSAddress.init(parsing:)), address.path == "/",
                    let context = try signInContext(of: HostName(name: address.host, port: address.port)),
                    !contexts.contains(where: { $0.host == context.host })
                else { continue }
                contexts.append(context)
            }
            return contexts
        }
    }

    /// What forbids a sign-in from here; nil if nothing does.
    package var prohibition: Interactivity.Prohibition? {
        get throws(ConfigurationError) {
            Interactivity.prohibition(Configuration(try entries(), for: Self.noHost), environment: environment)
        }
    }

    /// Whether git asks a program rather than the terminal; where the configuration cannot be read, the environment tells.
    package var asksByProgram: Bool {
        let configuration = (try? entries()).map { Configuration($0, for: Self.noHost) }
        return Interactivity.asksByProgram(configuration, environment: environment)
    }

    /// What is configured without regard to any host.
    package var generalSettings: SignInSettings {
        get throws(ConfigurationError) {
            SignInSettings(Configuration(try entries(), for: Self.noHost), host: Self.noHost, environment: environment)
        }
    }

    private static let noHost = HostName(name: "")
}
