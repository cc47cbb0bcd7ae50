package import CredentialCore
internal import Helper
internal import Messages

/// Which account of a host git uses for a remote that names none, and why.
package struct DefaultAccount: Equatable {
    /// It need not be among those that are stored.
    package let username: [UInt8]
    package let reason: Reason

    package enum Reason: Equatable {
        /// There is no other.
        case only
        /// It was stored first, among those that are usable.
        case first
        /// A line of git's configuration names it.
        case configured(ConfigurationLine)
    }

    /// Chooses as git and `get` do: the configured name, else the first that is stored for the whole host.
    ///
    /// Nil if there is neither. What is stored comes best first; `lines` is git's configuration.
    package init?(
        of found: [StoredMatch], at context: CredentialContext, _ lines: [OriginatedEntry], owner: String? = nil
    ) {
        if let line = ConfiguredUsername(lines, for: context.host, owner: owner).line, let name = line.entry.value {
            self.init(username: Array(name.utf8), reason: .configured(ConfigurationLine(line, among: lines)))
            return
        }
        guard let first = found.first(where: { $0.item.attributes.object == nil }) ?? found.first else { return nil }
        self.init(
            username: first.credential.username, reason: context.usernames(of: found).count == 1 ? .only : .first)
    }

    private init(username: [UInt8], reason: Reason) {
        self.username = username
        self.reason = reason
    }
}

extension SignInContext {
    /// The same for the account that git uses, where nobody has named one: the one that the person's configuration names.
    ///
    /// A repository's own configuration is left out: it would tell a command about the whole host what to look at.
    func ofGitsAccount(with dependencies: Dependencies) -> SignInContext {
        guard username == nil, let entries = try? dependencies.configuration() else { return self }
        let name = ConfiguredUsername(entries, for: host.name).name
        // An empty name is no account to look for.
        return with(username: name.flatMap { $0.isEmpty ? nil : Array($0.utf8) })
    }
}

/// A line of git's configuration, safe to show.
package struct ConfigurationLine: Equatable {
    /// The key, as `git config` takes it.
    package let key: DisplayText
    package let value: DisplayText
    /// The file, or what git names instead.
    package let origin: DisplayText
    /// Where it counts.
    package let reach: Reach

    package enum Reach: Equatable {
        case everywhere
        case repository
        /// In the repositories below it.
        case folder(DisplayText)
    }

    /// Takes what git says of a line; a key without a value (`[credential] interactive`) is shown with an empty one.
    ///
    /// Only all lines together tell that a file is included for a folder.
    package init(_ line: OriginatedEntry, among lines: [OriginatedEntry] = []) {
        key = DisplayText(untrusted: line.entry.name.utf8)
        value = DisplayText(account: (line.entry.value ?? "").utf8)
        origin = DisplayText(untrusted: line.origin.utf8)
        reach =
            ["local", "worktree"].contains(line.scope)
            ? .repository
            : AccountFolder.path(of: line, among: lines).map { .folder(DisplayText(trusted: $0)) } ?? .everywhere
    }

    /// Where it stands, on a line of its own.
    var place: Message { .indented(Message("%1$s (in %2$s)", Message(verbatim: key), origin)) }

    var placeAndValue: Message {
        .indented(Message("%1$s (in %2$s)", Message(verbatim: "\(key) = \(value)"), origin))
    }
}

extension CredentialContext {
    /// Each account once, in the order in which they were found.
    func usernames(of found: [StoredMatch]) -> [[UInt8]] {
        found.reduce(into: []) { names, match in
            let name = match.credential.username
            if !names.contains(where: { isSameAccount($0, name) }) { names.append(name) }
        }
    }
}
