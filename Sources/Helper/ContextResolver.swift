package import CredentialCore
package import Providers

/// ② Decides which host a request is for, and whether we may sign in there.
///
/// All operations and commands ask this type. It reads git's configuration once, when it is needed. If that fails, it
/// throws, and the caller decides what is safe without it.
package struct ContextResolver {
    private let lines: [ConfigurationEntry]?
    private let dependencies: Dependencies

    /// `lines` replaces git's configuration.
    package init(_ lines: [ConfigurationEntry]? = nil, with dependencies: Dependencies) {
        self.lines = lines
        self.dependencies = dependencies
    }

    private func entries() throws(ConfigurationError) -> [ConfigurationEntry] {
        let entries = if let lines { lines } else { try dependencies.configuration() }
        return entries.map { $0.inASCII(dependencies.asciiName) }
    }

    /// Returns the context with the spelling under which the request's credentials are stored.
    ///
    /// For a host with a configured sign-in, git may use another spelling: `GHE.Example`, `ghe.example:443`, `HTTPS`.
    /// `erase` and `store` would search for it. Without git's configuration, which is not read for the usual spelling,
    /// git's spelling is used: no operation under it changes an item of the other one.
    package func credentialContext(of request: Request) throws(RequestError) -> CredentialContext {
        let context = try CredentialContext(of: request)
        let canonical = context.host.inASCII(dependencies.asciiName).canonicalForHTTPS
        let isUsual = context.protocol == CredentialContext.https && context.host == canonical
        guard !isUsual, ASCII.equalsIgnoringCase(context.protocol, "https"),
            let configured = try? signInContext(of: canonical)
        else { return context }
        return CredentialContext(configured.host, path: context.path)
    }

    /// Returns the context with the spelling of a host with sign-ins, if git's configuration has such a host.
    package func resolved(_ context: CredentialContext) -> CredentialContext {
        guard context.signInHost == nil, let configured = try? signInContext(of: context) else { return context }
        return CredentialContext(configured.host, path: context.path)
    }

    /// Returns the context to sign in, or `nil` for a plain store.
    package func signInContext(
        of context: CredentialContext, username: [UInt8]? = nil, withoutClient: Bool = false
    ) throws(ConfigurationError) -> SignInContext? {
        guard context.protocol == CredentialContext.https else { return nil }
        return try signInContext(of: context.host, path: context.path, username: username, withoutClient: withoutClient)
    }

    /// Returns whether we sign in to the host.
    ///
    /// Reads git's configuration only if the host is not built in; if that fails, returns true, to protect sign-ins.
    package func signsIn(to context: CredentialContext) -> Bool {
        context.signInHost != nil || (try? signInContext(of: context) != nil) ?? true
    }

    /// Returns the context to sign in, or `nil` for a plain store.
    ///
    /// The host is in any spelling, the path without a leading slash. `withoutClient` allows a host without a client.
    package func signInContext(
        of host: HostName, path: [UInt8]? = nil, username: [UInt8]? = nil, withoutClient: Bool = false
    ) throws(ConfigurationError) -> SignInContext? {
        let host = host.inASCII(dependencies.asciiName)
        let entries = try entries()
        let configuration = Configuration(entries, for: host, path: path ?? [])
        let settings = try SignInSettings(configuration, host: host, environment: dependencies.environment)
        guard let signInHost = signInHost(host, settings, withoutClient) else { return nil }
        var transport = TransportConfiguration(configuration, environment: dependencies.environment)
        let servers = [
            settings.issuer.flatMap { HTTPSAddress(parsing: $0) }, settings.deviceAuthorizationEndpoint,
            settings.authorizationEndpoint, settings.tokenEndpoint,
        ]
        for case let address? in signInHost.isBuiltIn ? [] : servers
        where !address.isSameOrigin(as: signInHost.origin) {
            let server = Configuration(entries, for: HostName(name: address.host, port: address.port))
            transport.others[address.authority] = TransportConfiguration(server, environment: dependencies.environment)
        }
        // A name selects its account, except here, where it chooses an organization.
        let isOrganization = signInHost.namesOrganizations && username?.contains(UInt8(ascii: "@")) == false
        return SignInContext(
            host: signInHost, username: isOrganization ? nil : username, path: path, configuration: configuration,
            settings: settings, transport: transport, builtInClientID: dependencies.builtInClientID(signInHost))
    }

    /// Returns the settings of an https host without sign-ins.
    package func storeSettings(
        of host: HostName
    ) throws(ConfigurationError) -> (settings: SignInSettings, transport: TransportConfiguration) {
        let host = host.inASCII(dependencies.asciiName)
        let configuration = Configuration(try entries(), for: host)
        return (
            try SignInSettings(configuration, host: host, environment: dependencies.environment),
            TransportConfiguration(configuration, environment: dependencies.environment)
        )
    }

    /// Returns the host with its kind.
    ///
    /// The person's configuration outranks the built-in one: `provider=none` makes any host a plain store. Without a
    /// client ID, the well-known servers of Gitea and Forgejo are plain stores of tokens.
    private func signInHost(_ host: HostName, _ settings: SignInSettings, _ withoutClient: Bool) -> SignInHost? {
        guard !settings.isPlainStore else { return nil }
        if let builtIn = SignInHost(builtIn: host) { return builtIn }
        if let provider = settings.provider { return SignInHost(configured: host, provider: provider) }
        guard let known = SignInHost(tokenHost: host), known.providerID == .gitea else { return nil }
        return withoutClient || settings.clientID != nil || dependencies.builtInClientID(known) != nil ? known : nil
    }

    package func typedContext(of request: Request) throws(UserFacingError) -> CredentialContext {
        try rethrowing(as: UserFacingError.requestRefused, try credentialContext(of: request))
    }

    /// Returns the context to sign in, or throws for a plain store.
    package func signInContext(
        of request: Request, withoutClient: Bool = false
    ) throws(UserFacingError) -> SignInContext {
        let context = try typedContext(of: request)
        let signIn = try rethrowing(
            as: UserFacingError.configurationUnreadable,
            try signInContext(of: context, username: request.username, withoutClient: withoutClient))
        guard let signIn else { throw withoutSignIn(context) }
        return signIn
    }

    package func withoutSignIn(_ context: CredentialContext) -> UserFacingError {
        let host = DisplayText(untrusted: context.host.text)
        guard context.host.inASCII(dependencies.asciiName).isASCII else { return .internationalName(host) }
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

    /// The hosts with a provider, a client ID or an app in git's configuration, in its order.
    ///
    /// Ignores patterns that match several hosts, and URLs of a part of a host.
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

    /// The hosts with sign-ins: github.com, those with a client ID from the distributor, and the configured ones.
    ///
    /// Leaves out github.com if it has no client ID, is not configured, and there are others.
    package var signInHosts: [SignInContext] {
        get throws(ConfigurationError) {
            let configured = try configuredHosts
            let known = try BuiltInHost.allCases.map { host throws(ConfigurationError) in
                try signInContext(of: host.name)
            }.compactMap { $0?.builtInClientID == nil ? nil : $0 }
            let main = try signInContext(of: BuiltInHost.gitHub.name)
            var others: [SignInContext] = []
            for context in known + configured where context.host != main?.host {
                if !others.contains(where: { $0.host == context.host }) { others.append(context) }
            }
            guard let main else { return others }
            let isNamed = main.clientID != nil || configured.contains { $0.host == main.host }
            return isNamed || others.isEmpty ? [main] + others : others
        }
    }

    /// The hosts that may have a token of ours, and whose lines in git's configuration may be ours.
    package var knownHosts: [HostName] {
        get throws(ConfigurationError) {
            let names = try [BuiltInHost.gitHub.name] + signInHosts.map(\.host.name)
            return names.flatMap(\.withGists).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        }
    }

    /// Returns the items in memory, which git's cache lists only by host.
    ///
    /// Leaves out hosts whose items a locked keyring may hide.
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

    /// The setting that turns sign-in off here, or `nil` if there is none.
    package var prohibition: Interactivity.Prohibition? {
        get throws(UserFacingError) {
            prohibition(in: try rethrowing(as: UserFacingError.configurationUnreadable, try entries()))
        }
    }

    /// The setting that turns sign-in off, by the environment alone if the configuration cannot be read.
    package var knownProhibition: Interactivity.Prohibition? { prohibition(in: (try? entries()) ?? []) }
    /// False if a setting forbids to ask, or if the configuration cannot be read.
    package var mayAsk: Bool { (try? entries()).map { prohibition(in: $0) == nil } ?? false }

    private func prohibition(in entries: [ConfigurationEntry]) -> Interactivity.Prohibition? {
        Interactivity.prohibition(
            Configuration(entries, for: Self.noHost), environment: dependencies.environment,
            isMaintenance: dependencies.isMaintenance())
    }

    /// Whether a program asks instead of the terminal, by the environment alone if the configuration cannot be read.
    package var asksByProgram: Bool {
        let configuration = (try? entries()).map { Configuration($0, for: Self.noHost) }
        return Interactivity.asksByProgram(configuration, environment: dependencies.environment)
    }

    /// The settings that apply without a host.
    package var generalSettings: SignInSettings {
        get throws(ConfigurationError) {
            try SignInSettings(
                Configuration(try entries(), for: Self.noHost), host: Self.noHost, environment: dependencies.environment
            )
        }
    }

    private static let noHost = HostName(name: "")
}

extension HostName {
    fileprivate var isASCII: Bool { name.allSatisfy { $0 < 0x80 } }

    /// Returns the host as git's library looks it up, if that is known, so that its spellings are one host.
    ///
    /// Well-known hosts have one spelling, so a similar host gets none of their tokens.
    fileprivate func inASCII(_ asciiName: ([UInt8]) -> [UInt8]?) -> HostName {
        guard !isASCII, let name = asciiName(name), ASCII.isPlain(name, with: "-.") else { return self }
        let form = HostName(name: String(decoding: name, as: UTF8.self), port: port)
        return SignInHost(builtIn: form.canonicalForHTTPS) == nil ? form : self
    }
}

extension ConfigurationEntry {
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

extension Request {
    /// Reads a host as people type or paste it: `github.com`, `ghe.example:8443`, a URL, whose password is ignored.
    ///
    /// `username` outranks the account in the URL; an app finds its owner by the path. Refuses a line feed, after which
    /// another field would begin, as a control byte.
    package init(typed text: String, username: String? = nil, withPath: Bool = false) throws(RequestError) {
        let address = TypedAddress(text)
        // Keeps a text that is not a URL, for the error that shows it.
        let host = [nil, "https", "ssh", "git+ssh"].contains(address.scheme) ? address.host : text
        let path = withPath && !address.path.isEmpty ? address.path : nil
        let fields = [("host", host), ("username", username ?? address.username), ("path", path)].map { name, value in
            value.map { "\(name)=\($0.utf8.contains(0x0a) ? "\0" : $0)\n" } ?? ""
        }
        try self.init(parsing: Secret("protocol=https\n\(fields.joined())".utf8))
    }
}
