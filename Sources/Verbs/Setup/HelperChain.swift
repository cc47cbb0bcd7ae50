package import CredentialCore
internal import Helper

/// The helpers that git asks for a host, in git's order.
///
/// git takes every line that covers the host, including the plain `credential.helper`, in the order of the files; an
/// empty one clears those before it (gitcredentials(7)).
package struct HelperChain {
    /// A helper, and where it is configured.
    package struct Link: Equatable {
        /// The value of the line.
        package let helper: String
        /// The file.
        package let origin: String
        /// The URL for which it is configured; nil for every one.
        package let url: String?
        /// Which of git's files it is, as git names them: `system`, `global`, `local`, ….
        package let scope: String

        /// Whether the person or the system configured it, not a repository.
        package var isTrusted: Bool { ConfigurationEntry.isTrusted(scope: scope.utf8) }
        /// Whether it names this program; a repository's path may lead to any program of that name.
        package var isOurs: Bool { isTrusted ? HelperCommand.isOurs(helper) : helper == HelperCommand.short.value }
    }

    /// The helpers that are asked.
    package private(set) var links: [Link] = []

    /// The helpers of a host.
    ///
    /// - Parameters:
    ///   - entries: the lines of the configuration, in git's order.
    ///   - host: the host.
    package init(_ entries: [OriginatedEntry], for host: HostName) {
        for line in entries where line.entry.section == "credential" && line.entry.key == "helper" {
            guard let helper = line.entry.value, Self.covers(line.entry.subsection, host) else { continue }
            let link = Link(helper: helper, origin: line.origin, url: line.entry.subsection, scope: line.scope)
            if helper.isEmpty { links = [] } else { links.append(link) }
        }
    }

    private static func covers(_ pattern: String?, _ host: HostName) -> Bool {
        guard let pattern else { return true }
        return URLPattern(pattern)?.closeness(toHTTPS: host, path: []) != nil
    }
}
