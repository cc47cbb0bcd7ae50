package import CredentialCore
internal import Providers

/// How to tell git to use another account for a repository; only ways that take effect there.
package enum AccountChoice: Equatable {
    /// The name in the URL of that remote, which outranks git's configuration.
    case remote(DisplayText)
    /// A key of the person's own file, for all repositories of the owner.
    case owner
    /// The key of this repository's own configuration that names the account now.
    case repository(key: DisplayText, option: DisplayText)
}

/// Which account git uses for a repository, by its URL and git's configuration, and how that can be changed.
///
/// git takes the name in the URL, else the last line of its configuration that matches. The configuration of the
/// repository in which `check` runs counts only for that repository's own remotes.
struct AccountChoices {
    /// The account; nil if nothing names one.
    let username: String?
    /// The ways to choose another one.
    let all: [AccountChoice]

    /// Reads what applies to a repository.
    ///
    /// - Parameters:
    ///   - address: the repository, and the account in its URL, if any.
    ///   - lines: what git printed, in its order, including a repository's own files.
    init(_ address: RepositoryAddress, _ lines: [OriginatedEntry]) {
        let remote = lines.last { Self.isRemote($0, to: address) }
        let path = Array(address.segments.joined(separator: "/").utf8)
        let counted = lines.filter { $0.isTrusted || remote != nil }
        let governing = counted.lastIndex { Self.isUsername($0, for: address.host, path) }
        let name = remote?.entry.subsection.flatMap { Self.isPlain($0) ? $0 : nil }
        let byURL = AccountChoice.remote(DisplayText(own: name ?? "origin"))
        username = address.username ?? governing.flatMap { counted[$0].entry.value }
        guard address.username == nil else {
            all = [byURL]
            return
        }
        let ownerURL = "https://\(DisplayText(address.host.text))/\(address.segments.first ?? "")"
        // git writes into the existing section, and a later line would still override it.
        let isFollowed = governing.map { end in
            counted[end].entry.subsection != ownerURL
                && counted[..<end].contains { $0.scope == "global" && $0.entry.subsection == ownerURL }
        }
        guard let governing, !counted[governing].isTrusted else {
            let isSettled = governing.map { counted[$0].scope == "command" } ?? false
            all = isFollowed == true || isSettled ? [byURL] : [byURL, .owner]
            return
        }
        let line = counted[governing]
        let option = line.scope == "worktree" ? "--worktree" : "--local"
        all = [byURL, .repository(key: DisplayText(own: line.entry.name), option: DisplayText(own: option))]
    }

    private static func isRemote(_ line: OriginatedEntry, to address: RepositoryAddress) -> Bool {
        guard line.entry.section == "remote", line.entry.key == "url", let url = line.entry.value,
            let other = RepositoryAddress(url)
        else { return false }
        return other.host == address.host && other.segments == address.segments
    }

    /// A name that git would read as an option is not a remote that a person has made.
    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix("-")
            && name.utf8.allSatisfy { ASCII.isLetterOrDigit($0) || "-_./".utf8.contains($0) }
    }

    private static func isUsername(_ line: OriginatedEntry, for host: HostName, _ path: [UInt8]) -> Bool {
        guard line.entry.section == "credential", line.entry.key == "username", line.entry.value != nil else {
            return false
        }
        guard let url = line.entry.subsection else { return true }
        return URLPattern(url)?.closeness(toHTTPS: host, path: path) != nil
    }
}
