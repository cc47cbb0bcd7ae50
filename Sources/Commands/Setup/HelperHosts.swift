package import CredentialCore
internal import Helper

/// The hosts for which git is set up: those where this program signs in.
package struct HelperHosts {
    /// A host, and its address in git's configuration.
    package struct Host: Equatable {
        /// The host.
        package let name: HostName
        /// The address, without a path.
        package let url: String

        fileprivate init(_ address: HTTPSAddress) {
            name = HostName(name: address.host, port: address.port)
            url = "https://\(address.authority)"
        }
    }

    /// The hosts: github.com and its gists, then those that the person has named a provider for.
    package let all: [Host]

    /// The hosts of a configuration.
    ///
    /// A pattern that stands for many hosts is passed over: a blank line for all of them might be more than was meant.
    package init(_ entries: [OriginatedEntry]) {
        var hosts = [Host(HTTPSAddress(host: "github.com")), Host(HTTPSAddress(host: "gist.github.com"))]
        for line in entries where line.entry.section == "credential" && line.entry.key == "provider" {
            guard let address = line.entry.subsection.flatMap(HTTPSAddress.init(parsing:)), address.path == "/",
                let provider = line.entry.value.flatMap({ Provider(rawValue: $0.lowercased()) }), provider != .none
            else { continue }
            let host = Host(address)
            if !hosts.contains(host) { hosts.append(host) }
        }
        all = hosts
    }
}
