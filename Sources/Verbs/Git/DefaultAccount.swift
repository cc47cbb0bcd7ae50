internal import CredentialCore
internal import Helper

/// The account that git uses for a remote without one, and the reason.
struct DefaultAccount {
    /// The account, which need not be stored.
    let username: [UInt8]
    let reason: Reason

    enum Reason: Equatable {
        case only
        /// The account was stored first among the usable ones.
        case first
        case configured(ConfigurationLine)
    }

    /// Chooses as git and `get` do: the configured name, or else the first account for the whole host.
    ///
    /// `found` has the best account first; `lines` is git's configuration. Returns `nil` without an account.
    init?(of found: [StoredMatch], at context: CredentialContext, _ lines: [OriginatedEntry], owner: String? = nil) {
        if let line = ConfiguredUsername(lines, for: context.host, owner: owner).line, let name = line.entry.value {
            (username, reason) = (Array(name.utf8), .configured(ConfigurationLine(line, among: lines)))
            return
        }
        guard let first = found.first(where: { $0.item.attributes.object == nil }) ?? found.first else { return nil }
        (username, reason) = (first.credential.username, context.usernames(of: found).count == 1 ? .only : .first)
    }

    var shown: DisplayText { DisplayText(account: username) }
}

/// A line of git's configuration, safe to show.
struct ConfigurationLine: Equatable {
    /// The key, as `git config` takes it.
    let key: DisplayText
    let value: DisplayText
    /// The file, or git's name for another source.
    let origin: DisplayText
    let reach: Reach

    enum Reach: Equatable {
        case everywhere
        case repository
        /// The repositories below a folder.
        case folder(DisplayText)
    }

    /// Shows an empty value for a key without one; all lines together show that a file is included for a folder.
    init(_ line: OriginatedEntry, among lines: [OriginatedEntry] = []) {
        key = DisplayText(untrusted: line.entry.name.utf8)
        value = DisplayText(account: (line.entry.value ?? "").utf8)
        origin = DisplayText(untrusted: line.origin.utf8)
        reach =
            ["local", "worktree"].contains(line.scope)
            ? .repository
            : AccountFolder.path(of: line, among: lines).map { .folder(DisplayText(trusted: $0)) } ?? .everywhere
    }

    var place: Message { .indented(Message("%1$s (in %2$s)", Message(verbatim: key), origin)) }

    /// The line with its value and its file.
    static func shown(_ line: OriginatedEntry) -> Message {
        let line = Self(line)
        return .indented(Message("%1$s (in %2$s)", Message(verbatim: "\(line.key) = \(line.value)"), line.origin))
    }
}
