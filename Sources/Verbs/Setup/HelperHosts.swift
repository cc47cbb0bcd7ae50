package import CredentialCore
package import Helper

/// The hosts for which git is set up: those where this program signs in.
package struct HelperHosts {
    /// A host, and its address in git's configuration.
    package struct Host: Equatable {
        /// The host.
        package let name: HostName
        /// The address, without a path.
        package let url: String
        /// Whether the credential depends on the repository, as with an app that signs in by itself.
        package let needsPath: Bool

        fileprivate init(_ name: HostName, needsPath: Bool = false) {
            self.name = name
            self.needsPath = needsPath
            url = "https://" + String(decoding: name.text, as: UTF8.self)
        }
    }

    /// The hosts: github.com and its gists, then those for which there is a built-in client ID, or for which the person
    /// has configured a provider or a client ID.
    ///
    /// Without any of these, gitlab.com is left alone: nobody can sign in there, and a line of ours would switch off
    /// the helper that it has now. github.com is always included, since our own messages lead to a client ID for it.
    package let all: [Host]

    /// The hosts by git's configuration.
    ///
    /// - Parameters:
    ///   - resolver: what is configured.
    ///   - another: another host to include, whether we sign in there or store a token for it.
    /// - Throws: why it is unknown what is configured.
    package init(_ resolver: ContextResolver, and another: HostName? = nil) throws(ConfigurationError) {
        var hosts = [Host(HostName(name: "github.com")), Host(HostName(name: "gist.github.com"))]
        var contexts = try resolver.hostsWithBuiltInClient + resolver.configuredHosts
        if let another, let context = try resolver.signInContext(of: another) { contexts.append(context) }
        for host in contexts.map({ Host($0.host.name) }) where !hosts.contains(host) { hosts.append(host) }
        // A token host: no sign-in, but the person's own token, which no other helper needs to see.
        if let another, !hosts.contains(Host(another.canonicalForHTTPS)) {
            hosts.append(Host(another.canonicalForHTTPS))
        }
        var all: [Host] = []
        for host in hosts {
            all.append(Host(host.name, needsPath: try resolver.signInContext(of: host.name)?.needsNoPerson == true))
        }
        self.all = all
    }
}
