/// ② A host for signing in, built in or named in the person's own configuration.
package struct SignInHost: Hashable {
    /// The name in the keyring: in lower case, without the default port of https.
    package let name: HostName
    package let providerID: ProviderID
    package let origin: HTTPSAddress
    /// Whether the host is built in, so that no configuration can change its endpoints.
    package let isBuiltIn: Bool

    /// Whether the user name in clone addresses is an organization's: Azure DevOps shows
    /// `https://ORG@dev.azure.com/ORG/…`.
    package var namesOrganizations: Bool { name == HostName(name: "dev.azure.com") }

    /// Returns `nil` if the host is not built in; letter case and `:443` are ignored.
    package init?(builtIn host: HostName) {
        let canonical = host.canonicalForHTTPS
        guard canonical.port == nil else { return nil }
        let name = String(decoding: canonical.name, as: UTF8.self)
        switch name {
        // Gists are pushed with the account and token of github.com.
        case "github.com", "gist.github.com": self.init(.github, builtIn: "github.com")
        case "gitlab.com": self.init(.gitlab, builtIn: name)
        case _ where Self.isEnterpriseCloud(canonical.name): self.init(.github, builtIn: name)
        default: return nil
        }
    }

    /// Returns `nil` if the name is invalid in a URL.
    package init?(configured host: HostName, provider: ProviderID) {
        let canonical = host.canonicalForHTTPS
        guard let origin = HTTPSAddress(parsing: "https://" + String(decoding: canonical.text, as: UTF8.self)) else {
            return nil
        }
        name = canonical
        providerID = provider
        self.origin = origin
        isBuiltIn = false
    }

    private init(_ provider: ProviderID, builtIn host: String) {
        name = HostName(name: host)
        providerID = provider
        origin = HTTPSAddress(host: host)
        isBuiltIn = true
    }

    /// Whether a name is GitHub Enterprise Cloud with data residency: one label before `ghe.com`.
    private static func isEnterpriseCloud(_ name: [UInt8]) -> Bool {
        let suffix = Array(".ghe.com".utf8)
        guard name.count > suffix.count, name.suffix(suffix.count).elementsEqual(suffix) else { return false }
        let label = name.dropLast(suffix.count)
        return label.count <= 63 && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
            && ASCII.isPlain(label, with: "-")
    }

    /// The web name of a host with another name for ssh on port 443.
    package static func webName(ofSSH name: String) -> String {
        switch name {
        case "ssh.github.com": "github.com"
        case "altssh.gitlab.com": "gitlab.com"
        default: name
        }
    }

    /// The path to which a browser returns after a sign-in, unique to the host: another server has not registered it,
    /// so its answer goes nowhere (RFC 9700, 4.4.2).
    package var redirectPath: String {
        // Brackets are not allowed in a path (RFC 3986, 3.3).
        isBuiltIn ? "/" : "/" + origin.authority.filter { $0 != "[" && $0 != "]" }
    }

    package var displayName: DisplayText { DisplayText(trusted: String(decoding: name.text, as: UTF8.self)) }
}

extension HostName {
    /// The host and, for github.com, its gists, which share accounts and tokens.
    package var withGists: [HostName] {
        self == HostName(name: "github.com") ? [self, HostName(name: "gist.github.com")] : [self]
    }
}

/// A kind of host, by its value of `credential.<url>.provider`.
package enum ProviderID: String, CaseIterable {
    /// github.com, *.ghe.com, GitHub Enterprise Server.
    case github
    /// gitlab.com, self-managed GitLab.
    case gitlab
    /// Gitea and Forgejo, codeberg.org among them.
    case gitea
    /// A server of OpenID Connect or OAuth 2.0 with a device flow or a code flow.
    case oidc
    /// Bitbucket Cloud, where a person makes a token.
    case bitbucket
    /// Any other host.
    case git

    package static var allCases: [ProviderID] { [.github, .gitlab, .gitea, .oidc] }

    package init?(setting: String) {
        self.init(rawValue: setting)
        if self == .bitbucket || self == .git { return nil }
    }
}

/// ② The credentials that a request is about, and their attributes: the credential context of gitcredentials(7).
///
/// A hit needs no configuration. After a miss, `SignInContext` in the module Helper decides whether and how to sign in.
package struct CredentialContext: Equatable {
    package let `protocol`: [UInt8]
    package let host: HostName
    package let path: [UInt8]?
    /// The host for signing in, or `nil` for a plain store.
    ///
    /// A host that is not built in has none before the configuration is read.
    package let signInHost: SignInHost?

    package init(of request: Request) throws(RequestError) {
        guard let host = HostName(request.host) else { throw .malformedHost }
        try self.init(protocol: request.protocol, host: host, path: request.path)
    }

    package init(protocol: [UInt8], host: HostName, path: [UInt8]? = nil) throws(RequestError) {
        let withoutPort = HostName(name: String(decoding: host.canonicalForHTTPS.name, as: UTF8.self))
        guard SignInHost(builtIn: withoutPort) != nil else {
            self.init(protocol: `protocol`, host: host, path: path, signInHost: nil)
            return
        }
        guard ASCII.equalsIgnoringCase(`protocol`, "https"), let builtIn = SignInHost(builtIn: host) else {
            throw .downgrade
        }
        self.init(builtIn, path: path)
    }

    package init(_ host: SignInHost, path: [UInt8]?) {
        self.init(protocol: Self.https, host: host.name, path: path, signInHost: host)
    }

    private init(protocol: [UInt8], host: HostName, path: [UInt8]?, signInHost: SignInHost?) {
        self.protocol = `protocol`
        self.host = host
        self.path = path?.isEmpty == true ? nil : path
        self.signInHost = signInHost
    }

    package func attributes(user: [UInt8], object: [UInt8]? = nil) -> ItemAttributes {
        ItemAttributes(protocol: self.protocol, host: host, user: user, object: object)
    }

    /// The query of a `get` or `store`; without a path, for the host as a whole.
    package func query(user: [UInt8]?) -> ItemQuery {
        query(user: user, path: path, signInHost == nil ? .exact : .wholeHostServesPath)
    }

    /// The query for all items of the host, whatever their paths.
    package func everything(user: [UInt8]?) -> ItemQuery { query(user: user, path: nil, .wildcard) }

    package func query(user: [UInt8]?, path: [UInt8]?, _ paths: ItemQuery.Paths) -> ItemQuery {
        ItemQuery(
            protocol: self.protocol, host: host, user: user, path: path, paths: paths, ignoresCase: signInHost != nil)
    }

    /// Whether two names are one account's: hosts where we sign in ignore the case of ASCII letters.
    package func isSameAccount(_ name: [UInt8], _ other: [UInt8]) -> Bool {
        name == other || signInHost != nil && ASCII.equalsIgnoringCase(name, other)
    }

    package static let https = Array("https".utf8)
}
