/// ② A host where we sign in: built in, or named by the person's own configuration.
package struct SignInHost: Hashable {
    /// The host as it is filed in the keyring: folded, without https's own port.
    package let name: HostName
    /// What kind of service it is.
    package let provider: Provider
    /// Where the OAuth endpoints are.
    package let oauthBase: HTTPSAddress
    /// Where the API is.
    package let apiBase: HTTPSAddress
    /// Whether the endpoints are ours to know, so that no configuration may move them.
    package let isBuiltIn: Bool

    /// The built-in host of that name, if it is one.
    ///
    /// - Parameter host: as git sent it; letter case and `:443` do not matter, and nothing else is forgiven.
    package init?(builtIn host: HostName) {
        let canonical = host.canonicalForHTTPS
        guard canonical.port == nil else { return nil }
        let name = String(decoding: canonical.name, as: UTF8.self)
        switch name {
        // A gist is pushed with the account and the token of github.com.
        case "github.com", "gist.github.com":
            self.init(github: "github.com", api: "api.github.com")
        default:
            guard Self.isEnterpriseCloud(canonical.name) else { return nil }
            self.init(github: name, api: "api.\(name)")
        }
    }

    /// A host that the person's configuration says is of that kind, such as a GitHub Enterprise Server.
    ///
    /// - Returns: nil for `Provider.none`, or if the name cannot stand in an address.
    package init?(configured host: HostName, provider: Provider) {
        let canonical = host.canonicalForHTTPS
        guard provider != .none,
            let origin = HTTPSAddress(parsing: "https://" + String(decoding: canonical.text, as: UTF8.self))
        else { return nil }
        name = canonical
        self.provider = provider
        oauthBase = origin
        apiBase = HTTPSAddress(host: origin.host, port: origin.port, path: "/api/v3")
        isBuiltIn = false
    }

    private init(github host: String, api: String) {
        name = HostName(name: host)
        provider = .github
        oauthBase = HTTPSAddress(host: host)
        apiBase = HTTPSAddress(host: api)
        isBuiltIn = true
    }

    /// GitHub Enterprise Cloud with data residency: one label before `ghe.com`.
    private static func isEnterpriseCloud(_ name: [UInt8]) -> Bool {
        let suffix = Array(".ghe.com".utf8)
        guard name.count > suffix.count, name.suffix(suffix.count).elementsEqual(suffix) else { return false }
        let label = name.dropLast(suffix.count)
        return label.count <= 63 && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
            && label.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }

    /// The host as it is said to people.
    package var displayName: DisplayText { DisplayText(own: String(decoding: name.text, as: UTF8.self)) }
}
