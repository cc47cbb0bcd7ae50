/// The person's settings for signing in to one host.
package struct SignInSettings {
    /// What kind of service the host is; nil if it is not configured.
    package var provider: ProviderID?
    /// Whether somebody has said what kind of service the host is, in a word that we know or in another.
    package var namesProvider = false
    /// Whether nothing may ever be requested from the host: `provider = none`.
    package var isPlainStore = false
    /// The OAuth client ID.
    package var clientID: String?
    /// The OAuth client secret, for the few servers that require one.
    package var clientSecret: Secret?
    /// The private key by which the client proves who it is: a path, or without a slash the name of a systemd credential.
    package var clientKey: String?
    /// By what name the server knows that key (`kid`, RFC 7515, 4.1.4).
    package var clientKeyID: String?
    /// Who issues the host's tokens, letter by letter as it calls itself; nil for the host itself.
    package var issuer: String?
    /// The scopes to request instead of the provider's default ones.
    package var scopes: String?
    /// Where a code is requested (RFC 8628, 3.1) for a host that is not built in; nil: where the provider says.
    package var deviceAuthorizationEndpoint: HTTPSAddress?
    /// The same for tokens (RFC 6749, 3.2).
    package var tokenEndpoint: HTTPSAddress?
    /// Whether git has to send the token as `Authorization: Bearer`: `gitspaceAuthType = bearer`.
    ///
    /// git has no such setting: gitcredentials(7) leaves the choice to the helper. A key without our name could become
    /// git's own one day, with another meaning.
    package var isBearer = false
    /// The app whose installation signs in, instead of a person; nil if none is configured.
    package var app: AppSettings?
    /// Whether a sign-in may start from within git, and not only by `login`.
    package var mayStartFromGit = true
    /// Where credentials are stored.
    package var store = CredentialStore.auto
    /// The collection for new items: an alias, or nil for `default`.
    package var collection: String?

    /// `gitspaceStore`.
    package enum CredentialStore: String {
        /// The keyring, else git's in-memory cache.
        case auto
        /// The keyring or nothing.
        case secretservice
        /// git's in-memory cache.
        case cache
    }

    /// An app that signs in by itself: `githubAppId`, `githubAppKey`, `githubAppScope`.
    package struct AppSettings: Equatable {
        /// Its ID; nil if only its key is configured.
        package var id: String?
        /// The path of its private key, or the name of a systemd credential; nil if only its ID is configured.
        package var key: String?
        /// Whether a token is for the one repository that is requested, and not for all of the installation.
        package var isRestricted = false
    }

    /// Reads the settings.
    ///
    /// Environment variables take precedence over git's configuration.
    ///
    /// - Parameters:
    ///   - configuration: git's, for the host.
    ///   - host: the host for endpoints that are given only as a path.
    ///   - environment: looks up a variable.
    package init(_ configuration: Configuration, host: HostName, environment: (String) -> String?) {
        func setting(_ key: String, variable: String? = nil) -> String? {
            [variable.flatMap(environment), configuration.value("credential", key)]
                .compactMap(\.self).first { !$0.isEmpty }
        }
        let word = configuration.hostValue("credential", "provider")?.lowercased() ?? ""
        app = Self.app(configuration)
        // The keys of an app say by their names what kind of host it is.
        provider = word.isEmpty && app != nil ? .github : ProviderID(rawValue: word)
        namesProvider = word.isEmpty ? app != nil : word != "none"
        // `provider=none` sends nothing anywhere, so it does not have to name a host.
        isPlainStore = configuration.value("credential", "provider")?.lowercased() == "none"
        clientID = setting("oauthClientId", variable: "GITSPACE_CLIENT_ID")
        clientSecret = configuration.hostValue("credential", "oauthClientSecret").flatMap {
            $0.isEmpty ? nil : Secret(Array($0.utf8))
        }
        func hostSetting(_ key: String) -> String? {
            configuration.hostValue("credential", key).flatMap { $0.isEmpty ? nil : $0 }
        }
        clientKey = hostSetting("oauthClientKey")
        clientKeyID = hostSetting("oauthClientKeyId")
        issuer = hostSetting("oauthIssuer")
        scopes = configuration.value("credential", "oauthScopes")
        // git-credential-oauth's spellings first, then those of Git Credential Manager.
        deviceAuthorizationEndpoint = configuration.hostValue("credential", "oauthDeviceAuthURL", "oauthDeviceEndpoint")
            .flatMap { Self.endpoint($0, on: host) }
        tokenEndpoint = configuration.hostValue("credential", "oauthTokenURL", "oauthTokenEndpoint")
            .flatMap { Self.endpoint($0, on: host) }
        // One line for all hosts would make GitHub reject every token.
        isBearer = configuration.hostValue("credential", "gitspaceAuthType")?.lowercased() == "bearer"
        mayStartFromGit = setting("gitspaceDeviceFlow") != "never"
        store =
            Self.store(environment: environment) ?? setting("gitspaceStore").flatMap(CredentialStore.init) ?? .auto
        collection = setting("gitspaceCollection")
    }

    /// The keys that apply only under a URL with a concrete host, in lower case.
    package static let hostKeys = [
        "provider", "oauthclientsecret", "oauthdeviceauthurl", "oauthdeviceendpoint", "oauthtokenurl",
        "oauthtokenendpoint", "gitspaceauthtype", "githubappid", "githubappkey", "githubappscope",
        "oauthissuer", "oauthclientkey", "oauthclientkeyid",
    ]

    /// With one of its two settings, an app is configured as well: that the other is missing is an error, and no reason
    /// to sign in in another way.
    private static func app(_ configuration: Configuration) -> AppSettings? {
        func value(_ key: String) -> String? {
            configuration.hostValue("credential", key).flatMap { $0.isEmpty ? nil : $0 }
        }
        let app = AppSettings(
            id: value("githubAppId"), key: value("githubAppKey"), isRestricted: value("githubAppScope") == "repository")
        return app.id == nil && app.key == nil ? nil : app
    }

    /// An endpoint is an https address, or a path on the host itself.
    private static func endpoint(_ text: String, on host: HostName) -> HTTPSAddress? {
        let origin = "https://" + String(decoding: host.canonicalForHTTPS.text, as: UTF8.self)
        return HTTPSAddress(parsing: text.hasPrefix("/") ? origin + text : text)
    }

    /// The store that the environment alone selects; an unknown value selects the default.
    package static func store(environment: (String) -> String?) -> CredentialStore? {
        environment("GITSPACE_STORE").flatMap { $0.isEmpty ? nil : CredentialStore(rawValue: $0) ?? .auto }
    }

    /// The number of seconds for which a token must still be valid to be returned (`GITSPACE_MIN_VALIDITY`).
    ///
    /// The default is five minutes.
    package static func minValidity(environment: (String) -> String?) -> Int64 {
        environment("GITSPACE_MIN_VALIDITY").flatMap(seconds) ?? 300
    }

    /// A number of seconds, or of minutes with an `m`, or of hours with an `h`; at most a day.
    private static func seconds(_ text: String) -> Int64? {
        let factors: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600]
        let factor = text.last.flatMap { factors[$0] }
        guard let number = DecimalNumber.parse((factor == nil ? text[...] : text.dropLast()).utf8), number <= 86_400
        else { return nil }
        return min(number * (factor ?? 1), 86_400)
    }
}

