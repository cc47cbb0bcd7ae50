package import CredentialCore
package import Messages
package import Providers

/// ② Decides which host a request is for, and whether we may sign in there.
///
/// This is the only place that decides it, for git's operations, for the commands, and for every kind of host. It reads
/// git's configuration once, and only when it is needed. If the configuration cannot be read, it throws, and the caller
/// has to decide what is safe without it.
package struct ContextResolver {
    private let entries: () throws(ConfigurationError) -> [ConfigurationEntry]
    private let environment: (String) -> String?
    private let builtInClientID: (SignInHost) -> String?

    /// Creates a resolver that uses git's configuration.
    package init(with dependencies: Dependencies) {
        entries = dependencies.configuration
        environment = dependencies.environment
        builtInClientID = dependencies.builtInClientID
    }

    /// Creates a resolver that uses only the given lines of git's configuration.
    package init(_ entries: [ConfigurationEntry], with dependencies: Dependencies) {
        self.entries = { entries }
        environment = dependencies.environment
        builtInClientID = dependencies.builtInClientID
    }

    /// The credential context of a request, with the spelling under which its credentials are filed.
    ///
    /// For a host with a configured sign-in, git may use another spelling: `GHE.Example`, `ghe.example:443`, `HTTPS`.
    /// Without this, `erase` and `store` would look in another place than where a sign-in files its token. For the
    /// usual spelling, git's configuration is not worth its cost. If it cannot be read, git's spelling is used: nothing
    /// that is done under it changes an item of the other spelling.
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

    /// Whether we sign in for a credential context; reads git's configuration only if the host is not built in.
    ///
    /// If the configuration cannot be read, the answer is yes, so that the result of an earlier sign-in is protected.
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
    ///   - path: the requested path, without a leading slash.
    ///   - username: the requested account; nil for any.
    /// - Returns: nil for a plain store.
    /// - Throws: why git's configuration cannot be read.
    package func signInContext(
        of host: HostName, path: [UInt8]? = nil, username: [UInt8]? = nil
    ) throws(ConfigurationError) -> SignInContext? {
        let entries = try entries()
        let configuration = Configuration(entries, for: host, path: path ?? [])
        let settings = SignInSettings(configuration, host: host, environment: environment)
        guard let signInHost = Self.signInHost(host, settings) else { return nil }
        var transport = TransportConfiguration(configuration, environment: environment)
        for address in signInHost.isBuiltIn ? [] : settings.serverAddresses where address.isElsewhere(from: signInHost)
        {
            let server = Configuration(entries, for: HostName(name: address.host, port: address.port))
            transport.others[address.authority] = TransportConfiguration(server, environment: environment)
        }
        return SignInContext(
            host: signInHost, username: username, path: path, configuration: configuration, settings: settings,
            transport: transport,
            builtInClientID: builtInClientID(signInHost))
    }

    /// The settings for an https host where we do not sign in.
    package func storeSettings(
        of host: HostName
    ) throws(ConfigurationError) -> (settings: SignInSettings, transport: TransportConfiguration) {
        let configuration = Configuration(try entries(), for: host)
        return (
            SignInSettings(configuration, host: host, environment: environment),
            TransportConfiguration(configuration, environment: environment)
        )
    }

    /// The person's configuration takes precedence over what is built in: `provider=none` makes any host a plain store.
    private static func signInHost(_ host: HostName, _ settings: SignInSettings) -> SignInHost? {
        guard !settings.isPlainStore else { return nil }
        return SignInHost(builtIn: host) ?? settings.provider.flatMap { SignInHost(configured: host, provider: $0) }
    }

    /// The sign-in context of a request that was made from a command's arguments.
    ///
    /// - Throws: why there is none, also if the host is a plain store.
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

    /// The hosts where we sign in and for which git's configuration has a provider, a client ID or an app, in its order.
    ///
    /// Patterns that match several hosts, and URLs of a part of a host, are ignored: a sign-in needs a whole host.
    package var configuredHosts: [SignInContext] {
        get throws(ConfigurationError) {
            var contexts: [SignInContext] = []
            for entry in try entries() where entry.section == "credential" {
                guard ["provider", "oauthclientid", "githubappid"].contains(entry.key),
                    let address = entry.subsection.flatMap(HTTPSAddress.init(parsing:)), address.path == "/",
                    let context = try signInContext(of: HostName(name: address.host, port: address.port)),
                    !contexts.contains(where: { $0.host == context.host })
                else { continue }
                contexts.append(context)
            }
            return contexts
        }
    }

    /// The hosts that are known by name, and for which a client ID was built in.
    package var hostsWithBuiltInClient: [SignInContext] {
        get throws(ConfigurationError) {
            var contexts: [SignInContext] = []
            for name in ["github.com", "gitlab.com"] {
                guard let context = try signInContext(of: HostName(name: name)), context.builtInClientID != nil else {
                    continue
                }
                contexts.append(context)
            }
            return contexts
        }
    }

    /// What turns sign-in off here; nil if nothing does.
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

    /// The settings that apply without a host.
    package var generalSettings: SignInSettings {
        get throws(ConfigurationError) {
            SignInSettings(Configuration(try entries(), for: Self.noHost), host: Self.noHost, environment: environment)
        }
    }

    private static let noHost = HostName(name: "")
}

extension HTTPSAddress {
    fileprivate func isElsewhere(from host: SignInHost) -> Bool { !isSameOrigin(as: host.origin) }
}

extension SignInSettings {
    /// What is configured of the server that issues tokens.
    fileprivate var serverAddresses: [HTTPSAddress] {
        [issuer.flatMap { HTTPSAddress(parsing: $0) }, deviceAuthorizationEndpoint, tokenEndpoint].compactMap(\.self)
    }
}
