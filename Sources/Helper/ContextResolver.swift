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
    private let isMaintenance: () -> Bool
    private let builtInClientID: (SignInHost) -> String?
    private let asciiName: ([UInt8]) -> [UInt8]?

    /// Without lines, it reads git's configuration.
    package init(_ lines: [ConfigurationEntry]? = nil, with dependencies: Dependencies) {
        let (configuration, asciiName) = (dependencies.configuration, dependencies.asciiName)
        entries = { () throws(ConfigurationError) in
            let entries = if let lines { lines } else { try configuration() }
            return entries.map { $0.inASCII(asciiName) }
        }
        self.asciiName = asciiName
        environment = dependencies.environment
        isMaintenance = dependencies.isMaintenance
        builtInClientID = dependencies.builtInClientID
    }

    /// With the spelling under which the request's credentials are filed.
    ///
    /// For a host with a configured sign-in, git may use another spelling: `GHE.Example`, `ghe.example:443`, `HTTPS`.
    /// Without this, `erase` and `store` would look in another place than where a sign-in files its token. For the
    /// usual spelling, git's configuration is not worth its cost. If it cannot be read, git's spelling is used: nothing
    /// that is done under it changes an item of the other spelling.
    package func credentialContext(of request: Request) throws(CredentialContext.Refusal) -> CredentialContext {
        let context = try CredentialContext(of: request)
        let canonical = context.host.inASCII(asciiName).canonicalForHTTPS
        let isUsual = context.protocol == CredentialContext.https && context.host == canonical
        guard !isUsual, ASCII.equalsIgnoringCase(context.protocol, "https"),
            let configured = try? signInContext(of: canonical)
        else { return context }
        return CredentialContext(configured.host, path: context.path)
    }

    /// The same as one of a host where we sign in, if the configuration can be read and says so.
    package func resolved(_ context: CredentialContext) -> CredentialContext {
        guard context.signInHost == nil, let configured = try? signInContext(of: context) else { return context }
        return CredentialContext(configured.host, path: context.path)
    }

    /// Nil for a plain store.
    package func signInContext(
        of context: CredentialContext, username: [UInt8]? = nil
    ) throws(ConfigurationError) -> SignInContext? {
        guard context.protocol == CredentialContext.https else { return nil }
        return try signInContext(of: context.host, path: context.path, username: username)
    }

    /// Reads git's configuration only if the host is not built in.
    ///
    /// If the configuration cannot be read, the answer is yes, so that the result of an earlier sign-in is protected.
    package func signsIn(to context: CredentialContext) -> Bool {
        guard context.signInHost == nil else { return true }
        do {
            return try signInContext(of: context) != nil
        } catch {
            return true
        }
    }

    /// The host is in any spelling, the path without a leading slash; nil for a plain store.
    ///
    /// `withoutClient` is for a person who may be about to register one, and for what is asked of the host about a token
    /// that is stored.
    package func signInContext(
        of host: HostName, path: [UInt8]? = nil, username: [UInt8]? = nil, withoutClient: Bool = false
    ) throws(ConfigurationError) -> SignInContext? {
        let host = host.inASCII(asciiName)
        let entries = try entries()
        let configuration = Configuration(entries, for: host, path: path ?? [])
        let settings = try SignInSettings(configuration, host: host, environment: environment)
        guard let signInHost = signInHost(host, settings, withoutClient) else { return nil }
        var transport = TransportConfiguration(configuration, environment: environment)
        for address in signInHost.isBuiltIn ? [] : settings.serverAddresses where address.isElsewhere(from: signInHost)
        {
            let server = Configuration(entries, for: HostName(name: address.host, port: address.port))
            transport.others[address.authority] = TransportConfiguration(server, environment: environment)
        }
        // The one exception to the rule that a name selects its account: there it chooses an organization, and the
        // account is whoever signs in.
        let isOrganization = signInHost.namesOrganizations && username?.contains(UInt8(ascii: "@")) == false
        return SignInContext(
            host: signInHost, username: isOrganization ? nil : username, path: path, configuration: configuration,
            settings: settings,
            transport: transport,
            builtInClientID: builtInClientID(signInHost))
    }

    /// For an https host where we do not sign in.
    package func storeSettings(
        of host: HostName
    ) throws(ConfigurationError) -> (settings: SignInSettings, transport: TransportConfiguration) {
        let host = host.inASCII(asciiName)
        let configuration = Configuration(try entries(), for: host)
        return (
            try SignInSettings(configuration, host: host, environment: environment),
            TransportConfiguration(configuration, environment: environment)
        )
    }

    /// The person's configuration takes precedence over what is built in: `provider=none` makes any host a plain store.
    ///
    /// Without a client ID, those of Gitea's and Forgejo's servers that everybody knows are plain stores of tokens.
    private func signInHost(_ host: HostName, _ settings: SignInSettings, _ withoutClient: Bool) -> SignInHost? {
        guard !settings.isPlainStore else { return nil }
        if let builtIn = SignInHost(builtIn: host) { return builtIn }
        if let provider = settings.provider { return SignInHost(configured: host, provider: provider) }
        guard let known = SignInHost(tokenHost: host), known.providerID == .gitea else { return nil }
        return withoutClient || settings.clientID != nil || builtInClientID(known) != nil ? known : nil
    }

    /// The request was made from a command's arguments.
    package func typedContext(of request: Request) throws(UserFacingError) -> CredentialContext {
        try rethrowing(as: UserFacingError.init, try credentialContext(of: request))
    }

    /// The same; a plain store is an error as well.
    package func signInContext(
        of request: Request, withoutClient: Bool = false
    ) throws(UserFacingError) -> SignInContext {
        let context = try typedContext(of: request)
        let signIn: SignInContext?
        do {
            signIn =
                context.protocol == CredentialContext.https
                ? try signInContext(
                    of: context.host, path: context.path, username: request.username, withoutClient: withoutClient)
                : nil
        } catch {
            throw .configurationUnreadable(error)
        }
        guard let signIn else { throw withoutSignIn(context) }
        return signIn
    }

    /// Why there is no sign-in to a host.
    package func withoutSignIn(_ context: CredentialContext) -> UserFacingError {
        let host = DisplayText(untrusted: context.host.text)
        guard context.host.inASCII(asciiName).isASCII else { return .internationalName(host) }
        let settings = try? storeSettings(of: context.host).settings
        guard settings?.isPlainStore != true, SignInHost(tokenHost: context.host) == nil else {
            return .onlyTokens(host: host)
        }
        let origin = "https://\(String(decoding: context.host.canonicalForHTTPS.text, as: UTF8.self))/"
        let below = (try? entries())?.first { entry in
            entry.section == "credential" && entry.key == SettingKey.provider.lowercased
                && entry.subsection.map { $0.hasPrefix(origin) && $0 != origin } == true
        }
        return below.map { .providerBelowPath(DisplayText(untrusted: ($0.subsection ?? "").utf8), host: host) }
            ?? .notForSignIn(host: host)
    }

    /// With a provider, a client ID or an app in git's configuration, in its order.
    ///
    /// Patterns that match several hosts, and URLs of a part of a host, are ignored: a sign-in needs a whole host.
    package var configuredHosts: [SignInContext] {
        get throws(ConfigurationError) {
            var contexts: [SignInContext] = []
            for entry in try entries() where entry.section == "credential" {
                guard
                    [SettingKey.provider, .oauthClientId, .githubAppId].contains(where: { $0.lowercased == entry.key }),
                    let address = entry.subsection.flatMap(HTTPSAddress.init(parsing:)), address.path == "/",
                    let context = try signInContext(of: HostName(name: address.host, port: address.port)),
                    !contexts.contains(where: { $0.host == context.host })
                else { continue }
                contexts.append(context)
            }
            return contexts
        }
    }

    /// Where we sign in: github.com, unless it has no client and there are others; then those with a client ID from the
    /// distributor, and those of git's configuration in its order.
    package var signInHosts: [SignInContext] {
        get throws(ConfigurationError) {
            let configured = try configuredHosts
            var known: [SignInContext] = []
            for host in KnownHost.allCases {
                guard let context = try signInContext(of: host.name), context.builtInClientID != nil else { continue }
                known.append(context)
            }
            let main = try signInContext(of: KnownHost.gitHub.name)
            var others: [SignInContext] = []
            for context in known + configured where context.host != main?.host {
                if !others.contains(where: { $0.host == context.host }) { others.append(context) }
            }
            guard let main else { return others }
            let isNamed = main.clientID != nil || configured.contains { $0.host == main.host }
            return isNamed || others.isEmpty ? [main] + others : others
        }
    }

    /// All that may have a token of ours, and whose lines in git's configuration may be ours.
    package var knownHosts: [HostName] {
        get throws(ConfigurationError) {
            let names = try [KnownHost.gitHub.name] + signInHosts.map(\.host.name)
            return names.flatMap(\.withGists).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        }
    }

    /// git's cache lists nothing: it has to be asked for each host.
    ///
    /// It is not asked for what a locked keyring may hide.
    package func itemsInMemory(of keyring: any Keyring) throws -> [Item] {
        try knownHosts.flatMap { host throws(KeyringError) in
            do throws(KeyringError) {
                let items = try keyring.items(having: ItemAttributes(protocol: CredentialContext.https, host: host))
                return items.filter { $0.storage == .memory }
            } catch {
                guard error == .locked else { throw error }
                return []
            }
        }
    }

    /// Nil if nothing turns sign-in off here.
    package var prohibition: Interactivity.Prohibition? {
        get throws(UserFacingError) {
            prohibition(in: try rethrowing(as: UserFacingError.configurationUnreadable, try entries()))
        }
    }

    /// Reads the environment alone where the configuration cannot be read.
    package var knownProhibition: Interactivity.Prohibition? { prohibition(in: (try? entries()) ?? []) }

    /// False where a setting forbids to ask, or where the configuration cannot be read.
    package var mayAsk: Bool { (try? entries()).map { prohibition(in: $0) == nil } ?? false }

    private func prohibition(in entries: [ConfigurationEntry]) -> Interactivity.Prohibition? {
        Interactivity.prohibition(
            Configuration(entries, for: Self.noHost), environment: environment, isMaintenance: isMaintenance())
    }

    /// Rather than the terminal; where the configuration cannot be read, the environment tells.
    package var asksByProgram: Bool {
        let configuration = (try? entries()).map { Configuration($0, for: Self.noHost) }
        return Interactivity.asksByProgram(configuration, environment: environment)
    }

    /// Those that apply without a host.
    package var generalSettings: SignInSettings {
        get throws(ConfigurationError) {
            try SignInSettings(
                Configuration(try entries(), for: Self.noHost), host: Self.noHost, environment: environment)
        }
    }

    private static let noHost = HostName(name: "")
}

