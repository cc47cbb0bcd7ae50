internal import CredentialCore
internal import Helper
internal import Providers

/// Finds what git uses for a host instead of this program or beside it.
struct OtherCredentials {
    /// git's configuration including the current repository's, in git's order.
    let lines: [OriginatedEntry]
    let outside: VerbDependencies
    let dependencies: Dependencies

    // MARK: Credentials that git sends without asking a helper, or before it asks one

    /// Finds all in git's order: `http.<url>.extraHeader`, which replaces every other authentication, a password in the
    /// URL, and libcurl's `~/.netrc` (http.c of git, CURLOPT_NETRC).
    func all(for host: HostName) -> [Diagnosis] {
        let remotes = remotes(on: host)
        let paths = [[]] + remotes.map { Array(TypedAddress($0.url).path.utf8) }
        let found = paths.map { header(for: host, path: $0) } + remotes.map { inURL($0, host) } + [inNetrc(for: host)]
        return found.compactMap(\.self).unique
    }

    func first(for address: RepositoryAddress, at remote: RemoteAddress) -> Diagnosis? {
        let fetched = remotes(on: address.host).first { $0.name == remote.name && $0.line.entry.key == "url" }
        return header(for: address.host, path: Array(address.path.utf8))
            ?? fetched.flatMap { inURL($0, address.host) } ?? inNetrc(for: address.host)
    }

    // MARK: http.extraHeader

    /// Collects the headers as git does: an empty value drops those before it, and a URL that matches worse is ignored.
    private func header(for host: HostName, path: [UInt8]) -> Diagnosis? {
        var counted: [OriginatedEntry] = []
        var closest: URLPattern.Closeness?
        for line in lines where line.entry.section == "http" && line.entry.key == "extraheader" {
            if let url = line.entry.subsection {
                guard let closeness = URLPattern(url)?.closeness(to: host, path: path) else { continue }
                if let closest, closeness < closest { continue }
                closest = closeness
            } else if closest != nil {
                continue
            }
            if line.entry.value?.isEmpty == true { counted = [] } else { counted.append(line) }
        }
        let header = counted.last { Self.headerName($0).lowercased() == "authorization" }
        guard let line = header else { return nil }
        let (key, name) = (line.shownKey, DisplayText(trusted: Self.headerName(line)))
        // A repository's own setting may be meant for that repository, and is only a warning.
        return Diagnosis(
            .helpers, line.isTrusted ? .fail : .warn,
            Message(
                "git sends its own Authorization header to %1$s instead of your sign-in (set by %2$s in %3$s)",
                host.shown, key, line.shownOrigin),
            line.fileOption.map {
                [Message("remove it:"), .command("git config \($0) --unset-all \(word: line.entry.name) '^\(name):'")]
            } ?? [Message("remove it where git is started")])
    }

    private static func headerName(_ line: OriginatedEntry) -> String {
        String((line.entry.value ?? "").prefix { $0 != ":" })
    }

    // MARK: A remote's URL

    /// A remote's line and name, and its URL as git uses it (`url.<base>.insteadOf`).
    private typealias Remote = (line: OriginatedEntry, name: String, url: String)

    private func remotes(on host: HostName) -> [Remote] {
        lines.compactMap { line in
            guard line.entry.section == "remote", ["url", "pushurl"].contains(line.entry.key),
                let name = line.entry.subsection, let url = line.entry.value
            else { return nil }
            let used = RemoteAddress(url, lines).fetch
            let address = TypedAddress(used)
            let isThere = address.scheme == "https" && HostName(Array(address.host.utf8))?.canonicalForHTTPS == host
            return isThere ? (line, name, used) : nil
        }
    }

    /// Finds a password in the URL, or a token in place of the user's name.
    private func inURL(_ remote: Remote, _ host: HostName) -> Diagnosis? {
        let address = TypedAddress(remote.url)
        let isToken = address.username.map { TokenShape.fits(Array($0.utf8)) } == true
        guard address.hasPassword || isToken else { return nil }
        let name = DisplayText(untrusted: remote.name.utf8)
        let isWritten = remote.line.entry.value == remote.url
        // `git remote` changes the repository's `config` alone, and no included file.
        let isOfRepository = isWritten && remote.line.scope == "local" && "/\(remote.line.origin)".hasSuffix("/config")
        let option: DisplayText = remote.line.entry.key == "pushurl" ? " --push" : ""
        let url = "https://\(address.host)/\(address.path)"
        let file = isWritten ? remote.line.fileOption : "--global"
        let edit =
            isWritten
            ? Message("remove it from the URL:") : Message("remove it from the url.<base>.insteadOf that sets it:")
        return Diagnosis(
            .helpers, isWritten && !remote.line.isTrusted ? .warn : .fail,
            address.hasPassword
                ? Message(
                    "git uses the password in the URL of the remote %1$s for %2$s instead of your sign-in", name,
                    host.shown)
                : Message("the URL of the remote %1$s has a token as the user name for %2$s", name, host.shown),
            isOfRepository && !remote.name.hasPrefix("-")
                ? [Message("remove it:"), .command("git remote set-url\(option) \(word: remote.name) \(word: url)")]
                : file.map { [edit, .command("git config --edit \($0)")] } ?? [
                    Message("remove it where git is started")
                ])
    }

