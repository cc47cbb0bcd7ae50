internal import CredentialCore

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