extension HostName {
    fileprivate var isASCII: Bool { name.allSatisfy { $0 < 0x80 } }

    /// As git's library looks it up, where that can be told; its spellings are then one host.
    ///
    /// A host that everybody uses has one spelling: what only looks like it gets nothing of it.
    fileprivate func inASCII(_ asciiName: ([UInt8]) -> [UInt8]?) -> HostName {
        guard !isASCII, let name = asciiName(name), ASCII.isPlain(name, with: "-.") else { return self }
        let form = HostName(name: String(decoding: name, as: UTF8.self), port: port)
        return SignInHost(builtIn: form.canonicalForHTTPS) == nil ? form : self
    }
}

extension ConfigurationEntry {
    /// The same of the host in its URL.
    fileprivate func inASCII(_ asciiName: ([UInt8]) -> [UInt8]?) -> ConfigurationEntry {
        guard let url = subsection?.utf8, url.contains(where: { $0 >= 0x80 }) else { return self }
        let start = url.firstRange(of: "://".utf8)?.upperBound ?? url.startIndex
        let authority = url[start...].prefix { $0 != UInt8(ascii: "/") }
        let hostStart = authority.lastIndex(of: UInt8(ascii: "@")).map(url.index(after:)) ?? start
        guard let host = HostName(Array(url[hostStart..<authority.endIndex])), !host.isASCII else { return self }
        let bytes = Array(url[..<hostStart]) + host.inASCII(asciiName).text + Array(url[authority.endIndex...])
        return ConfigurationEntry(
            section: section, subsection: String(decoding: bytes, as: UTF8.self), key: key, value: value)
    }
}

