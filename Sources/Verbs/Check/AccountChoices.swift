internal import CredentialCore
internal import Helper
internal import Providers

/// The account that git uses for a repository, by its URL and git's configuration, and the ways to change it.
///
/// git takes the name in the URL, or else the last matching line of its configuration. The configuration of the current
/// repository counts only for its own remotes.
struct AccountChoices {
    let username: String?
    let request: AccountRequest
    /// The current repository's remote for the checked one, or `origin`.
    private let remote: DisplayText
    private let hasRemote: Bool
    private let setting: Setting?

    /// The line that can choose another account; `nil` if none would take effect.
    private enum Setting {
        /// A key of the person's own file, for all repositories of the owner.
        case ofOwner
        /// The key that `switch --here` writes; it outranks that of the owner.
        case here
        /// Another key of this repository's own configuration, which names the account now.
        case ofRepository(key: DisplayText, option: DisplayText)
    }

    /// `lines` are git's in its order, including a repository's own files.
    init(_ address: RepositoryAddress, _ lines: [OriginatedEntry]) {
        let own = lines.last { line in
            line.entry.section == "remote" && line.entry.key == "url"
                && line.entry.value.flatMap { RepositoryAddress($0) }?.isSame(as: address) == true
        }
        let counted = lines.filter { $0.isTrusted || own != nil }
        let line = ConfiguredUsername(counted, for: address.host, owner: address.name).line
        // git would read other names as options, so no person has made such a remote.
        let name = own?.entry.subsection ?? ""
        let isPlain = !name.isEmpty && !name.hasPrefix("-") && ASCII.isPlain(name.utf8, with: "-_./")
        remote = DisplayText(trusted: isPlain ? name : "origin")
        hasRemote = own != nil
        username = address.rawUsername ?? line?.entry.value
        if address.rawUsername == nil, let line, line.scope != "command" {
            request = .configuration(
                key: DisplayText(trusted: line.entry.name), scope: "--\(DisplayText(trusted: line.scope))")
        } else {
            let named = AccountRequest.address(DisplayText(untrusted: address.host.text), address.path)
            request = .repository(hasRemote ? .folder(nil) : .clone, remote: remote, named)
        }
        if address.rawUsername != nil || line?.scope == "command" {
            setting = nil
        } else if let line, !line.isTrusted {
            let isHere = line.scope == "local" && line.entry.name == "credential.\(address.host.url).username"
            setting =
                isHere
                ? .here
                : .ofRepository(
                    key: DisplayText(trusted: line.entry.name),
                    option: line.scope == "worktree" ? "--worktree" : "--local")
        } else if own?.isTrusted == false {
            setting = .here
        } else {
            let owner = "\(address.host.url)/\(address.segments.first ?? "")"
            // git writes into the existing section, and a later line would still override it.
            let isFollowed = line.flatMap(counted.lastIndex(of:)).map { end in
                counted[end].entry.subsection != owner
                    && counted[..<end].contains { $0.scope == "global" && $0.entry.subsection == owner }
            }
            setting = isFollowed == true || address.segments.count < 2 ? nil : .ofOwner
        }
    }

    /// Returns the hints that choose another account, or none if a name could not be pasted into a shell.
    func choosing(_ other: DisplayText, host: DisplayText, repository: DisplayText) -> [Message] {
        guard RepositoryAddress("https://\(other)@\(host)/\(repository)")?.username == other.text else { return [] }
        let byURL = Message.command("git remote set-url \(word: remote) https://\(other)@\(host)/\(repository)")
        switch setting {
        case nil:
            return hasRemote
                ? [Message("use that account for this remote:"), byURL]
                : [
                    Message("use that account in the repository's URL:"),
                    .command("https://\(other)@\(host)/\(repository)"),
                ]
        case .ofOwner?:
            let owner = DisplayText(trusted: repository.text.split(separator: "/").first.map(String.init) ?? "")
            let forOwner = Message.command(
                "git credential-gitspace switch \(word: host) \(word: other) --owner \(word: owner)")
            return hasRemote
                ? [
                    Message("use that account for this remote, or for all repositories of this owner:"), byURL,
                    forOwner,
                ] : [Message("use that account for all repositories of this owner:"), forOwner]
        case .here?:
            return [
                Message("use that account in this repository:"),
                .command("git credential-gitspace switch \(word: host) \(word: other) --here"),
            ]
        case .ofRepository(let key, let option)?:
            return [
                Message("use that account for this remote, or for every remote of this repository:"), byURL,
                .command("git config \(option) \(word: key) \(other)"),
            ]
        }
    }
}

