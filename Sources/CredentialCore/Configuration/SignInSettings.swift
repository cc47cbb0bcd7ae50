package struct SignInSettings {
    /// Nil if it is not configured.
    package var provider: ProviderID?
    /// In a word that we know or in another.
    package var namesProvider = false
    /// `provider = none`: nothing may ever be requested from the host.
    package var isPlainStore = false
    package var clientID: String?
    /// For the few servers that require one.
    package var clientSecret: Secret?
    /// The key by which the client proves who it is: a path, or without a slash the name of a systemd credential.
    package var clientKey: String?
    /// `kid` (RFC 7515, 4.1.4).
    package var clientKeyID: String?
    /// `oauthAssertionAudience=endpoint`: assertions are for the endpoint that is asked, not for the issuer.
    package var assertsToEndpoint = false
    /// Letter by letter as it calls itself; nil for the host itself.
    package var issuer: String?
    /// Instead of the provider's default ones.
    package var scopes: String?
    /// RFC 8628, 3.1; for a host that is not built in; nil: where the provider says.
    package var deviceAuthorizationEndpoint: HTTPSAddress?
    /// RFC 6749, 3.1.
    package var authorizationEndpoint: HTTPSAddress?
    /// RFC 6749, 3.2.
    package var tokenEndpoint: HTTPSAddress?
    /// Where the browser ends (RFC 6749, 3.1.2), letter by letter as it is registered; nil for an address of the usual form.
    package var redirectURL: String?
    /// What the server is asked to show (OpenID Connect Core 1.0, 3.1.2.1); nil where that depends on the account.
    package var prompt: String?
    /// `gitspaceAuthType = bearer`: git has to send the token as `Authorization: Bearer`.
    ///
    /// git has no such setting: gitcredentials(7) leaves the choice to the helper. A key without our name could become
    /// git's own one day, with another meaning.
    package var isBearer = false
    /// Its installation signs in, instead of a person.
    package var app: AppSettings?
    /// `gitspaceFlow = none`: only `login` and `setup` start a sign-in.
    package var mayStartFromGit = true
    package var flow = Flow.auto
    package var store = CredentialStore.auto
    /// An alias; nil for `default`.
    package var collection: String?

    /// `gitspaceFlow`: how a person approves.
    package enum Flow: String {
        /// The browser where a desktop is at hand and the client needs no secret, else the device flow.
        case auto
        /// The authorization code grant (RFC 6749, 4.1).
        case browser
        /// RFC 8628.
        case device
    }

    /// `gitspaceStore`.
    package enum CredentialStore: String {
        /// The keyring, else git's in-memory cache.
        case auto
        /// The keyring or nothing.
        case secretservice
        case cache
    }

    /// `githubAppId`, `githubAppKey`, `githubAppScope`.
    package struct AppSettings: Equatable {
        /// Nil if only its key is configured.
        package var id: String?
        /// A path, or the name of a systemd credential; nil if only its ID is configured.
        package var key: String?
        /// Whether a token is for the one repository that is requested, and not for all of the installation.
        package var isRestricted = false
    }

    /// Environment variables take precedence over git's configuration.
    ///
    /// - Throws: `.unknownValue` for a setting that restricts.
    package init(
        _ configuration: Configuration, host: HostName, environment: (String) -> String?
    ) throws(ConfigurationError) {
        func text(_ key: SettingKey) -> String? { configuration[key].flatMap { $0.isEmpty ? nil : $0 } }
        func endpoint(_ key: SettingKey) -> HTTPSAddress? { text(key).flatMap { Self.endpoint($0, on: host) } }
        let word = try configuration.word(.provider) ?? ""
        app = try Self.app(configuration)
        // The keys of an app say by their names what kind of host it is.
        provider = word.isEmpty && app != nil ? .github : ProviderID(setting: word)
        namesProvider = word.isEmpty ? app != nil : word != "none"
        // `provider=none` sends nothing anywhere, so it does not have to name a host.
        isPlainStore = configuration.value("credential", SettingKey.provider.rawValue)?.lowercased() == "none"
        let variable = environment("GITSPACE_CLIENT_ID") ?? ""
        clientID = variable.isEmpty ? text(.oauthClientId) : variable
        clientSecret = text(.oauthClientSecret).map { Secret(Array($0.utf8)) }
        clientKey = text(.oauthClientKey)
        clientKeyID = text(.oauthClientKeyId)
        assertsToEndpoint = try configuration.word(.oauthAssertionAudience) == "endpoint"
        issuer = text(.oauthIssuer)
        scopes = configuration[.oauthScopes]
        deviceAuthorizationEndpoint = endpoint(.oauthDeviceAuthURL)
        authorizationEndpoint = endpoint(.oauthAuthURL)
        tokenEndpoint = endpoint(.oauthTokenURL)
        redirectURL = text(.oauthRedirectURL)
        prompt = text(.oauthPrompt)
        // One line for all hosts would make GitHub reject every token.
        isBearer = try configuration.word(.gitspaceAuthType) == "bearer"
        let flowName = try configuration.word(.gitspaceFlow)
        mayStartFromGit = flowName != "none"
        flow = flowName.flatMap(Flow.init) ?? .auto
        store = try configuration.word(.gitspaceStore).flatMap(CredentialStore.init) ?? .auto
        collection = text(.gitspaceCollection)
    }

    /// With one of its two settings, an app is configured as well: that the other is missing is an error, and no reason
    /// to sign in in another way.
    private static func app(_ configuration: Configuration) throws(ConfigurationError) -> AppSettings? {
        func value(_ key: SettingKey) -> String? { configuration[key].flatMap { $0.isEmpty ? nil : $0 } }
        let app = AppSettings(
            id: value(.githubAppId), key: value(.githubAppKey),
            isRestricted: try configuration.word(.githubAppScope) == "repository")
        return app.id == nil && app.key == nil ? nil : app
    }

    /// An endpoint is an https address, or a path on the host itself.
    private static func endpoint(_ text: String, on host: HostName) -> HTTPSAddress? {
        let origin = "https://" + String(decoding: host.canonicalForHTTPS.text, as: UTF8.self)
        return HTTPSAddress(parsing: text.hasPrefix("/") ? origin + text : text)
    }

    /// Seconds for which a token must still be valid to be returned (`GITSPACE_MIN_VALIDITY`); five minutes by default.
    package static func minValidity(environment: (String) -> String?) -> Int64 {
        environment("GITSPACE_MIN_VALIDITY").flatMap(seconds) ?? 300
    }

    /// Plain, or minutes with an `m`, or hours with an `h`; at most a day.
    private static func seconds(_ text: String) -> Int64? {
        let factors: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600]
        let factor = text.last.flatMap { factors[$0] }
        guard let number = DecimalNumber.parse((factor == nil ? text[...] : text.dropLast()).utf8), number <= 86_400
        else { return nil }
        return min(number * (factor ?? 1), 86_400)
    }
}

