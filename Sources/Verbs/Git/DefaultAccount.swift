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
        case configured(OriginatedEntry, OriginatedEntry.Reach)
    }

    /// Chooses as git and `get` do: the configured name, or else the first account for the whole host.
    ///
    /// `found` has the best account first; `lines` is git's configuration. Returns `nil` without an account.
    init?(of found: [StoredMatch], at context: CredentialContext, _ lines: [OriginatedEntry], owner: String? = nil) {
        if let line = ConfiguredUsername(lines, for: context.host, owner: owner).line, let name = line.entry.value {
            (username, reason) = (Array(name.utf8), .configured(line, line.reach(among: lines)))
            return
        }
        guard let first = found.first(where: { $0.item.attributes.object == nil }) ?? found.first else { return nil }
        (username, reason) = (first.credential.username, context.usernames(of: found).count == 1 ? .only : .first)
    }

    var shown: DisplayText { DisplayText(account: username) }
}

extension OriginatedEntry {
    /// The repositories for which a line counts.
    enum Reach: Equatable {
        case everywhere
        case repository
        /// The repositories below a folder.
        case folder(DisplayText)
    }

    /// All lines together show that a file is included for a folder.
    func reach(among lines: [OriginatedEntry]) -> Reach {
        ["local", "worktree"].contains(scope)
            ? .repository
            : AccountFolder.path(of: self, among: lines).map { .folder(DisplayText(trusted: $0)) } ?? .everywhere
    }

    /// The key, as `git config` takes it.
    var shownKey: DisplayText { DisplayText(untrusted: entry.name.utf8) }
    /// The value, empty for a key without one.
    var shownValue: DisplayText { DisplayText(account: (entry.value ?? "").utf8) }
    /// The file, or git's name for another source.
    var shownOrigin: DisplayText { DisplayText(untrusted: origin.utf8) }

    var place: Message { .indented(Message("%1$s (in %2$s)", Message(verbatim: shownKey), shownOrigin)) }

    var placeAndValue: Message {
        .indented(Message("%1$s (in %2$s)", Message(verbatim: "\(shownKey) = \(shownValue)"), shownOrigin))
    }
}