/// The account that git uses for a URL without a username: `credential.username` and `credential.<url>.username`.
///
/// git uses the last line that matches the URL, however general it is (`select_all` in its credential.c). Unlike in
/// `http.<url>.*`, the most specific URL has no precedence.
package struct ConfiguredUsername {
    /// The line that applies to the host as a whole; nil if there is none.
    package let line: OriginatedEntry?
    /// Lines for a part of the host, such as the repositories of one owner, which apply there instead.
    package let exceptions: [OriginatedEntry]
    /// Lines for a part of the host that have no effect, because the line for the whole host follows them.
    package let overridden: [OriginatedEntry]

    /// Reads what is configured for a host.
    ///
    /// - Parameters:
    ///   - entries: what git printed, in its order, including a repository's own files, which git uses as well.
    ///   - host: the host asked about.
    package init(_ entries: [OriginatedEntry], for host: HostName) {
        let lines = entries.filter {
            $0.entry.section == "credential" && $0.entry.key == "username" && $0.entry.value != nil
        }
        let last = lines.lastIndex { Self.covers(host, $0.entry.subsection) }
        let isForPart = { (line: OriginatedEntry) in Self.isOfPart(of: host, line.entry.subsection) }
        line = last.map { lines[$0] }
        exceptions = lines[(last.map { $0 + 1 } ?? 0)...].filter(isForPart)
        overridden = lines[..<(last ?? 0)].filter(isForPart)
    }

    /// Its value.
    package var name: String? { line?.entry.value }

    private static func covers(_ host: HostName, _ url: String?) -> Bool {
        guard let url else { return true }
        // A username in the URL restricts the line to requests with that username.
        guard !url.utf8.contains(UInt8(ascii: "@")) else { return false }
        return URLPattern(url)?.closeness(toHTTPS: host, path: []) != nil
    }

    private static func isOfPart(of host: HostName, _ url: String?) -> Bool {
        guard let url, !covers(host, url), !url.utf8.contains(UInt8(ascii: "@")),
            // Not `contains` with a text: that would link all of regular expressions into the front door.
            let address = HTTPSAddress(parsing: url) ?? HTTPSAddress(parsing: "https://" + url)
        else { return false }
        return address.path != "/" && HostName(name: address.host, port: address.port) == host.canonicalForHTTPS
    }
}