/// The username for a URL without one: `credential.username` and `credential.<url>.username`.
///
/// git uses the last line that matches the URL, however general it is (`select_all` in its credential.c). Unlike in
/// `http.<url>.*`, the most specific URL has no precedence.
package struct ConfiguredUsername {
    /// For the host as a whole.
    package let line: OriginatedEntry?
    /// For a part of the host, such as the repositories of one owner, where they apply instead.
    package let exceptions: [OriginatedEntry]
    /// For a part of the host, without effect, because the line for the whole host follows them.
    package let overridden: [OriginatedEntry]

    /// `entries` in git's order, including a repository's own files, which git uses as well.
    ///
    /// `owner` narrows it to the repositories of one owner: what counts for them, and the exceptions below them.
    package init(_ entries: [OriginatedEntry], for host: HostName, owner: String? = nil) {
        let path = Array((owner ?? "").utf8)
        let lines = entries.filter {
            $0.entry.section == "credential" && $0.entry.key == "username" && $0.entry.value != nil
        }
        let last = lines.lastIndex { Self.covers(host, path, $0.entry.subsection) }
        let isForPart = { (line: OriginatedEntry) in Self.isOfPart(of: host, path, line.entry.subsection) }
        line = last.map { lines[$0] }
        exceptions = lines[(last.map { $0 + 1 } ?? 0)...].filter(isForPart)
        overridden = lines[..<(last ?? 0)].filter(isForPart)
    }

    /// Without a repository's own files, which choose nothing for a command about the whole host.
    package init(_ entries: [ConfigurationEntry], for host: HostName) {
        self.init(entries.map { OriginatedEntry(scope: "global", origin: "", entry: $0) }, for: host)
    }

    package var name: String? { line?.entry.value }

    private static func covers(_ host: HostName, _ path: [UInt8], _ url: String?) -> Bool {
        guard let url else { return true }
        // A username in the URL restricts the line to requests with that username.
        guard !url.utf8.contains(UInt8(ascii: "@")) else { return false }
        return URLPattern(url)?.closeness(toHTTPS: host, path: path) != nil
    }

    private static func isOfPart(of host: HostName, _ path: [UInt8], _ url: String?) -> Bool {
        guard let url, !covers(host, path, url), !url.utf8.contains(UInt8(ascii: "@")),
            // Not `contains` with a text: that would link all of regular expressions into the front door.
            let address = HTTPSAddress(parsing: url) ?? HTTPSAddress(parsing: "https://" + url)
        else { return false }
        return address.path != "/"
            && address.path.utf8.dropFirst().starts(with: path.isEmpty ? [] : path + [UInt8(ascii: "/")])
            && HostName(name: address.host, port: address.port) == host.canonicalForHTTPS
    }
}
