package struct SignInSettings {
    /// The provider, or `nil` if none or an unknown one is configured.
    package var provider: ProviderID?
    /// Whether a provider is configured, even by an unknown word.
    package var namesProvider = false
    /// `provider = none`: no token is requested from the host.
    package var isPlainStore = false
    package var clientID: String?
    package var clientSecret: Secret?
    /// A private key: a path or, without a slash, the name of a systemd credential.
    package var clientKey: String?
    /// The `kid` of the key (RFC 7515, 4.1.4).
    package var clientKeyID: String?
    /// `oauthAssertionAudience=endpoint`: assertions name the requested endpoint as audience, instead of the issuer.
    package var assertsToEndpoint = false
    /// The issuer in its own spelling, or `nil` for the host itself.
    package var issuer: String?
    package var scopes: String?
    /// The endpoint of RFC 8628, 3.1.
    package var deviceAuthorizationEndpoint: HTTPSAddress?
    /// The endpoint of RFC 6749, 3.1.
    package var authorizationEndpoint: HTTPSAddress?
    /// The endpoint of RFC 6749, 3.2.
    package var tokenEndpoint: HTTPSAddress?
    /// The address to which the browser returns (RFC 6749, 3.1.2), exactly as registered, or `nil` for the usual form.
    package var redirectURL: String?
    /// The `prompt` parameter of OpenID Connect Core 1.0, 3.1.2.1, or `nil` if the account decides it.
    package var prompt: String?
    /// `gitspaceAuthType = bearer`: git has to send the token as `Authorization: Bearer`.
    ///
    /// The prefix `gitspace` prevents a clash with a later key of git's own.
    package var isBearer = false
    /// The app whose installation signs in instead of a person.
    package var app: AppSettings?
    /// False for `gitspaceFlow = none`: only `login` and `setup` start a sign-in.
    package var mayStartFromGit = true
    package var flow = Flow.auto
    package var store = CredentialStore.auto
    /// An alias or object path, or `nil` for the alias `default`.
    package var collection: String?

    /// `gitspaceFlow`: the way in which a person approves.
    package enum Flow: String {
        /// The browser if one opens here and the server checks the proof of RFC 7636, else the device flow.
        case auto
        /// The authorization code grant (RFC 6749, 4.1).
        case browser
        /// The device authorization grant (RFC 8628).
        case device
    }

    package enum CredentialStore: String {
        /// The keyring, else git's in-memory cache.
        case auto
        case secretservice
        case cache
    }

    package struct AppSettings: Equatable {
        /// The ID, or `nil` if only the key is configured.
        package var id: String?
        /// A path or the name of a systemd credential; `nil` if only the ID is configured.
        package var key: String?
        /// Whether a token is for the requested repository alone, instead of the whole installation.
        package var isRestricted = false
    }

    /// Environment variables take precedence over git's configuration.
    ///
    /// - Throws: `.unknownValue` for a restricting setting.
    package init(
        _ configuration: Configuration, host: HostName, environment: (String) -> String?
    ) throws(ConfigurationError) {
        func text(_ key: SettingKey) -> String? { configuration[key].flatMap { $0.isEmpty ? nil : $0 } }
        func endpoint(_ key: SettingKey) -> HTTPSAddress? { text(key).flatMap { Self.endpoint($0, on: host) } }
        let word = try configuration.word(.provider) ?? ""
        // An app with one missing setting is an error, and no reason to sign in in another way.
        let settings = AppSettings(
            id: text(.githubAppId), key: text(.githubAppKey),
            isRestricted: try configuration.word(.githubAppScope) == "repository")
        app = settings.id == nil && settings.key == nil ? nil : settings
        // Only GitHub has the settings of an app.
        provider = word.isEmpty && app != nil ? .github : ProviderID(setting: word)
        namesProvider = word.isEmpty ? app != nil : word != "none"
        // `provider=none` sends nothing, so it needs no URL with a concrete host.
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
        // A line for all hosts would make GitHub reject every token, so the setting needs a concrete host.
        isBearer = try configuration.word(.gitspaceAuthType) == "bearer"
        let flowName = try configuration.word(.gitspaceFlow)
        mayStartFromGit = flowName != "none"
        flow = flowName.flatMap(Flow.init) ?? .auto
        store = try configuration.word(.gitspaceStore).flatMap(CredentialStore.init) ?? .auto
        collection = text(.gitspaceCollection)
    }

    private static func endpoint(_ text: String, on host: HostName) -> HTTPSAddress? {
        let origin = "https://" + String(decoding: host.canonicalForHTTPS.text, as: UTF8.self)
        return HTTPSAddress(parsing: text.hasPrefix("/") ? origin + text : text)
    }

    /// Seconds for which a returned token must still be valid (`GITSPACE_MIN_VALIDITY`), five minutes by default.
    package static func minValidity(environment: (String) -> String?) -> Int64 {
        environment("GITSPACE_MIN_VALIDITY").flatMap(seconds) ?? 300
    }

    /// Parses seconds, minutes with `m`, or hours with `h`; at most a day.
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
/// git uses the last line that matches the URL (`select_all` in its credential.c), not the most specific one as for
/// `http.<url>.*`.
package struct ConfiguredUsername {
    package let line: OriginatedEntry?
    /// The later lines, which override it for a part of the host, such as one owner's repositories.
    package let exceptions: [OriginatedEntry]
    /// The earlier lines for a part of the host, which have no effect.
    package let overridden: [OriginatedEntry]

    /// `entries` are in git's order, with a repository's own files; `owner` limits the result to one owner's
    /// repositories.
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

    /// Excludes a repository's own files, which must not affect a command about the whole host.
    package init(_ entries: [ConfigurationEntry], for host: HostName) {
        self.init(entries.map { OriginatedEntry(scope: "global", origin: "", entry: $0) }, for: host)
    }

    package var name: String? { line?.entry.value }

    private static func covers(_ host: HostName, _ path: [UInt8], _ url: String?) -> Bool {
        guard let url else { return true }
        // A username in the URL restricts the line to requests with that username.
        guard !url.utf8.contains(UInt8(ascii: "@")) else { return false }
        return URLPattern(url)?.closeness(to: host, path: path) != nil
    }

    private static func isOfPart(of host: HostName, _ path: [UInt8], _ url: String?) -> Bool {
        guard let url, !covers(host, path, url), !url.utf8.contains(UInt8(ascii: "@")),
            // `contains` with a text would link all of regular expressions into the front door.
            let address = HTTPSAddress(parsing: url) ?? HTTPSAddress(parsing: "https://" + url)
        else { return false }
        return address.path != "/"
            && address.path.utf8.dropFirst().starts(with: path.isEmpty ? [] : path + [UInt8(ascii: "/")])
            && HostName(name: address.host, port: address.port) == host.canonicalForHTTPS
    }
}