extension HTTPSAddress {
    fileprivate func isElsewhere(from host: SignInHost) -> Bool { !isSameOrigin(as: host.origin) }
}

extension SignInSettings {
    fileprivate var serverAddresses: [HTTPSAddress] {
        [
            issuer.flatMap { HTTPSAddress(parsing: $0) }, deviceAuthorizationEndpoint, authorizationEndpoint,
            tokenEndpoint,
        ]
        .compactMap(\.self)
    }
}

extension UserFacingError {
    /// What a person has made has no sign-in behind it.
    package static func onlyTokens(host: DisplayText) -> UserFacingError {
        UserFacingError(
            .notForSignIn,
            Message(
                "gitspace cannot sign in to %1$s; it stores a token that you create there", host),
            [
                Message("to store another token:"),
                .command("git credential-gitspace setup \(word: host) --with-token"),
            ])
    }

    package static func internationalName(_ host: DisplayText) -> UserFacingError {
        UserFacingError(
            .notForSignIn, Message("the host name %1$s is not ASCII", host),
            [Message("use its form that begins with xn-- in the address and in git's configuration")])
    }

    package static func providerBelowPath(_ url: DisplayText, host: DisplayText) -> UserFacingError {
        UserFacingError(
            .notForSignIn,
            Message("a provider is set for %1$s, but gitspace signs in to whole hosts and not below a path", url),
            [
                Message("to use a token that you create there:"),
                .command(
                    "git config --global \(word: SettingKey.provider.name(on: host)) none && git credential-gitspace setup \(word: host)"
                ),
            ])
    }
}