/// git's addresses to fetch from and push to (git-config(1): `url.<base>.insteadOf`, `pushInsteadOf`,
/// `remote.<name>.pushurl`, `branch.<name>.pushRemote`, `remote.pushDefault`).
struct RemoteAddress {
    let fetch: String
    let push: String
    /// `nil` if the address is not that of a remote.
    let name: String?
    /// `nil` if the address for pushes is not that of a remote.
    let pushName: String?

    /// Returns the name or address of another remote for the pushes of a branch, or `nil` for the usual one.
    static func pushRemote(of branch: String?, _ lines: [OriginatedEntry]) -> String? {
        func value(_ section: String, _ subsection: String?, _ key: String) -> String? {
            lines.last { line in
                line.entry.section == section && line.entry.subsection == subsection && line.entry.key == key
            }?.entry.value
        }
        return branch.flatMap { value("branch", $0, "pushremote") } ?? value("remote", nil, "pushdefault")
    }

    /// Reads git's lines for an address or the name of a remote, as a person types it.
    ///
    /// `lines` are in git's order; `pushRemote` is the name or the address of another remote for pushes.
    init(_ typed: String, _ lines: [OriginatedEntry], pushedTo pushRemote: String? = nil) {
        let fetch = Self.rewritten(typed, "insteadof", lines) ?? typed
        let remotes = lines.map(\.entry).filter { $0.section == "remote" && $0.key == "url" && $0.value != nil }
        let remote = remotes.first { line in
            let url = line.effectiveValue
            return [typed, fetch].contains(url) || Self.rewritten(url, "insteadof", lines) == typed
                || line.subsection == typed
        }
        name = remote?.subsection
        let url = remote?.effectiveValue ?? typed
        self.fetch = remote.map { _ in Self.rewritten(url, "insteadof", lines) ?? url } ?? fetch
        let pushed = pushRemote.map { name in remotes.first { $0.subsection == name } } ?? remote
        let pushedURL = pushed?.effectiveValue ?? pushRemote ?? url
        pushName = pushed?.subsection
        let pushURL = lines.map(\.entry).first {
            $0.section == "remote" && $0.key == "pushurl" && $0.subsection == pushed?.subsection && $0.value != nil
        }
        if pushed != nil, let pushURL = pushURL?.effectiveValue {
            push = Self.rewritten(pushURL, "insteadof", lines) ?? pushURL
        } else {
            let fetched = pushRemote == nil ? self.fetch : Self.rewritten(pushedURL, "insteadof", lines) ?? pushedURL
            push = Self.rewritten(pushedURL, "pushinsteadof", lines) ?? fetched
        }
    }

    /// Replaces the longest matching prefix; `nil` if none matches.
    private static func rewritten(_ url: String, _ key: String, _ lines: [OriginatedEntry]) -> String? {
        var best: (base: String, prefix: String)?
        for entry in lines.map(\.entry) where entry.section == "url" && entry.key == key {
            guard let base = entry.subsection, let prefix = entry.value, url.utf8.starts(with: prefix.utf8),
                prefix.utf8.count > best?.prefix.utf8.count ?? -1
            else { continue }
            best = (base, prefix)
        }
        return best.map { base, prefix in
            String(decoding: Array(base.utf8) + url.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        }
    }
}