    // MARK: ~/.netrc

    private func inNetrc(for host: HostName) -> Diagnosis? {
        guard let home = dependencies.environment("HOME"), home.hasPrefix("/") else { return nil }
        let file = home + "/.netrc"
        guard case .contents(let contents) = outside.foreignFiles.contents(of: file),
            let entry = contents.reveal({ NetrcEntry(of: host.name, in: $0) })
        else { return nil }
        let pattern = DisplayText(trusted: String(decoding: host.name, as: UTF8.self).replacing(".", with: "\\."))
        let command: DisplayText =
            switch ASCII.isPlain(host.name, with: ".-") ? entry : .other {
            case .line: "sed -i --follow-symlinks '/^machine \(pattern) /d' \(word: file)"
            case .lines:
                "sed -i --follow-symlinks '/^machine \(pattern)$/,/^[[:space:]]*password[[:space:]]/d' \(word: file)"
            case .other: "${EDITOR:-vi} \(word: file)"
            }
        let text = Message(
            "git uses the password for %1$s in %2$s instead of your sign-in", DisplayText(untrusted: host.name),
            DisplayText(untrusted: file.utf8))
        return Diagnosis(.helpers, .fail, text, [Message("remove it:"), .command(command)])
    }

    // MARK: The helpers, to each of which git sends every token that worked

    /// The values by which git's configuration names us; a repository's own lines are never run.
    func ownValues(for hosts: [SignInHost]) -> [String] {
        let helpers = hosts.flatMap { CredentialHelpers(lines, for: $0.name).all }
        return helpers.filter { $0.isOurs && $0.line.isTrusted }.map(\.value)
    }

    /// `isThere` tells whether a path leads to a program.
    func helpers(for host: SignInHost, isThere: (String) -> Bool) -> [Diagnosis] {
        let (helpers, name) = (CredentialHelpers(lines, for: host.name), host.displayName)
        let others = helpers.others
        guard !others.isEmpty else {
            guard let own = helpers.own else {
                return [
                    Diagnosis(
                        .helpers, .fail, Message("git is not set up to use gitspace for %1$s", name), Self.setUp(name))
                ]
            }
            return [
                Diagnosis(
                    .helpers, .ok,
                    own.file.map { Message("git uses only gitspace for %1$s (set in %2$s)", name, $0) }
                        ?? Message("git uses only gitspace for %1$s", name))
            ]
        }
        // A helper in our place is reported first: `gh auth setup-git` replaces lines that name us.
        let replacements = others.filter { $0.position == .instead }.map {
            Diagnosis(.helpers, .fail, $0.sentence, Self.setUp(name))
        }
        return replacements
            + others.filter { $0.position != .instead || $0.helper.isPlainText }.map { beside($0, isThere) }
    }

    private static func setUp(_ host: DisplayText) -> [Message] {
        [Message("set it up:"), .command("git credential-gitspace configure \(word: host)")]
    }

    private func beside(_ other: OtherHelper, _ isThere: (String) -> Bool) -> Diagnosis {
        // An empty line of ours switches off helpers before it; a repository's own lines come after it.
        let isSwitchedOff = ["system", "global"].contains(other.helper.line.scope)
        let command = Message.command("git credential-gitspace configure \(word: other.host)")
        let hints = isSwitchedOff ? [Message("turn it off for this host:"), command] : other.helper.removal
        // git also finds a short name in its own folder, which is not on the PATH.
        if let path = HelperCommand.path(in: other.helper.value), !isThere(path) {
            return Diagnosis(
                .helpers, .warn,
                Message(
                    "git is configured to run a program that does not exist: %1$s", DisplayText(untrusted: path.utf8)),
                hints)
        }
        guard other.helper.isPlainText else { return Diagnosis(.helpers, .warn, other.sentence, hints) }
        return Diagnosis(
            .helpers, .fail,
            Message(
                "%1$s stores tokens for %2$s in a plain text file (set in %3$s)",
                Message("the helper %1$s", other.helper.name), other.host, other.helper.place), hints)
    }
}

extension TypedAddress {
    /// Removes the password of an http URL, and the name, which may be a token.
    static func withoutUser(_ url: String) -> String {
        guard let scheme = TypedAddress(url).scheme, ["http", "https"].contains(scheme),
            let start = url.utf8.firstRange(of: "://".utf8)?.upperBound
        else { return url }
        let authority = url.utf8[start...].prefix { !"/?#".utf8.contains($0) }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return url }
        return String(url[..<start] + url[url.utf8.index(after: at)...])
    }
}
